#include "workloads/arithmetic/arithmetic_chain.hpp"

#include <array>
#include <memory>

#include "device/error.hpp"
#include "kernels.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

constexpr std::uint32_t chain_factor = 1664525;
constexpr std::uint32_t chain_addend = 1013904223;

/// `x` after `steps` of x = x * factor + addend, by repeated squaring of that map.
std::uint32_t after(std::uint32_t x, std::uint64_t steps) {
  std::uint32_t power_factor = chain_factor;
  std::uint32_t power_addend = chain_addend;
  for (; steps != 0; steps >>= 1) {
    if ((steps & 1) != 0) x = x * power_factor + power_addend;
    power_addend = power_addend * power_factor + power_addend;
    power_factor *= power_factor;
  }
  return x;
}

/// The words that kernels leave: x, the trips made and, of a counted chain, the counter before and after.
using Words = std::array<std::uint32_t, 4>;

struct ChainOnDevice {
  device::Device& device;
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> state;
  std::uint32_t expected = 1;
  std::uint32_t trips = 0;

  ChainOnDevice(device::Device& on, const device::KernelSource& source)
      : device(on), kernel(on.make_kernel(source, single_item_group(on.info()))), state(on.make_buffer(sizeof(Words))) {
    const Words start{expected};
    state->write(0, std::as_bytes(std::span(start)));
  }

  device::Nanoseconds run(std::uint64_t steps) {
    trips = static_cast<std::uint32_t>(steps / steps_per_trip);
    expected = after(expected, steps);
    return device.run(*kernel, {.buffers = {state.get()}, .scalars = {trips, chain_factor, chain_addend}, .groups = 1});
  }

  Words words() const {
    Words end{};
    state->read(0, std::as_writable_bytes(std::span(end)));
    return end;
  }

  std::optional<std::string> proof_failure_of(const Words& end) const {
    return chain_proof_failure({end[0], end[1]}, {expected, trips});
  }
  std::optional<std::string> proof_failure() const { return proof_failure_of(words()); }
};

}  // namespace

measure::Workload arithmetic_chain(device::Device& device) {
  return {
      .work = chain_work(std::make_shared<ChainOnDevice>(device, kernels::alu_chain), 1, steps_per_trip, most_steps),
      .one_core = true};
}

std::function<TimedTicks(std::uint64_t)> counted_arithmetic_chain(device::Device& device) {
  const auto chain = std::make_shared<ChainOnDevice>(device, kernels::clock_rate);
  return [chain](std::uint64_t steps) {
    const device::Nanoseconds time = chain->run(steps);
    const Words end = chain->words();
    if (const auto failure = chain->proof_failure_of(end)) throw device::Error(*failure);
    return TimedTicks{.time = time, .ticks = (end[3] - end[2]) % ticks_of_a_narrow_counter};
  };
}

}  // namespace sonde::workloads
