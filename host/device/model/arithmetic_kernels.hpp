#pragma once

#include <cstdint>

#include "device/model/kernels.hpp"
#include "device/number_arithmetic.hpp"

namespace sonde::device::model {

/// What each item of a launch computes.
struct CutUp {
  std::uint32_t accumulators;
  std::uint32_t width;
  double steps;  ///< of each accumulator
};

/// Of the compute unit that has most groups: what is slowest of its lanes, its issue and the wait for results; 0 where
/// the device has no rate for the type.
double cycles_of(const Invocation& invocation, const NumberTypeFacts& type, Operation operation, const CutUp& work,
                 std::uint32_t compute_units);

// The references of kernels/arithmetic_TYPE.cl.
void arithmetic_fp64(Invocation& invocation);
void arithmetic_fp32(Invocation& invocation);
void arithmetic_fp16(Invocation& invocation);
void arithmetic_int64(Invocation& invocation);
void arithmetic_int32(Invocation& invocation);
void arithmetic_int16(Invocation& invocation);
void arithmetic_int8(Invocation& invocation);
void arithmetic_dot4(Invocation& invocation);

}  // namespace sonde::device::model
