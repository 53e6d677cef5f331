#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "measure/probe.hpp"

namespace sonde::summary {

/// A curve's points by the bytes of their working sets.
using BySize = std::map<double, const measure::Measurement*>;

/// Whether a row of `row_bytes` speaks for what was measured over `bytes`: within a tenth.
inline bool is_near(double bytes, double row_bytes) { return std::abs(bytes / row_bytes - 1) < 0.1; }

/// Rows of a table that has no room for every size.
inline constexpr std::array<double, 11> telling_bytes{4 << 10,  16 << 10, 64 << 10,  256 << 10, 1 << 20,        4 << 20,
                                                      16 << 20, 64 << 20, 256 << 20, 1 << 30,   4.0 * (1 << 30)};

/// The point that is nearest to `bytes`; null where none is near.
inline const measure::Measurement* near(const BySize& curve, double bytes) {
  const auto distance = [bytes](const auto& point) { return std::abs(point.first / bytes - 1); };
  const auto nearest = std::ranges::min_element(curve, {}, distance);
  return nearest != curve.end() && is_near(nearest->first, bytes) ? nearest->second : nullptr;
}

}  // namespace sonde::summary
