#pragma once

#include <cmath>
#include <map>

#include "measure/probe.hpp"

namespace sonde::cli {

/// A curve's points by the bytes of their working sets.
using BySize = std::map<double, const measure::Measurement*>;

/// The point nearest to `bytes`, within a tenth; null where none is.
inline const measure::Measurement* near(const BySize& curve, double bytes) {
  for (const auto& [at, measurement] : curve) {
    if (std::abs(at / bytes - 1) < 0.1) return measurement;
  }
  return nullptr;
}

}  // namespace sonde::cli
