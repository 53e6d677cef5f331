#include "probes/contention/windows.hpp"

#include <algorithm>

namespace sonde::probes {
namespace {

bool holds(const device::BusyInterval& dispatch, device::Nanoseconds uncertainty, const device::ChaseWindow& window) {
  return window.begin >= dispatch.begin + uncertainty && window.end <= dispatch.end - uncertainty;
}

std::span<const device::BusyInterval> counted(const device::BusyTimes& busy) {
  return std::span(busy.dispatches).subspan(std::min<std::size_t>(1, busy.dispatches.size()));
}

}  // namespace

std::vector<device::ChaseWindow> inside(std::span<const device::ChaseWindow> windows, const device::BusyTimes& busy) {
  std::vector<device::ChaseWindow> kept;
  auto dispatch = counted(busy).begin();
  for (const device::ChaseWindow& window : windows) {
    while (dispatch != counted(busy).end() && dispatch->end < window.end) ++dispatch;
    if (dispatch != counted(busy).end() && holds(*dispatch, busy.uncertainty, window)) kept.push_back(window);
  }
  return kept;
}

std::vector<double> bandwidths(std::span<const device::ChaseWindow> inside, const device::BusyTimes& busy,
                               double bytes_per_dispatch) {
  std::vector<double> gbps;
  for (const device::BusyInterval& dispatch : counted(busy)) {
    const bool any = std::ranges::any_of(
        inside, [&](const device::ChaseWindow& one) { return holds(dispatch, busy.uncertainty, one); });
    if (any) gbps.push_back(bytes_per_dispatch / (dispatch.end - dispatch.begin).count());
  }
  return gbps;
}

}  // namespace sonde::probes
