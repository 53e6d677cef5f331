#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "device/number_arithmetic.hpp"
#include "measure/probe.hpp"

// Arithmetic by all of a device at once, or one step after the other: its rate and its latency.
namespace sonde::workloads {

using device::NumberType;
using device::Operation;

/// Of a record's series, and back; multiply-add is the word for what integers do in place of fma, and dot4 for what
/// bytes do by fours.
std::map<std::string, std::string> series_of(NumberType type, Operation operation, std::string_view chain);
NumberType number_type_of(const std::map<std::string, std::string>& series);
Operation operation_of(const std::map<std::string, std::string>& series);

/// Operations that one step of one number counts as: a fused multiply-add is two, of each of its parts.
inline double operations_in(NumberType type, Operation operation) {
  return (operation == Operation::fma ? 2 : 1) * device::facts_of(type).parts;
}

/// How arithmetic is cut up.
struct ArithmeticShape {
  std::uint32_t width = 1;         ///< numbers in a vector: 1, 2, 4, in OpenCL up to 16
  std::uint32_t accumulators = 1;  ///< chains of vectors of one work-item: 1 … 8, 10 … 16
  bool paired = true;              ///< a chain of multiply-adds has two vectors, else one
  std::uint32_t unroll = 8;        ///< a trip makes twice as many steps of each accumulator: 1, 2, 4 … 32
  std::uint32_t group_size = 1;
  std::uint32_t groups = 1;

  std::array<device::Constant, 5> constants(Operation operation) const {
    return {{{"OPERATION", static_cast<std::uint32_t>(operation)},
             {"ACCUMULATORS", accumulators},
             {"UNROLL", unroll},
             {"WIDTH", width},
             {"PAIRED", is_paired(operation) ? 1u : 0u}}};
  }
  /// Additions are of pairs, multiplications and functions of one number, multiply-adds either.
  bool is_paired(Operation operation) const {
    return operation == Operation::fma ? paired : operation == Operation::add;
  }
  std::uint32_t items() const { return group_size * groups; }
  /// Of one item, which are in registers.
  std::uint32_t numbers() const { return (paired ? 2 : 1) * accumulators * width; }
  /// By all items in one trip.
  double numbers_per_trip() const { return 2.0 * unroll * accumulators * width * items(); }
  friend bool operator==(const ArithmeticShape&, const ArithmeticShape&) = default;
};

/// A shape as a record has it, and back.
std::map<std::string, double> named(const ArithmeticShape& shape);
ArithmeticShape arithmetic_shape_of(const std::map<std::string, double>& named);

/// Whether multiply-adds of the type may be of one number alone. Halves come back to where they were after a few steps,
/// and a dot product keeps too little of its four bytes.
inline bool can_be_alone(NumberType type) { return type != NumberType::fp16 && type != NumberType::four_bytes; }

/// Of another operation, in the registers of the shape that multiply-adds were fastest in.
ArithmeticShape shape_for(Operation operation, ArithmeticShape shape);

/// Its operands are neither zero nor one, and so that it does not end at a value or leave the type's range. `variant`
/// chooses among several of the same kind.
device::Chain chain_of(NumberType type, Operation operation, bool paired, std::uint32_t variant = 0);
/// As the kernels take them.
std::vector<std::uint32_t> scalars(const device::Chain& chain, std::uint32_t trips, std::uint32_t salt);

/// The kernel of a type, compiled; throws Unsupported with the missing feature where the device lacks the type, or
/// where its compiler does not take it.
std::unique_ptr<device::Kernel> arithmetic_kernel(device::Device& device, NumberType type, Operation operation,
                                               const ArithmeticShape& shape);

/// Steps by all items, in Gop/s. Every dispatch is proved by a word of each item that tells all its accumulators.
measure::Workload arithmetic(device::Device& device, NumberType type, Operation operation, const ArithmeticShape& shape,
                             std::uint64_t seed, std::uint32_t variant = 0);

/// One chain of dependent steps: ns for each.
measure::Workload dependent_arithmetic(device::Device& device, NumberType type, Operation operation, std::uint64_t seed);

}  // namespace sonde::workloads
