#include "device/driver_clock.hpp"

#include <gtest/gtest.h>

namespace sonde::device {
namespace {

TEST(CredibleTime, IsNoMoreThanTheHostWaited) {
  EXPECT_EQ(plausible_time(Nanoseconds(9e6), Nanoseconds(10e6)), Nanoseconds(9e6));
  EXPECT_EQ(plausible_time(Nanoseconds(11e6), Nanoseconds(10e6)), Nanoseconds(11e6)) << "clocks differ a little";
  EXPECT_THROW((void)plausible_time(Nanoseconds(20e6), Nanoseconds(10e6)), Error);
  EXPECT_THROW((void)plausible_time(Nanoseconds(4.29e9), Nanoseconds(10e3)), Error) << "32 bits that wrapped";
}

TEST(CredibleTime, IsNotNothingByAClockThatCountsFinely) {
  EXPECT_EQ(nonzero_time(Nanoseconds(1), 1), Nanoseconds(1));
  EXPECT_EQ(nonzero_time(Nanoseconds(0), 1000), Nanoseconds(0)) << "a kernel may last less than a microsecond";
  EXPECT_THROW((void)nonzero_time(Nanoseconds(0), 1), Error);
}

TEST(CredibleTime, TicksWrapAndNeverRunBackwards) {
  EXPECT_EQ(ticks_between(5, 8, 64), 3u);
  EXPECT_EQ(ticks_between((1ull << 36) - 5, 3, 36), 8u);
  EXPECT_EQ(ticks_between(~0ull - 4, 3, 64), 8u);
  EXPECT_THROW((void)ticks_between(8, 5, 64), Error);
  EXPECT_THROW((void)ticks_between(8, 5, 36), Error);
}

}  // namespace
}  // namespace sonde::device
