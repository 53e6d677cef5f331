#include "summary/unmeasured_list.hpp"

#include <fmt/format.h>

#include "probes/copy/route.hpp"
#include "summary/layout.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::summary {
namespace {

/// "by driver, from pinned memory to the device": a way to copy.
std::string copy_name(const measure::Point& point) {
  const probes::CopyRoute route = probes::route_of(point.series);
  const std::string by = series_of(probes::CopyRoute{.mover = route.mover}).at("engine");
  std::string text = "by " + by + (route.mover == probes::Mover::transfer ? " queue" : "") + ", " + phrase_of(route);
  const auto queues = point.x.find("queues");
  if (queues != point.x.end()) text += fmt::format(" on {:.0f} queues", queues->second);
  return route.beside_kernel ? text + " beside a kernel" : text;
}

/// "latency through Vulkan by the path image at 1 GiB".
std::string place_of(const records::Origin& origin, const measure::Point& point) {
  std::string where = origin.probe + through_api(origin.api);
  if (origin.probe == "latency") {
    const workloads::Path path = workloads::path_of(point.series);
    if (path != workloads::Path::vector) where += " by the path " + std::string(workloads::name_of(path));
    if (workloads::fabric_of(point.series) == workloads::Fabric::loaded) where += " with memory kept awake";
  }
  if (point.series.contains("memory") && workloads::memory_of(point.series) != "device")
    where += " in " + workloads::memory_of(point.series) + " memory";
  if (origin.probe == "copy" && !point.series.empty()) where += " " + copy_name(point);
  if (point.x.contains("bytes")) where += " at " + measure::size_text(point.x.at("bytes"));
  return where;
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
