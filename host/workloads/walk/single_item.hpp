#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "measure/workload.hpp"

// Steps: of kernels in which a single work-item works, and how stepped work of any kernel is put together.
namespace sonde::workloads {

/// Steps that one trip of a kernel's loop makes (kernels/steps.h).
inline constexpr std::uint32_t hops_per_trip = 8;    ///< of a walk
inline constexpr std::uint32_t steps_per_trip = 64;  ///< of arithmetic

/// The arithmetic of kernels of which only the number of steps counts: x * step_factor + step_addend, modulo 2^32.
inline constexpr std::uint32_t step_factor = 1664525;
inline constexpr std::uint32_t step_addend = 1013904223;
/// `x` after so many steps.
std::uint32_t after_arithmetic(std::uint32_t x, std::uint64_t steps);

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

/// The rate at which steps of so much each are made, a nanosecond: GB/s of bytes, Gop/s of operations.
inline std::function<double(double)> rate(double amount) {
  return [amount](double nanoseconds_per_step) { return amount / std::max(nanoseconds_per_step, 1e-3); };
}

/// The work of a state that has run(steps) and proof_failure(); `work` has the rest. Where it has no value of its own,
/// that is the time of a step in ns.
template <typename State>
measure::SteppedWork stepped(const std::shared_ptr<State>& state, measure::SteppedWork work) {
  work.run = [state](std::uint64_t steps) { return state->run(steps); };
  work.proof_failure = [state] { return state->proof_failure(); };
  if (!work.value) work.value = [](double nanoseconds) { return nanoseconds; };
  return work;
}

/// The same of a walk on its device: a lap reads all lines again.
template <typename Walk>
measure::SteppedWork walk_work(const std::shared_ptr<Walk>& walk, std::uint64_t lap) {
  return stepped(walk, {.quantum = hops_per_trip, .most = most_hops(walk->device.info()), .lap = lap, .refill = lap});
}

/// Compares what a chain kernel left in device memory, {value, trips}, with what it must have left.
std::optional<std::string> chain_proof_failure(std::array<std::uint32_t, 2> found,
                                               std::array<std::uint32_t, 2> expected);

/// The instruction that a kernel's listing (AMD's or NVIDIA's assembler, or PTX) has most of among those with one of
/// these beginnings, as it stands there; empty where it has none.
std::string most_frequent(std::string_view listing, std::span<const std::string_view> beginnings);

/// The same of memory instructions: "global_load_b32", "LDG.E". In a walk that is its hop, which the loop has
/// `hops_per_trip` of.
std::string most_frequent_load(std::string_view listing);

}  // namespace sonde::workloads
