#pragma once

#include <limits>

#include "analysis/statistics.hpp"

// The widths to which a run sharpens what it prints: the scheduler stops there, and the first screen calls it good.
namespace sonde::measure {

/// The kinds of numbers that have a target: the size of a cache, or a latency or bandwidth.
enum class Quantity { size, rate };

/// Half widths of intervals, relative to the value.
inline constexpr double size_target = 0.03;
inline constexpr double rate_target = 0.01;
/// Intervals of latencies and bandwidths are for another run's value, and runs that each know theirs within the target
/// are taken to differ by about as much more, however many visits they have.
inline constexpr double rate_between_runs = 0.03;

/// The half width that is `times` the target.
constexpr double half_width_at(Quantity quantity, double times) {
  return quantity == Quantity::size ? times * size_target : rate_between_runs + times * rate_target;
}

/// Half the width of an interval, relative to its value; infinite for an interval that is open or around no value.
constexpr double relative_half_width(const analysis::Estimate& interval) {
  const double half = (interval.high - interval.low) / 2;
  const bool is_known = interval.value > 0 && half >= 0 && half < std::numeric_limits<double>::infinity();
  return is_known ? half / interval.value : std::numeric_limits<double>::infinity();
}

/// A number whose interval is wider than itself is no value, but a range.
constexpr bool is_steady(const analysis::Estimate& interval) { return relative_half_width(interval) <= 0.5; }

constexpr bool is_within_target(const analysis::Estimate& interval, Quantity quantity) {
  return relative_half_width(interval) <= half_width_at(quantity, 1);
}

enum class Sureness { good, fair, rough };

/// Good within the target, fair within three times that.
constexpr Sureness how_sure(const analysis::Estimate& interval, Quantity quantity) {
  if (is_within_target(interval, quantity)) return Sureness::good;
  return relative_half_width(interval) <= half_width_at(quantity, 3) ? Sureness::fair : Sureness::rough;
}

}  // namespace sonde::measure
