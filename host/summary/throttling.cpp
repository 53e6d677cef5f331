#include "summary/throttling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

/// A GPU moves its clock by a few percent all the time.
constexpr double clearly_below = 0.9;

std::string so_many(std::size_t some, std::size_t all) {
  return fmt::format("{} of {} {} measured ", some, all, all == 1 ? "point was" : "points were");
}

}  // namespace

std::string throttling_note(const std::string& device, const View& view, int columns) {
  std::size_t throttled = 0;
  std::set<std::string> reasons;
  std::vector<double> clocks;
  const auto points = view.points(device);
  for (const measure::Measurement* point : points) {
    const counters::DeviceState& around = point->state.device_state;
    if (around.gpu_clock_mhz) clocks.push_back(*around.gpu_clock_mhz);
    if (!around.throttle_reasons || around.throttle_reasons->empty()) continue;
    ++throttled;
    reasons.insert(around.throttle_reasons->begin(), around.throttle_reasons->end());
  }
  std::string text;
  if (throttled > 0) {
    text += wrapped(fmt::format("{}while the GPU was throttled ({}): it can be faster than that.",
                                so_many(throttled, points.size()), fmt::join(reasons, ", ")),
                    columns);
  }
  const double highest = clocks.empty() ? 0 : std::ranges::max(clocks);
  const auto slow = std::ranges::count_if(clocks, [&](double clock) { return clock < clearly_below * highest; });
  if (slow > 0) {
    text += wrapped(fmt::format("{}at a clock more than 10 % below the highest, {:.0f} MHz.",
                                so_many(static_cast<std::size_t>(slow), points.size()), highest),
                    columns);
  }
  return text;
}

}  // namespace sonde::summary
