// The device contract, arithmetic: every API computes what the host computes, in every type and shape, alone and on a
// stream with any number of operations a byte. No test looks at a time.

#include <algorithm>
#include <array>
#include <variant>

#include "driver/device_test.hpp"
#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/arithmetic/roofline.hpp"

namespace sonde::device {
namespace {

class DeviceArithmetic : public test::DeviceTest {};

using workloads::ArithmeticShape;

TEST_P(DeviceArithmetic, LeavesWhatTheHostComputesInEveryTypeAndShape) {
  constexpr std::array operations{NumberOperation::fma,         NumberOperation::add,
                                  NumberOperation::multiply,    NumberOperation::reciprocal,
                                  NumberOperation::square_root, NumberOperation::exponential,
                                  NumberOperation::sine};
  // Shapes do not depend on the operation: one of them is tried with all operations, the others with multiply-adds. A
  // CPU's driver takes a second to compile one kernel, and long for many steps.
  const bool has_wide_vectors = device->info().widest_load_bytes > 16;
  const std::array<ArithmeticShape, 4> shapes{
      {{.width = 4, .accumulators = 3, .unroll = 2, .group_size = 8, .groups = 3},
       {.width = 1, .accumulators = 1, .unroll = 1, .group_size = 1, .groups = 1},
       {.width = has_wide_vectors ? 16u : 2u, .accumulators = 10, .unroll = 1, .group_size = 2, .groups = 2},
       {.width = 2, .accumulators = 3, .paired = false, .unroll = 1, .group_size = 4, .groups = 2}}};
  for (const NumberTypeFacts& type : number_types) {
    if (device->info().missing_types.contains(std::string(type.name))) continue;
    for (const NumberOperation operation : operations) {
      const NumberOperation first_missing = type.type == NumberType::four_bytes ? NumberOperation::add
                                            : type.floating                     ? NumberOperation::reciprocal
                                                                                : NumberOperation::multiply;
      const bool is_there = type.type == NumberType::fp32 || operation < first_missing;
      if (!is_there) continue;
      for (const ArithmeticShape& shape : shapes) {
        if (operation != NumberOperation::fma && shape != shapes[0]) continue;
        if (!shape.paired && !workloads::can_be_alone(type.type)) continue;
        const measure::Workload workload = workloads::arithmetic(*device, type.type, operation, shape, 1);
        const auto& work = std::get<measure::SteppedWork>(workload.work);
        for (const std::uint64_t trips : {100u, 1u, 1000u}) {
          if (!is_exact(operation) && trips < 100) continue;
          (void)work.run(trips);
          EXPECT_EQ(work.proof_failure(), std::nullopt) << type.name << " " << static_cast<int>(operation) << " x"
                                                        << shape.width << " " << shape.accumulators << " " << trips;
        }
      }
    }
  }
}

TEST_P(DeviceArithmetic, OfAMissingTypeIsRefusedWithTheReason) {
  for (const auto& [name, missing] : device->info().missing_types) {
    if (missing.worth_a_try) continue;
    EXPECT_FALSE(missing.reason.empty()) << name;
    const auto type = std::ranges::find(number_types, name, &NumberTypeFacts::name);
    if (type == number_types.end()) continue;  // there is no kernel for it
    EXPECT_THROW((void)workloads::arithmetic(*device, type->type, NumberOperation::fma, {}, 1), Unsupported) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceArithmetic, test::every_device, test::name_of_device);

class DeviceRoofline : public test::DeviceTest {};

using measure::Sharing;
using workloads::RooflineShape;
using workloads::StreamShape;

void expect_proved(Device& device, Sharing sharing, const RooflineShape& shape, std::uint64_t bytes, double operations,
                   std::uint64_t most_wanted = 100) {
  const measure::Workload workload = workloads::roofline(device, sharing, shape, bytes, operations, 1);
  const auto& work = std::get<measure::SteppedWork>(workload.work);
  for (const std::uint64_t wanted : {1u, 5u, 100u}) {
    const std::uint64_t trips = wanted * work.quantum;
    if (wanted > most_wanted || trips > work.most) continue;
    (void)work.run(trips);
    EXPECT_EQ(work.proof_failure(), std::nullopt)
        << operations << " a byte, " << shape.walk.groups << " groups of " << shape.walk.group_size << ", "
        << shape.at_once << " of " << shape.walk.in_flight << " rows at once, " << trips;
  }
}

TEST_P(DeviceRoofline, AddsUpWhatTheHostFindsForAnyOperationsAByte) {
  const StreamShape shape{.group_size = 8, .groups = 2, .vector_words = 4, .in_flight = 4};
  for (const double operations : {0.0, 0.0625, 0.4375, 0.5, 1.0, 1.75, 4.0, 12.0, 64.0})
    expect_proved(*device, Sharing::shared, {shape, 4}, 8192, operations);
}

TEST_P(DeviceRoofline, AddsUpWhatTheHostFindsInAnyShape) {
  const auto shape = [](std::uint32_t group_size, std::uint32_t groups, std::uint32_t in_flight) {
    return StreamShape{.group_size = group_size, .groups = groups, .vector_words = 4, .in_flight = in_flight};
  };
  expect_proved(*device, Sharing::separate, {shape(1, 1, 2), 2}, 3 * 32, 0.25);
  expect_proved(*device, Sharing::separate, {shape(16, 3, 8), 4}, 3 * 5 * 2048, 2);
  StreamShape wide = shape(4, 2, 16);
  wide.vector_words = device->info().widest_load_bytes / std::uint32_t{sizeof(std::uint32_t)};
  for (const std::uint32_t at_once : {2u, 4u, 8u, 16u})
    expect_proved(*device, Sharing::separate, {wide, at_once}, 1 << 18, 8);
  StreamShape spread = shape(4, 3, 8);
  spread.spread = true;
  for (const std::uint32_t at_once : {2u, 8u}) expect_proved(*device, Sharing::separate, {spread, at_once}, 30000, 2);
  StreamShape scattered = shape(8, 5, 4);
  scattered.scattered = true;
  expect_proved(*device, Sharing::shared, {scattered, 4}, 16384, 1);
}

TEST_P(DeviceRoofline, ComputesInTheShapeThatItsOwnDevicesGet) {
  for (const Sharing sharing : {Sharing::shared, Sharing::separate}) {
    const std::uint64_t bytes = sharing == Sharing::shared ? 16 << 10 : 8 << 20;
    const RooflineShape shape = workloads::roofline_shape(device->info(), sharing, bytes, 0);
    // These shapes have so many items that more trips take an interpreting driver half a minute.
    for (const double operations : {0.0, 0.25, 4.0}) expect_proved(*device, sharing, shape, bytes, operations, 5);
  }
}

// Some drivers silently end loops after a number of trips, those of inner loops included. Where none are known to, CPUs
// would take minutes over all that may be asked: a few times what others end at stands for it.
TEST_P(DeviceRoofline, MakesAsManyTripsAsADispatchMay) {
  const StreamShape shape{.group_size = 8, .groups = 2, .vector_words = 4, .in_flight = 2};
  for (const double operations : {0.0, 0.25, 7.5, 64.0}) {
    const measure::Workload workload = workloads::roofline(*device, Sharing::shared, {shape, 2}, 4096, operations, 1);
    const auto& work = std::get<measure::SteppedWork>(workload.work);
    (void)work.run(std::min(work.most, (1u << 18) / work.quantum * work.quantum));
    EXPECT_EQ(work.proof_failure(), std::nullopt) << operations;
  }
}

TEST_P(DeviceRoofline, RefusesWhatIsTooSmallForPairsOfRows) {
  const StreamShape shape{.group_size = 1, .groups = 1, .vector_words = 4, .in_flight = 1};
  EXPECT_THROW((void)workloads::roofline(*device, Sharing::shared, {shape, 2}, 4096, 1, 1), Unsupported);
}

INSTANTIATE_TEST_SUITE_P(, DeviceRoofline, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
