#include "probes/alu_chain.hpp"

#include <array>
#include <memory>

#include "kernels.hpp"
#include "probes/one_item.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint32_t factor = 1664525;
constexpr std::uint32_t addend = 1013904223;

/// `x` after `steps` of x = x * factor + addend, by repeated squaring of that map.
std::uint32_t after(std::uint32_t x, std::uint64_t steps) {
  std::uint32_t power_factor = factor;
  std::uint32_t power_addend = addend;
  for (; steps != 0; steps >>= 1) {
    if ((steps & 1) != 0) x = x * power_factor + power_addend;
    power_addend = power_addend * power_factor + power_addend;
    power_factor *= power_factor;
  }
  return x;
}

struct Chain {
  gpu::Device& device;
  std::unique_ptr<gpu::Kernel> kernel;
  std::unique_ptr<gpu::Buffer> state;
  std::uint32_t expected = 1;
  std::uint32_t trips = 0;

  explicit Chain(gpu::Device& on)
      : device(on),
        kernel(on.make_kernel(kernels::alu_chain, one_item_group(on.info()))),
        state(on.make_buffer(2 * sizeof(std::uint32_t))) {
    const std::array<std::uint32_t, 2> start{expected, 0};
    state->write(0, std::as_bytes(std::span(start)));
  }

  gpu::Nanoseconds run(std::uint64_t steps) {
    trips = static_cast<std::uint32_t>(steps / steps_per_trip);
    expected = after(expected, steps);
    return device.run(*kernel, {.buffers = {state.get()}, .scalars = {trips, factor, addend}, .groups = 1});
  }

  std::optional<std::string> flaw() const {
    std::array<std::uint32_t, 2> end{};
    state->read(0, std::as_writable_bytes(std::span(end)));
    return flaw_of_chain(end, {expected, trips});
  }
};

}  // namespace

measure::Workload alu_chain(gpu::Device& device) {
  return chain_workload(std::make_shared<Chain>(device), 1);
}

}  // namespace sonde::probes
