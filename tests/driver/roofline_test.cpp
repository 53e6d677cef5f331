// The device contract, a stream that computes: every API adds up what the host finds, in every shape and with any
// number of operations a byte. Never a time.

#include "workloads/arithmetic/roofline.hpp"
#include "driver/device_test.hpp"

namespace sonde::device {
namespace {

class DeviceRoofline : public test::DeviceTest {};

using workloads::RooflineShape;
using workloads::Shape;
using workloads::Sharing;

void expect_proved(Device& device, Sharing sharing, const RooflineShape& shape, std::uint64_t bytes, double operations,
                   std::uint64_t most_wanted = 100) {
  const measure::Workload work = workloads::roofline(device, sharing, shape, bytes, operations, 1);
  EXPECT_EQ(work.unit, operations > 0 ? "Gop/s" : "GB/s");
  for (const std::uint64_t wanted : {1u, 5u, 100u}) {
    const std::uint64_t trips = wanted * work.quantum;
    if (wanted > most_wanted || trips > work.most) continue;
    (void)work.run(trips);
    EXPECT_EQ(work.flaw(), std::nullopt) << operations << " a byte, " << shape.walk.groups << " groups of "
                                         << shape.walk.group_size << ", " << shape.at_once << " of "
                                         << shape.walk.in_flight << " rows at once, " << trips;
  }
}

TEST_P(DeviceRoofline, AddsUpWhatTheHostFindsForAnyOperationsAByte) {
  const Shape shape{.group_size = 8, .groups = 2, .vector_words = 4, .in_flight = 4};
  for (const double operations : {0.0, 0.0625, 0.4375, 0.5, 1.0, 1.75, 4.0, 12.0, 64.0})
    expect_proved(*device, Sharing::shared, {shape, 4}, 8192, operations);
}

TEST_P(DeviceRoofline, AddsUpWhatTheHostFindsInAnyShape) {
  const auto shape = [](std::uint32_t group_size, std::uint32_t groups, std::uint32_t in_flight) {
    return Shape{.group_size = group_size, .groups = groups, .vector_words = 4, .in_flight = in_flight};
  };
  expect_proved(*device, Sharing::separate, {shape(1, 1, 2), 2}, 3 * 32, 0.25);
  expect_proved(*device, Sharing::separate, {shape(16, 3, 8), 4}, 3 * 5 * 2048, 2);
  Shape wide = shape(4, 2, 16);
  wide.vector_words = device->info().widest_load_bytes / std::uint32_t{sizeof(std::uint32_t)};
  for (const std::uint32_t at_once : {2u, 4u, 8u, 16u})
    expect_proved(*device, Sharing::separate, {wide, at_once}, 1 << 18, 8);
  Shape spread = shape(4, 3, 8);
  spread.spread = true;
  for (const std::uint32_t at_once : {2u, 8u}) expect_proved(*device, Sharing::separate, {spread, at_once}, 30000, 2);
  Shape scattered = shape(8, 5, 4);
  scattered.scattered = true;
  expect_proved(*device, Sharing::shared, {scattered, 4}, 16384, 1);
}

TEST_P(DeviceRoofline, ComputesInTheShapeThatItsOwnDevicesGet) {
  for (const Sharing sharing : {Sharing::shared, Sharing::separate}) {
    const std::uint64_t bytes = sharing == Sharing::shared ? 16 << 10 : 8 << 20;
    const RooflineShape shape = workloads::roofline_shape(device->info(), sharing, bytes, 0);
    // So many items that more trips are half a minute of a driver that interprets.
    for (const double operations : {0.0, 0.25, 4.0}) expect_proved(*device, sharing, shape, bytes, operations, 5);
  }
}

// Some drivers end loops after so many trips, those of inner loops included, and say nothing.
TEST_P(DeviceRoofline, MakesAsManyTripsAsADispatchMay) {
  const Shape shape{.group_size = 8, .groups = 2, .vector_words = 4, .in_flight = 2};
  for (const double operations : {0.0, 0.25, 7.5, 64.0}) {
    const measure::Workload work = workloads::roofline(*device, Sharing::shared, {shape, 2}, 4096, operations, 1);
    (void)work.run(work.most);
    EXPECT_EQ(work.flaw(), std::nullopt) << operations;
  }
}

TEST_P(DeviceRoofline, RefusesWhatIsTooSmallForPairsOfRows) {
  const Shape shape{.group_size = 1, .groups = 1, .vector_words = 4, .in_flight = 1};
  EXPECT_THROW((void)workloads::roofline(*device, Sharing::shared, {shape, 2}, 4096, 1, 1), Unsupported);
}

INSTANTIATE_TEST_SUITE_P(, DeviceRoofline, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
