#include "summary/unmeasured_list.hpp"

#include <fmt/format.h>

#include "summary/layout.hpp"
#include "summary/pivot.hpp"

namespace sonde::summary {
namespace {

/// "latency through Vulkan (image, 1 GiB)".
std::string place_of(const records::Origin& origin, const measure::Point& point) {
  const std::string place = place_text(point);
  return origin.probe + through_api(origin.api) + (place.empty() ? "" : " (" + place + ")");
}

}  // namespace

std::string unmeasured_list(std::span<const Unmeasured> unmeasured, int columns) {
  std::string text;
  for (const bool failed : {false, true}) {
    std::string list;
    for (const Unmeasured& one : unmeasured) {
      if (one.failed != failed) continue;
      const std::string more = one.others > 0 ? fmt::format(", and {} more", one.others) : "";
      list += wrapped(place_of(one.origin, one.first) + more + ": " + one.reason, columns);
    }
    if (!list.empty()) text += (failed ? "\n  Failed\n" : "\n  Not measured\n") + list;
  }
  return text;
}

}  // namespace sonde::summary
