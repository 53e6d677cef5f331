#include "counters/state/device_state.hpp"

#include <gtest/gtest.h>

#include "os/linux_files.hpp"

namespace sonde::counters {
namespace {

// user nice system idle iowait irq softirq steal guest guest_nice, as proc(5) orders them.
constexpr const char* stat =
    "cpu  1000 200 300 99999 88888 40 50 600 500 100\n"
    "cpu0 1 1 1 1 1 1 1 1 1 1\n"
    "intr 12345\n";

TEST(ProcStat, BusyIsAllButWaitingAndSteal) {
  const os::MachineTime time = os::machine_time_in(stat, 100);
  EXPECT_DOUBLE_EQ(time.busy, (1000 + 200 + 300 + 40 + 50) / 100.0);
  EXPECT_DOUBLE_EQ(time.steal, 6);
  EXPECT_DOUBLE_EQ(time.tick, 0.01);
}

TEST(ProcStat, GuestTimeIsNotCountedTwice) {
  const os::MachineTime with_guests = os::machine_time_in("cpu 1000 0 0 0 0 0 0 0 900 0", 100);
  EXPECT_DOUBLE_EQ(with_guests.busy, 10);
}

TEST(ProcStat, OldAndShortLinesHaveNoSteal) {
  const os::MachineTime time = os::machine_time_in("cpu 100 0 50 7", 100);
  EXPECT_DOUBLE_EQ(time.busy, 1.5);
  EXPECT_EQ(time.steal, 0);
}

TEST(ProcStat, OfNothingIsZero) {
  EXPECT_EQ(os::machine_time_in("", 100).busy, 0);
  EXPECT_EQ(os::machine_time_in("cpu", 100).steal, 0);
}

TEST(HostTime, IsReadFromThisMachine) {
  const HostTime time = read_host_time();
  EXPECT_GT(time.wall, 0);
  EXPECT_GT(time.own, 0);
}

TEST(ForeignLoad, IsWhatOthersTookOfAllCpuTime) {
  const HostTime before{.wall = 100, .busy = 50, .own = 10, .steal = 1, .involuntary_switches = 5};
  const HostTime after{.wall = 110, .busy = 55, .own = 13, .steal = 2, .involuntary_switches = 9};
  const ForeignLoad load = load_between(before, after);
  EXPECT_DOUBLE_EQ(load.foreign_cpu, 0.2);
  EXPECT_DOUBLE_EQ(load.steal, 0.1);
  EXPECT_EQ(load.involuntary_switches, 4u);
}

TEST(ForeignLoad, OfOneTickMayBeRounding) {
  EXPECT_EQ(load_between({.busy = 50}, {.wall = 0.1, .busy = 50.08, .own = 0.075, .tick = 0.01}).foreign_cpu, 0);
  EXPECT_NEAR(load_between({.busy = 50}, {.wall = 0.1, .busy = 50.03, .tick = 0.01}).foreign_cpu, 0.2, 1e-9);
}

TEST(ForeignLoad, IsNoneWhereTheTicksLagBehindOurOwnTime) {
  const ForeignLoad load = load_between({.busy = 50}, {.wall = 1, .busy = 50, .own = 0.9});
  EXPECT_EQ(load.foreign_cpu, 0);
}

TEST(ForeignLoad, StaysAShareWhereTheKernelsCountersJump) {
  EXPECT_EQ(load_between({.steal = 5}, {.wall = 1, .steal = 4}).steal, 0);
  EXPECT_EQ(load_between({}, {.wall = 1, .busy = 3, .steal = 2}).foreign_cpu, 1);
  EXPECT_EQ(load_between({}, {.wall = 1, .busy = 3, .steal = 2}).steal, 1);
}

TEST(ForeignLoad, OfNoTimeIsNone) {
  const HostTime moment{.wall = 7, .busy = 5};
  EXPECT_EQ(load_between(moment, moment).foreign_cpu, 0);
  EXPECT_EQ(load_between({}, {.busy = 5}).foreign_cpu, 0);
}

}  // namespace
}  // namespace sonde::counters
