#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sonde::analysis {

/// A robust description of repetitions of one measurement, all in the values' unit.
struct Summary {
  double lower_quartile = 0;
  double median = 0;
  double upper_quartile = 0;
};

/// The quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996); needs a value.
double quantile(std::span<const double> values, double share);

/// The median of each value and of up to so many on either side of it.
std::vector<double> running_median(std::span<const double> values, std::size_t beside);

/// The median absolute deviation of normal numbers is so much of their standard deviation.
inline constexpr double deviation_of_normal = 0.6745;

/// Summarizes the values; all zero for none.
Summary summarize(std::span<const double> values);

/// A range that holds the true median with at least 95 % probability, whatever the distribution.
struct Interval {
  double low = 0;
  double high = 0;
};

/// The interval by order statistics with binomial coverage; the whole range below 9 values (6 give 96.9 %). Needs a
/// value.
Interval median_interval(std::span<const double> values);

/// A number with its prediction interval: another run finds a number inside it in 95 of 100 cases.
struct Estimate {
  double low = 0;
  double value = 0;
  double high = 0;
};

/// A prediction's variance in units of that of a run's mean: that of this run, that of the other, and as much again for
/// what changes between runs, as moments of one run agree more than those of two runs.
inline constexpr double variances_of_a_run = 4;

/// The prediction interval for another run's `value`, by the numbers `found` at several moments of this run: that for
/// the mean of as many moments of another run, taken as normal (Hahn, Journal of Quality Technology, 1970), stretched
/// to hold `value`. One moment alone gives an infinite interval.
Estimate predicted(double value, std::span<const double> found, double variances = variances_of_a_run);

/// The same for numbers above zero, whose scatter grows with them: by their logarithms, and at least 3 % to either
/// side, by which runs differ that each know their medians within 1 %.
Estimate predicted_above_zero(double value, std::span<const double> found, double variances = variances_of_a_run);

/// The same for neighbours on a curve, each measured once. Whatever slows one moment slows those around it, so runs are
/// taken to differ by as much as single neighbours do, however many of these agree.
Estimate predicted_of_neighbours(double value, std::span<const double> found);

/// Whether others use a machine too, from 0 to 1, by the mean share of time that they took: runs differ there by more
/// than repetitions tell.
double among_others(double share);

/// The interval of a number by what other runs might find, which holds 95 of 100 of them, stretched to hold `value`.
/// Needs one.
Estimate among(double value, std::span<const double> found);

/// A variance, as far as so many degrees of freedom tell it.
struct Scatter {
  double variance = 0;
  double degrees = 0;
};

/// The scatter of single numbers by those found, of which the outermost do not count where there are six or more.
Scatter scatter_of(std::span<const double> found);

/// What two independent looks at one scatter tell together.
Scatter joined(const Scatter& one, const Scatter& other);

/// What the scatters of many things have in common: the degrees are the fewer the more they differ beyond their own
/// (empirical Bayes: Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004). None without any.
Scatter common_scatter(std::span<const Scatter> each);

/// The 97.5 % quantile of Student's t; infinite where there are no degrees of freedom.
double t_95(double degrees);

/// Whether a claim holds.
enum class Answer { no, yes, open };

/// A claim holds where its margin is above zero; the answer is open where another run might find otherwise.
Answer answer(const Estimate& margin);

}  // namespace sonde::analysis
