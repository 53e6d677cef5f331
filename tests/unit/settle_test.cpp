#include "measure/settle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "support/scripted_device.hpp"
#include "support/walk_workload.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::measure {
namespace {

using device::Nanoseconds;
using test::ScriptedDevice;

constexpr Nanoseconds longest{2e9};

SteppedWork arithmetic_on(ScriptedDevice& device) { return test::stepped(workloads::arithmetic_chain(device)); }

Settled settled(ScriptedDevice& device, Nanoseconds at_most = longest) {
  return settle_clock(arithmetic_on(device), at_most, [] {});
}

double device_time(const ScriptedDevice& device) {
  double sum = 0;
  for (const test::Dispatch& dispatch : device.dispatches()) sum += dispatch.time_ns;
  return sum;
}

/// Work that the host waits for, and that takes a share of it by the device's clock.
SteppedWork waited_for(double share_by_device) {
  return {.most = 1 << 10, .run = [share_by_device](std::uint64_t steps) {
            const auto begin = std::chrono::steady_clock::now();
            const auto wanted = std::chrono::microseconds(20 * steps);
            while (std::chrono::steady_clock::now() - begin < wanted) {
            }
            return share_by_device * Nanoseconds(std::chrono::steady_clock::now() - begin);
          }};
}

TEST(WrongClock, CountsNextToNothingOrMoreThanPassed) {
  for (const double share : {0.3, 1.0}) EXPECT_EQ(why_clock_is_wrong(waited_for(share)), std::nullopt) << share;
  for (const double share : {0.0, 0.01, 3.0}) {
    const auto why = why_clock_is_wrong(waited_for(share));
    ASSERT_TRUE(why) << share;
    EXPECT_NE(why->find("newer or another driver"), std::string::npos) << *why;
  }
}

TEST(SettleClock, ASteadyClockIsSettledSoon) {
  ScriptedDevice device({.launch_ns = 0});
  const Settled result = settled(device);
  EXPECT_TRUE(result.stable);
  EXPECT_NEAR(result.nanoseconds_per_step, 1, 0.001);
  EXPECT_LT(device_time(device), 200e6);
}

TEST(SettleClock, AClockThatClimbsIsWaitedFor) {
  // Half speed at first, full speed after 0.5 s of work.
  ScriptedDevice device({.slowdown = [](std::size_t, double spent_ns) { return 2 - std::min(1.0, spent_ns / 500e6); }});
  const Settled result = settled(device);
  EXPECT_TRUE(result.stable);
  EXPECT_GT(device_time(device), 500e6);
  EXPECT_NEAR(result.nanoseconds_per_step, 1, 0.01);
}

TEST(SettleClock, AClockThatNeverStandsStillIsGivenUpAtTheLimit) {
  ScriptedDevice device({.slowdown = [](std::size_t dispatch, double) { return dispatch % 2 == 0 ? 1.0 : 1.1; }});
  EXPECT_FALSE(settled(device, Nanoseconds(300e6)).stable);
  EXPECT_GE(device_time(device), 300e6);
  EXPECT_LT(device_time(device), 400e6);
}

TEST(SettleClock, ASlowFirstLaunchIsNoWindow) {
  ScriptedDevice device({.first_launch_ns = 1e9});
  EXPECT_TRUE(settled(device, Nanoseconds(500e6)).stable);
}

TEST(SettleClock, AClockThatStandsStillAltogetherDoesNotHang) {
  ScriptedDevice device({.clock_stands_still = true, .most_dispatches = 200});
  try {
    EXPECT_FALSE(settled(device).stable);
  } catch (const device::Error& error) {
    EXPECT_FALSE(test::was_endless(error)) << "it would go on for ever";
  }
}

TEST(SettleClock, WorkThatIsNotDoneIsAnError) {
  ScriptedDevice device({.drops_work = true});
  EXPECT_THROW((void)settled(device), device::Error);
}

TEST(SettleClock, NoDispatchHasMoreTripsThanEveryDriverMakes) {
  ScriptedDevice device({.alu_step_ns = 0.01});
  (void)settled(device);
  for (const test::Dispatch& dispatch : device.dispatches()) ASSERT_LE(dispatch.trips, 65000u);
}

TEST(SettleClock, EveryDispatchButTheFirstIsASignOfLife) {
  ScriptedDevice device({});
  std::size_t signs = 0;
  (void)settle_clock(arithmetic_on(device), longest, [&signs] { ++signs; });
  EXPECT_GE(signs + 1, device.dispatches().size());
}

/// A clock that a pause halves, and that 0.3 s of work bring up again; or that stays down for good.
struct PausingClock {
  double since_pause_ns = 300e6;
  bool stays_down = false;
  double spent_ns = 0;

  SteppedWork arithmetic() {
    return {.quantum = 64,
            .most = 1 << 30,
            .run =
                [this](std::uint64_t steps) {
                  const double slowdown = stays_down ? 2 : 2 - std::min(1.0, since_pause_ns / 300e6);
                  const Nanoseconds time(slowdown * static_cast<double>(steps));
                  since_pause_ns += time.count();
                  spent_ns += time.count();
                  return time;
                },
            .proof_failure = [] { return std::optional<std::string>(); }};
  }
  ClockRecovery recovery(Nanoseconds patience = Nanoseconds(30e9)) {
    return {arithmetic(), {.stable = true, .nanoseconds_per_step = 1}, Nanoseconds(1e9), patience};
  }
};

double time_of_recovery(const PausingClock& clock, ClockRecovery& recovery) {
  const double before = clock.spent_ns;
  recovery.recover([] {});
  return clock.spent_ns - before;
}

TEST(ClockRecovery, WorksUntilTheClockIsUpAgain) {
  PausingClock clock;
  ClockRecovery recovery = clock.recovery();
  EXPECT_LT(time_of_recovery(clock, recovery), 3e6) << "it was up";
  clock.since_pause_ns = 0;
  EXPECT_GT(time_of_recovery(clock, recovery), 280e6);
  EXPECT_GT(clock.since_pause_ns, 280e6);
  EXPECT_LT(time_of_recovery(clock, recovery), 3e6) << "it is up again";
}

TEST(ClockRecovery, ADeviceThatIsSlowerForGoodIsWaitedForOnce) {
  PausingClock clock;
  ClockRecovery recovery = clock.recovery();
  clock.stays_down = true;
  EXPECT_NEAR(time_of_recovery(clock, recovery), 1e9, 30e6);
  EXPECT_LT(time_of_recovery(clock, recovery), 5e6);
}

TEST(ClockRecovery, AllOfThemEndWithPatience) {
  PausingClock clock;
  ClockRecovery recovery = clock.recovery(Nanoseconds(500e6));
  for (int pause = 0; pause < 10; ++pause) {
    clock.since_pause_ns = 0;
    recovery.recover([] {});
  }
  EXPECT_LT(clock.spent_ns, 900e6);
}

TEST(ClockRecovery, WorkThatIsNotDoneIsAnError) {
  ScriptedDevice device({.drops_work = true});
  ClockRecovery recovery(arithmetic_on(device), {.stable = true, .nanoseconds_per_step = 1}, longest, longest);
  EXPECT_THROW(recovery.recover([] {}), device::Error);
}

}  // namespace
}  // namespace sonde::measure
