#pragma once

#include <cstddef>
#include <span>

namespace sonde::analysis {

/// Robust description of repetitions of one measurement, all in the values' unit.
struct Summary {
  std::size_t count = 0;
  double minimum = 0;
  double lower_quartile = 0;
  double median = 0;
  double upper_quartile = 0;
  double maximum = 0;
};

/// Quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996); needs a value.
double quantile(std::span<const double> values, double share);

/// All zero for no values.
Summary summarize(std::span<const double> values);

/// A range that holds the true median with at least 95 % probability, whatever the distribution.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Order statistics with binomial coverage; the whole range below 9 values (6 give 96.9 %). Needs a value.
Interval median_interval(std::span<const double> values);

}  // namespace sonde::analysis
