#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "measure/probe.hpp"

namespace sonde::workloads {

/// Steps that one trip of a kernel's loop makes (kernels/steps.h).
inline constexpr std::uint32_t hops_per_trip = 8;    ///< of a walk
inline constexpr std::uint32_t steps_per_trip = 64;  ///< of arithmetic

/// No dispatch makes more steps, whatever a device's loops allow.
inline constexpr std::uint64_t most_steps = 4'160'000;

inline std::uint64_t most_hops(const device::DeviceInfo& info) {
  return std::min(std::uint64_t{info.most_trips} * hops_per_trip, most_steps);
}

/// Group size for a kernel in which one work-item works. On a GPU a whole wave is launched and the others leave at
/// once: with a group of one a compiler could prove every address uniform and take the scalar cache's path.
inline std::uint32_t single_item_group(const device::DeviceInfo& info) {
  if (info.type == device::DeviceType::cpu) return 1;
  return info.largest_group_size < 32 ? info.largest_group_size : 32;
}

/// The workload of a chain whose state has run(steps) and flaw(): time per step in ns. A dispatch makes whole trips of
/// `per_trip` steps, at most `most` steps.
template <typename Chain>
measure::Workload chain_workload(const std::shared_ptr<Chain>& chain, std::uint64_t lap, std::uint32_t per_trip,
                                 std::uint64_t most) {
  return {.unit = "ns",
          .quantum = per_trip,
          .most = most,
          .lap = lap,
          .one_core = true,
          .run = [chain](std::uint64_t steps) { return chain->run(steps); },
          .flaw = [chain] { return chain->flaw(); },
          .value = [](double nanoseconds) { return nanoseconds; }};
}

/// The same of a cycle on its device: a lap reads all lines again.
template <typename Walk>
measure::Workload walk_workload(const std::shared_ptr<Walk>& walk, std::uint64_t lap) {
  measure::Workload workload = chain_workload(walk, lap, hops_per_trip, most_hops(walk->device.info()));
  workload.refill = lap;
  return workload;
}

/// Compares what a chain kernel left in device memory, {value, trips}, with what it must have left.
inline std::optional<std::string> flaw_of_chain(std::array<std::uint32_t, 2> found,
                                                std::array<std::uint32_t, 2> expected) {
  if (found == expected) return std::nullopt;
  if (found[1] != expected[1]) {
    return "the device left its loop after " + std::to_string(found[1]) + " of " + std::to_string(expected[1]) +
           " trips, so its time says nothing; please report the driver";
  }
  return "the device's chain ended at " + std::to_string(found[0]) + " instead of " + std::to_string(expected[0]) +
         ", so it did not do the work that was timed; please report the driver";
}

}  // namespace sonde::workloads
