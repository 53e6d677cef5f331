#pragma once

#include <functional>

#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::workloads {

/// How far a search goes: the usual shapes alone, or from the best of them to neighbours, so many rounds.
struct ArithmeticSearch {
  int rounds = 0;
  std::function<void()> alive = [] {};  ///< called after each shape: drivers of CPUs take seconds to compile one
};

/// The fastest shape found. Throws as arithmetic_kernel() does, and device::Error where no shape runs.
ArithmeticShape search_arithmetic_shape(device::Device& device, NumberType type, Operation operation,
                                        const ArithmeticSearch& search);

}  // namespace sonde::workloads
