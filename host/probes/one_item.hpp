#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gpu/device.hpp"
#include "measure/probe.hpp"

namespace sonde::probes {

/// lavapipe silently leaves a shader's loops after 65,535 trips in all; no other driver is asked for more either.
inline constexpr std::uint32_t most_trips = 65000;

/// Steps that every chain kernel unrolls into one trip of its loop.
inline constexpr std::uint32_t steps_per_trip = 64;

/// Group size for a kernel in which one work-item works. On a GPU a whole wave is launched and the others leave at
/// once: with a group of one a compiler could prove every address uniform and take the scalar cache's path.
inline std::uint32_t one_item_group(const gpu::DeviceInfo& info) {
  if (info.type == gpu::DeviceType::cpu) return 1;
  return info.largest_group_size < 32 ? info.largest_group_size : 32;
}

/// The workload of a chain whose state has run(steps) and flaw(): time per step in ns.
template <typename Chain>
measure::Workload chain_workload(const std::shared_ptr<Chain>& chain, std::uint64_t lap) {
  return {.unit = "ns",
          .quantum = steps_per_trip,
          .most = std::uint64_t{most_trips} * steps_per_trip,
          .lap = lap,
          .one_core = true,
          .run = [chain](std::uint64_t steps) { return chain->run(steps); },
          .flaw = [chain] { return chain->flaw(); },
          .value = [](double nanoseconds) { return nanoseconds; }};
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

}  // namespace sonde::probes
