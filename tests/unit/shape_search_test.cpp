// The search for the fastest shape on a device that says of each how fast it is: it finds the best one, and no moment
// in which others use the machine makes it choose a slow one.

#include <gtest/gtest.h>

#include "support/clocked_device.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::workloads {
namespace {

constexpr std::uint64_t bytes = 64 << 20;

/// Bytes a nanosecond: its cores get most of memory with one item each, of several streams and with many loads under
/// way.
double speed(const test::NumberedKernel& kernel) {
  const bool streams = kernel.constants.at("SPREAD") != 0;
  return (kernel.group_size == 1 ? 10 : 4) * (streams ? 2 : 1) * (kernel.constants.at("IN_FLIGHT") == 8 ? 1 : 0.8);
}

/// What is found when some dispatches from that one on take eight times as long; counts all of them.
StreamShape found(SearchDepth depth, std::size_t disturbed_from, std::size_t* count = nullptr) {
  constexpr std::size_t disturbed = 12;
  std::size_t dispatches = 0;
  test::ClockedDevice device(
      test::cpu_info(4, 64), [&](const test::NumberedKernel& kernel, const device::Launch& launch) {
        const std::uint32_t words =
            kernel.constants.at("VECTOR_WORDS") * kernel.constants.at("IN_FLIGHT") * kernel.group_size;
        const double moved = 4.0 * words * launch.groups * launch.scalars.front();
        const bool slow = dispatches >= disturbed_from && dispatches < disturbed_from + disturbed;
        ++dispatches;
        return device::Nanoseconds(5000 + moved / speed(kernel)) * (slow ? 8 : 1);
      });
  const StreamShape shape = search_shape(device, Pattern::read, Sharing::separate, bytes, depth);
  if (count != nullptr) *count = dispatches;
  return shape;
}

constexpr std::size_t never = ~std::size_t{0} / 2;

TEST(ShapeSearch, FindsTheFastestOne) {
  const StreamShape best = found(SearchDepth::full, never);
  EXPECT_EQ(best.group_size, 1u);
  EXPECT_EQ(best.in_flight, 8u);
  EXPECT_TRUE(best.spread);
}

TEST(ShapeSearch, NoMomentInWhichOthersRunMakesItChooseASlowOne) {
  for (const SearchDepth depth : {SearchDepth::usual, SearchDepth::once, SearchDepth::full}) {
    std::size_t dispatches = 0;
    const auto best = named(found(depth, never, &dispatches));
    for (std::size_t from = 0; from < dispatches; from += 5) EXPECT_EQ(named(found(depth, from)), best) << from;
  }
}

}  // namespace
}  // namespace sonde::workloads
