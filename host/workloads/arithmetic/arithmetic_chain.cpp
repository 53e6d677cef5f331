#include "workloads/arithmetic/arithmetic.hpp"

#include "analysis/statistics.hpp"
#include "kernels.hpp"
#include "measure/cycles.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

constexpr std::uint64_t few_steps = steps_per_trip;
/// A long dispatch is far longer than a timer's step, and so short that beside a point it is nothing.
constexpr device::Nanoseconds long_enough{100e3};
constexpr std::size_t pairs_beside_a_point = 3;
/// Where pairs are further apart, some were interrupted: then so many times as many are made, as two of three would
/// tell another clock.
constexpr double pairs_agree = 0.1;
constexpr std::size_t times_more_pairs = 3;

/// AMD's gfx11 counts its core's cycles in 20 bits.
constexpr std::uint32_t ticks_of_a_narrow_counter = 1u << 20;
/// Counted dispatches are so short that at up to 32 cycles a step no more than half of that counter is counted.
constexpr std::uint64_t few_counted_steps = std::uint64_t{64} * steps_per_trip;
constexpr std::uint64_t many_counted_steps = std::uint64_t{256} * steps_per_trip;
/// One interrupted dispatch must not decide.
constexpr std::size_t counted_pairs = 9;

double median(const std::vector<double>& values) { return analysis::quantile(values, 0.5); }

/// The words that kernels leave: x, the trips made and, of a counted chain, the counter before and after.
using Words = std::array<std::uint32_t, 4>;

struct ChainOnDevice {
  device::Device& device;
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> state;
  std::uint32_t expected = 1;
  std::uint32_t trips = 0;
  Words end{};

  ChainOnDevice(device::Device& on, const device::KernelSource& source)
      : device(on), kernel(on.make_kernel(source, single_item_group(on.info()))), state(on.make_buffer(sizeof(Words))) {
    const Words start{expected};
    state->write(0, std::as_bytes(std::span(start)));
  }

  device::Nanoseconds run(std::uint64_t steps) {
    trips = static_cast<std::uint32_t>(steps / steps_per_trip);
    expected = after_arithmetic(expected, steps);
    return device.run(*kernel, {.buffers = {state.get()}, .scalars = {trips, step_factor, step_addend}, .groups = 1});
  }

  std::optional<std::string> proof_failure() {
    state->read(0, std::as_writable_bytes(std::span(end)));
    return chain_proof_failure({end[0], end[1]}, {expected, trips});
  }

  device::Nanoseconds run_and_prove(std::uint64_t steps) {
    const device::Nanoseconds time = run(steps);
    if (const auto failure = proof_failure()) throw device::Error(*failure);
    return time;
  }
};

/// The chain's time a step by pairs of a short and a long dispatch, whose difference is free of the launch.
class ArithmeticChain {
 public:
  ArithmeticChain(device::Device& device, const std::function<void()>& alive)
      : chain_(device, kernels::alu_chain), alive_(alive) {
    run(few_steps);  // compiles
    while (many_steps_ < most_steps / 2 && shortest() < long_enough) many_steps_ *= 2;
  }

  double nanoseconds_per_step(std::size_t pairs) {
    std::vector<double> slopes;
    const auto take = [&](std::size_t wanted) {
      while (slopes.size() < wanted) {
        const device::Nanoseconds short_time = run(few_steps);
        slopes.push_back((run(many_steps_) - short_time).count() / static_cast<double>(many_steps_ - few_steps));
      }
    };
    take(pairs);
    const auto [least, most] = std::ranges::minmax(slopes);
    if (most - least > pairs_agree * median(slopes)) take(times_more_pairs * pairs);
    return median(slopes);
  }

 private:
  /// The shorter time of two, as an interruption makes any dispatch long enough; less the launch, as that does too.
  device::Nanoseconds shortest() {
    const device::Nanoseconds first = run(many_steps_);
    return std::min(first, run(many_steps_)) - run(few_steps);
  }

  device::Nanoseconds run(std::uint64_t steps) {
    const device::Nanoseconds time = chain_.run_and_prove(steps);
    alive_();
    return time;
  }

  ChainOnDevice chain_;
  std::function<void()> alive_;
  std::uint64_t many_steps_ = std::uint64_t{16} * steps_per_trip;
};

/// Runs the same chain between two readings of the core's counter, of which a device's info says whether there is one.
measure::CountedChain counted_chain(device::Device& device, const std::function<void()>& alive) {
  ChainOnDevice chain(device, kernels::clock_rate);
  (void)chain.run_and_prove(steps_per_trip);  // compiles
  std::array<std::vector<double>, 2> ticks;
  std::array<std::vector<double>, 2> times;
  const std::array<std::uint64_t, 2> steps{few_counted_steps, many_counted_steps};
  for (std::size_t pair = 0; pair < counted_pairs; ++pair) {
    for (std::size_t length = 0; length < steps.size(); ++length) {
      times[length].push_back(chain.run_and_prove(steps[length]).count());
      ticks[length].push_back((chain.end[3] - chain.end[2]) % ticks_of_a_narrow_counter);
      alive();
    }
  }
  return {.few_steps = static_cast<double>(few_counted_steps),
          .many_steps = static_cast<double>(many_counted_steps),
          .few_ticks = median(ticks[0]),
          .many_ticks = median(ticks[1]),
          .few_ns = median(times[0]),
          .many_ns = median(times[1])};
}

}  // namespace

measure::Workload arithmetic_chain(device::Device& device) {
  return {.work = stepped(std::make_shared<ChainOnDevice>(device, kernels::alu_chain),
                          {.quantum = steps_per_trip, .most = most_steps}),
          .one_core = true};
}

std::function<std::optional<measure::CoreClock>()> core_clock_of(device::Device& device,
                                                                 const measure::Settled& settled,
                                                                 const std::function<std::optional<double>()>& read_mhz,
                                                                 const std::function<void()>& alive) {
  // The counter of a CPU is its time stamp counter, which does not follow the core's clock; nor does it run at the
  // clock that is stated.
  if (device.info().type == device::DeviceType::cpu) return {};
  const auto chain = std::make_shared<ArithmeticChain>(device, alive);
  const double nanoseconds_per_step = chain->nanoseconds_per_step(counted_pairs);
  std::optional<double> cycles;
  std::string source = "shader-clock";
  if (device.info().core_clock) {
    cycles = measure::cycles_per_step(counted_chain(device, alive), nanoseconds_per_step);
  }
  // The counter counts cycles at any clock; to compare with the stated one the device must have reached it.
  if (!cycles && settled.stable) {
    cycles = measure::cycles_per_step(nanoseconds_per_step, device.info().clock_mhz, read_mhz());
    source = "arithmetic-chain";
  }
  if (!cycles) return {};
  return [chain, source, cycles = *cycles]() -> std::optional<measure::CoreClock> {
    const double now = chain->nanoseconds_per_step(pairs_beside_a_point);
    if (now <= 0) return std::nullopt;
    return measure::CoreClock{.mhz = cycles / now * 1e3, .source = source};
  };
}

}  // namespace sonde::workloads
