// The search for the fastest shape of arithmetic on a device that says of each how fast it is: it finds the best one,
// and no moment in which others use the machine makes it choose a slow one.

#include <gtest/gtest.h>

#include "support/clocked_device.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::workloads {
namespace {

/// Of a CPU whose driver runs items as lanes, and of which eight chains do not hide a step: what is found when, for
/// some dispatches from that one on, both cores' threads share one; counts all of them.
ArithmeticShape found(std::size_t shared_from, std::size_t* count = nullptr) {
  constexpr std::size_t shared = 9;
  std::size_t dispatches = 0;
  test::ClockedDevice device(
      test::cpu_info(2, 16), [&](const test::NumberedKernel& kernel, const device::Launch& launch) {
        const std::uint32_t accumulators = kernel.constants.at("ACCUMULATORS");
        const double work = 2.0 * accumulators * kernel.constants.at("UNROLL") * kernel.group_size * launch.groups *
                            launch.scalars.front();
        const bool slow = dispatches >= shared_from && dispatches < shared_from + shared;
        ++dispatches;
        return device::Nanoseconds(5000 + work / (accumulators == 12 ? 90 : 70)) * (slow ? 2 : 1);
      });
  const ArithmeticShape shape = search_arithmetic_shape(device, NumberType::fp32, NumberOperation::fma, {});
  if (count != nullptr) *count = dispatches;
  return shape;
}

TEST(ArithmeticSearch, NoMomentInWhichOthersRunMakesItChooseASlowOne) {
  std::size_t dispatches = 0;
  EXPECT_EQ(found(~std::size_t{0} / 2, &dispatches).accumulators, 12u);
  for (std::size_t from = 0; from < dispatches; ++from) EXPECT_EQ(found(from).accumulators, 12u) << from;
}

}  // namespace
}  // namespace sonde::workloads
