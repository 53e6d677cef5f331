#pragma once

#include <cmath>
#include <map>

#include "measure/probe.hpp"

namespace sonde::summary {

/// A curve's points by the bytes of their working sets.
using BySize = std::map<double, const measure::Measurement*>;

/// Whether a row of `row_bytes` speaks for what was measured over `bytes`: within a tenth.
inline bool is_near(double bytes, double row_bytes) { return std::abs(bytes / row_bytes - 1) < 0.1; }

/// The first point that is near `bytes`; null where none is.
inline const measure::Measurement* near(const BySize& curve, double bytes) {
  for (const auto& [at, measurement] : curve) {
    if (is_near(at, bytes)) return measurement;
  }
  return nullptr;
}

}  // namespace sonde::summary
