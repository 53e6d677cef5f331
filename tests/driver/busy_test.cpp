// The device contract, dispatches enqueued ahead: their results, and the order of their times. No test checks how long
// they take.

#include <algorithm>
#include <chrono>
#include <cmath>

#include "device/device.hpp"
#include "driver/device_test.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::test {
namespace {

using device::Nanoseconds;

class BusyTest : public DeviceTest {};

Nanoseconds host_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

workloads::StreamShape shape_for(const device::DeviceInfo& info) {
  return {.group_size = std::min(4u, info.largest_group_size), .groups = 2, .vector_words = 4, .in_flight = 2};
}

TEST_P(BusyTest, EveryDispatchWritesItsSumAtEveryDial) {
  workloads::ThrottledAdd sum(*device, shape_for(device->info()), 1 << 20, 7);
  for (const double load : {1.0, 0.5, 0.1}) {
    sum.throttle(load);
    const device::BusyTimes busy = sum.keep_busy(Nanoseconds(30e6));
    EXPECT_EQ(sum.proof_failure(), std::nullopt) << load;
    EXPECT_GE(busy.dispatches.size(), 2u) << load;
    // Times by a driver's clock on a busy machine may be anything.
    if (device->info().type == device::DeviceType::model) {
      EXPECT_EQ(sum.rounds() == 0, load == 1.0) << sum.rounds();
    }
  }
}

TEST_P(BusyTest, DispatchesFollowEachOtherOnTheHostsClock) {
  const bool simulated = device->info().type == device::DeviceType::model;
  workloads::ThrottledAdd sum(*device, shape_for(device->info()), 1 << 20, 7);
  sum.throttle(1);
  const Nanoseconds before = host_now();
  const device::BusyTimes busy = sum.keep_busy(Nanoseconds(30e6));
  const Nanoseconds after = host_now();
  // The brackets of a driver's own clock are no tighter than a machine with other work allows.
  EXPECT_LT(busy.uncertainty.count(), 50e6);
  const Nanoseconds slack = busy.uncertainty + Nanoseconds(2 * device->info().timer_step_ns + 1);
  for (std::size_t at = 0; at < busy.dispatches.size(); ++at) {
    EXPECT_LE(busy.dispatches[at].begin, busy.dispatches[at].end);
    if (at > 0) {
      EXPECT_LE(busy.dispatches[at - 1].begin, busy.dispatches[at].begin);
    }
    if (simulated) continue;
    EXPECT_GE(busy.dispatches[at].begin, before - slack);
    EXPECT_LE(busy.dispatches[at].end, after + slack);
  }
}

TEST_P(BusyTest, EnoughIsAskedUntilItSaysSoAndNothingIsEnqueuedAfterwards) {
  workloads::ThrottledAdd sum(*device, shape_for(device->info()), 1 << 20, 7);
  sum.throttle(1);
  const device::BusyTimes one = sum.keep_busy(Nanoseconds(0));
  EXPECT_GE(one.dispatches.size(), 1u);
  EXPECT_LE(one.dispatches.size(), 4u);
  EXPECT_EQ(sum.proof_failure(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Devices, BusyTest, every_device, name_of_device);

}  // namespace
}  // namespace sonde::test
