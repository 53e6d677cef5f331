// At what clock does the device's core run at this moment?
//
// The chain of dependent arithmetic that settles the clock takes a fixed number of cycles a step. That number is found
// once: by the core's own counter where kernels can read one, else as the whole number that its time and the clock that
// the driver states give. From then on the time of a step tells the clock. docs/method/shared.md explains it.
//
// On a CPU it says nothing: there the counter is the time stamp counter, which does not follow the core's clock, and
// the stated clock is not the one it runs at.

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/error.hpp"
#include "measure/cycles.hpp"
#include "workloads/arithmetic/arithmetic_chain.hpp"
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

/// Counted dispatches are so short that at up to 32 cycles a step no more than half of a 20-bit counter is counted.
constexpr std::uint64_t few_counted_steps = std::uint64_t{64} * steps_per_trip;
constexpr std::uint64_t many_counted_steps = std::uint64_t{256} * steps_per_trip;
/// One interrupted dispatch must not decide.
constexpr std::size_t counted_pairs = 9;

double median(const std::vector<double>& values) { return analysis::quantile(values, 0.5); }

/// The chain's time a step by pairs of a short and a long dispatch, whose difference is free of the launch.
class ArithmeticChain {
 public:
  ArithmeticChain(device::Device& device, const std::function<void()>& alive)
      : work_(std::get<measure::SteppedWork>(arithmetic_chain(device).work)), alive_(alive) {
    run(few_steps);  // compiles
    while (many_steps_ < work_.most / 2 && shortest() < long_enough) many_steps_ *= 2;
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
    const device::Nanoseconds time = work_.run(steps);
    if (const auto failure = work_.proof_failure()) throw device::Error(*failure);
    alive_();
    return time;
  }

  measure::SteppedWork work_;
  std::function<void()> alive_;
  std::uint64_t many_steps_ = std::uint64_t{16} * steps_per_trip;
};

measure::CountedChain counted_chain(device::Device& device, const std::function<void()>& alive) {
  const auto run = counted_arithmetic_chain(device);
  (void)run(steps_per_trip);  // compiles
  std::array<std::vector<double>, 2> ticks;
  std::array<std::vector<double>, 2> times;
  const std::array<std::uint64_t, 2> steps{few_counted_steps, many_counted_steps};
  for (std::size_t pair = 0; pair < counted_pairs; ++pair) {
    for (std::size_t length = 0; length < steps.size(); ++length) {
      const TimedTicks counted = run(steps[length]);
      ticks[length].push_back(counted.ticks);
      times[length].push_back(counted.time.count());
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

std::function<std::optional<measure::CoreClock>()> core_clock_of(device::Device& device,
                                                                 const measure::Settled& settled,
                                                                 const std::function<std::optional<double>()>& read_mhz,
                                                                 const std::function<void()>& alive) {
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
