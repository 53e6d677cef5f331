#include "probes/contention/windows.hpp"

#include <algorithm>

namespace sonde::probes {
namespace {

bool holds(const gpu::Busy& dispatch, gpu::Nanoseconds uncertainty, const gpu::ChaseWindow& window) {
  return window.begin >= dispatch.begin + uncertainty && window.end <= dispatch.end - uncertainty;
}

std::span<const gpu::Busy> counted(const gpu::BusyTimes& busy) {
  return std::span(busy.dispatches).subspan(std::min<std::size_t>(1, busy.dispatches.size()));
}

}  // namespace

std::vector<gpu::ChaseWindow> inside(std::span<const gpu::ChaseWindow> windows, const gpu::BusyTimes& busy) {
  std::vector<gpu::ChaseWindow> kept;
  auto dispatch = counted(busy).begin();
  for (const gpu::ChaseWindow& window : windows) {
    while (dispatch != counted(busy).end() && dispatch->end < window.end) ++dispatch;
    if (dispatch != counted(busy).end() && holds(*dispatch, busy.uncertainty, window)) kept.push_back(window);
  }
  return kept;
}

std::vector<double> bandwidths(std::span<const gpu::ChaseWindow> inside, const gpu::BusyTimes& busy,
                               double bytes_per_dispatch) {
  std::vector<double> gbps;
  for (const gpu::Busy& dispatch : counted(busy)) {
    const bool any = std::ranges::any_of(
        inside, [&](const gpu::ChaseWindow& one) { return holds(dispatch, busy.uncertainty, one); });
    if (any) gbps.push_back(bytes_per_dispatch / (dispatch.end - dispatch.begin).count());
  }
  return gbps;
}

}  // namespace sonde::probes
