// The device contract, arithmetic: every API leaves in every accumulator what the host computes. Never a time.

#include <algorithm>
#include <array>

#include "driver/device_test.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::device {
namespace {

class DeviceArithmetic : public test::DeviceTest {};

using workloads::ArithmeticShape;

TEST_P(DeviceArithmetic, LeavesWhatTheHostComputesInEveryTypeAndShape) {
  constexpr std::array operations{Operation::fma,        Operation::add,         Operation::multiply,
                                  Operation::reciprocal, Operation::square_root, Operation::exponential,
                                  Operation::sine};
  // Shapes are all operations' alike: one of them has them all, the others multiply and add. A CPU's driver takes a
  // second to compile one, and long for many steps.
  const bool has_wide_vectors = device->info().widest_load_bytes > 16;
  const std::array<ArithmeticShape, 4> shapes{
      {{.width = 4, .accumulators = 3, .unroll = 2, .group_size = 8, .groups = 3},
       {.width = 1, .accumulators = 1, .unroll = 1, .group_size = 1, .groups = 1},
       {.width = has_wide_vectors ? 16u : 2u, .accumulators = 10, .unroll = 1, .group_size = 2, .groups = 2},
       {.width = 2, .accumulators = 3, .paired = false, .unroll = 1, .group_size = 4, .groups = 2}}};
  for (const NumberTypeFacts& type : number_types) {
    if (device->info().missing_types.contains(std::string(type.name))) continue;
    for (const Operation operation : operations) {
      const Operation beyond = type.type == NumberType::four_bytes ? Operation::add
                               : type.floating                     ? Operation::reciprocal
                                                                   : Operation::multiply;
      const bool is_there = type.type == NumberType::fp32 || operation < beyond;
      if (!is_there) continue;
      for (const ArithmeticShape& shape : shapes) {
        if (operation != Operation::fma && shape != shapes[0]) continue;
        if (!shape.paired && !workloads::can_be_alone(type.type)) continue;
        const measure::Workload work = workloads::arithmetic(*device, type.type, operation, shape, 1);
        for (const std::uint64_t trips : {100u, 1u, 1000u}) {
          if (!is_exact(operation) && trips < 100) continue;
          (void)work.run(trips);
          EXPECT_EQ(work.flaw(), std::nullopt) << type.name << " " << static_cast<int>(operation) << " x" << shape.width
                                               << " " << shape.accumulators << " " << trips;
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
    if (type == number_types.end()) continue;  // for which there is no kernel
    EXPECT_THROW((void)workloads::arithmetic(*device, type->type, Operation::fma, {}, 1), Unsupported) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceArithmetic, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
