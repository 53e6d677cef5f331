#include "workloads/arithmetic/sustained_arithmetic.hpp"

#include <algorithm>
#include <utility>

#include "device/error.hpp"

namespace sonde::workloads {
namespace {

/// Long beside a launch, short beside a second.
constexpr double least_dispatch_ns = 20e6;

/// Trips of a dispatch that is long enough, or as many as one may make.
std::uint64_t trips_of_a_dispatch(const measure::Workload& work) {
  std::uint64_t trips = 64;
  for (double ns = 0; trips < work.most;) {
    ns = work.run(trips).count();
    if (ns >= least_dispatch_ns) break;
    trips = std::min(work.most, 2 * trips);
  }
  return std::min(trips, work.most);
}

}  // namespace

measure::Workload sustained_arithmetic(device::Device& device, const ArithmeticShape& shape, device::Nanoseconds duration,
                                       std::uint64_t seed) {
  const measure::Workload once = arithmetic(device, NumberType::fp32, Operation::fma, shape, seed);
  measure::Workload all = once;
  all.run = nullptr;
  all.flaw = nullptr;
  all.value = nullptr;
  all.observe = [once, duration](const measure::Limits&, const std::function<void()>& alive) {
    measure::Repetitions found;
    found.steps = trips_of_a_dispatch(once);
    for (double spent_ns = 0; spent_ns < duration.count();) {
      const double ns = once.run(found.steps).count();
      if (const auto flaw = once.flaw()) throw device::Error(*flaw);
      found.values.push_back(once.value(ns / static_cast<double>(found.steps)));
      spent_ns += std::max(ns, 1.0);
      alive();
    }
    return found;
  };
  return all;
}

}  // namespace sonde::workloads
