// The device contract, arithmetic: every API leaves in every accumulator what the host computes. Never a time.

#include <array>

#include "driver/device_test.hpp"
#include "workloads/arithmetic.hpp"

namespace sonde::gpu {
namespace {

class DeviceArithmetic : public test::DeviceTest {};

using workloads::ArithmeticShape;

TEST_P(DeviceArithmetic, LeavesWhatTheHostComputesInEveryTypeAndShape) {
  constexpr std::array operations{Operation::fma,        Operation::add,         Operation::multiply,
                                  Operation::reciprocal, Operation::square_root, Operation::exponential,
                                  Operation::sine};
  constexpr std::array<ArithmeticShape, 2> shapes{
      {{.width = 1, .accumulators = 1, .unroll = 1, .group_size = 1, .groups = 1},
       {.width = 4, .accumulators = 3, .unroll = 2, .group_size = 8, .groups = 3}}};
  for (const NumberTypeFacts& type : number_types) {
    if (device->info().missing_types.contains(std::string(type.name))) continue;
    for (const Operation operation : operations) {
      const bool is_there =
          type.type == NumberType::fp32 || operation < (type.floating ? Operation::reciprocal : Operation::multiply);
      if (!is_there) continue;
      for (const ArithmeticShape& shape : shapes) {
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
    const auto type = workloads::number_type_of({{"type", name}});
    EXPECT_THROW((void)workloads::arithmetic(*device, type, Operation::fma, {}, 1), Unsupported) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceArithmetic, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::gpu
