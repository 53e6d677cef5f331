#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "measure/workload.hpp"

// What all kernels have in common in which a single work-item works, step after step.
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
  return std::min(info.largest_group_size, 32u);
}

/// The workload of a chain whose state has run(steps) and proof_failure(): time per step in ns. A dispatch makes whole
/// trips of `per_trip` steps, at most `most` steps.
template <typename Chain>
measure::SteppedWork chain_work(const std::shared_ptr<Chain>& chain, std::uint64_t lap, std::uint32_t per_trip,
                                std::uint64_t most) {
  return {.quantum = per_trip,
          .most = most,
          .lap = lap,
          .run = [chain](std::uint64_t steps) { return chain->run(steps); },
          .proof_failure = [chain] { return chain->proof_failure(); },
          .value = [](double nanoseconds) { return nanoseconds; }};
}

/// The same of a walk on its device: a lap reads all lines again.
template <typename Walk>
measure::SteppedWork walk_work(const std::shared_ptr<Walk>& walk, std::uint64_t lap) {
  measure::SteppedWork work = chain_work(walk, lap, hops_per_trip, most_hops(walk->device.info()));
  work.refill = lap;
  return work;
}

/// Compares what a chain kernel left in device memory, {value, trips}, with what it must have left.
std::optional<std::string> chain_proof_failure(std::array<std::uint32_t, 2> found,
                                               std::array<std::uint32_t, 2> expected);

/// The memory instruction that a kernel's listing (AMD's or NVIDIA's assembler, or PTX) has most of, as it stands
/// there: "global_load_b32", "s_load_b32", "LDG.E". In a walk that is its hop, which the loop has `hops_per_trip` of.
/// Empty where none is known.
std::string most_frequent_load(std::string_view listing);

}  // namespace sonde::workloads
