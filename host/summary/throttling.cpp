#include "summary/throttling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace sonde::summary {
namespace {

/// A GPU moves its clock by a few percent all the time.
constexpr double clearly_below = 0.9;

std::string so_many(std::size_t some, std::size_t all) {
  return "  " + std::to_string(some) + " of " + std::to_string(all) + (all == 1 ? " point was" : " points were") +
         " measured ";
}

}  // namespace

std::string throttling_note(const std::string& device, std::span<const records::Line> lines) {
  std::size_t points = 0;
  std::size_t throttled = 0;
  std::set<std::string> reasons;
  std::vector<double> clocks;
  for (const records::Line& line : lines) {
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || !records::is_point(*sample) || sample->origin.device != device) continue;
    ++points;
    const counters::DeviceState& around = sample->measurement.state.device_state;
    if (around.gpu_clock_mhz) clocks.push_back(*around.gpu_clock_mhz);
    if (!around.throttle_reasons || around.throttle_reasons->empty()) continue;
    ++throttled;
    reasons.insert(around.throttle_reasons->begin(), around.throttle_reasons->end());
  }
  std::string text;
  if (throttled > 0) {
    std::string why;
    for (const std::string& reason : reasons) why += (why.empty() ? "" : ", ") + reason;
    text += so_many(throttled, points) + "while the GPU was throttled (" + why + "): it can be faster than that.\n";
  }
  const double highest = clocks.empty() ? 0 : std::ranges::max(clocks);
  const auto slow = std::ranges::count_if(clocks, [&](double clock) { return clock < clearly_below * highest; });
  if (slow > 0) {
    text += so_many(static_cast<std::size_t>(slow), points) + "at a clock more than 10 % below the highest, " +
            std::to_string(std::lround(highest)) + " MHz.\n";
  }
  return text;
}

}  // namespace sonde::summary
