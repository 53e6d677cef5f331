#include "analysis/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace sonde::analysis {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double share) {
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return values[below] + fraction * (values[above] - values[below]);
}

/// The probability that fewer than `successes` of `trials` fair coins show heads.
double fewer_than(std::size_t successes, std::size_t trials) {
  double term = std::pow(0.5, static_cast<double>(trials));
  double sum = 0;
  for (std::size_t heads = 0; heads < successes; ++heads) {
    sum += term;
    term *= static_cast<double>(trials - heads) / static_cast<double>(heads + 1);
  }
  return sum;
}

constexpr double least_half_width = 0.03;

/// The 97.5 % quantiles of Student's t, by degrees of freedom from one on.
constexpr std::array quantiles_of_t{12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                                    2.365,  2.306, 2.262, 2.228, 2.201, 2.179};

/// The first two derivatives of the logarithm of the gamma function, by their asymptotic series.
struct Polygamma {
  double first = 0;
  double second = 0;
};

Polygamma polygamma(double x) {
  Polygamma found;
  constexpr double far_enough = 6;
  for (; x < far_enough; ++x) {
    found.first -= 1 / x;
    found.second += 1 / (x * x);
  }
  const double square = 1 / (x * x);
  found.first += std::log(x) - 1 / (2 * x) - square * (1.0 / 12 - square / 120);
  found.second += 1 / x + square / 2 + square / x * (1.0 / 6 - square / 30);
  return found;
}

/// The logarithm of a variance is expected so much below that of the true one.
double bias_of_logarithm(double degrees) { return polygamma(degrees / 2).first - std::log(degrees / 2); }

/// A mean without the outermost numbers, its standard error and that one's degrees of freedom.
struct Trimmed {
  double mean = 0;
  double error = 0;
  std::size_t degrees = 0;
};

/// The mean of six or more numbers leaves some out at either end and keeps at least three: one moment in which others
/// had a cache must not widen what all others agree on (Tukey and McLaughlin, Sankhya A 25, 1963).
Trimmed trimmed(std::span<const double> numbers) {
  std::vector<double> all = sorted(numbers);
  const std::size_t cut = (std::max<std::size_t>(all.size(), 3) - 3) / 3;
  const double count = static_cast<double>(all.size());
  const std::size_t kept = all.size() - 2 * cut;
  Trimmed found{.degrees = kept - 1};
  for (std::size_t i = cut; i < cut + kept; ++i) found.mean += all[i] / static_cast<double>(kept);
  // A number that was left out counts as the outermost that is kept, about a mean of its own.
  for (double& one : all) one = std::clamp(one, all[cut], all[cut + kept - 1]);
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / count;
  double squares = 0;
  for (const double one : all) squares += (one - mean) * (one - mean);
  found.error = std::sqrt(squares / (count - 1) / count) * count / static_cast<double>(kept);
  return found;
}

}  // namespace

double quantile(std::span<const double> values, double share) { return quantile_of_sorted(sorted(values), share); }

std::vector<double> running_median(std::span<const double> values, std::size_t beside) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i < beside ? 0 : i - beside;
    const std::size_t to = std::min(values.size(), i + beside + 1);
    medians.push_back(quantile(values.subspan(from, to - from), 0.5));
  }
  return medians;
}

Summary summarize(std::span<const double> values) {
  if (values.empty()) return {};
  const std::vector<double> ordered = sorted(values);
  return {.lower_quartile = quantile_of_sorted(ordered, 0.25),
          .median = quantile_of_sorted(ordered, 0.5),
          .upper_quartile = quantile_of_sorted(ordered, 0.75)};
}

Interval median_interval(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  // The r-th smallest and r-th largest miss the median when fewer than r values lie on one side of it.
  std::size_t rank = 1;
  while (2 * (rank + 1) <= ordered.size() && 2 * fewer_than(rank + 1, ordered.size()) <= 0.05) ++rank;
  return {ordered[rank - 1], ordered[ordered.size() - rank]};
}

Estimate predicted(double value, std::span<const double> found, double variances) {
  if (found.size() < 2) {
    constexpr double endless = std::numeric_limits<double>::infinity();
    return {.low = -endless, .value = value, .high = endless};
  }
  const Trimmed of = trimmed(found);
  const double half = t_95(static_cast<double>(of.degrees)) * of.error * std::sqrt(variances);
  return {.low = std::min(value, of.mean - half), .value = value, .high = std::max(value, of.mean + half)};
}

Estimate predicted_above_zero(double value, std::span<const double> found, double variances) {
  std::vector<double> logarithms;
  for (const double one : found) logarithms.push_back(std::log(one));
  const Estimate of_logarithm = predicted(std::log(value), logarithms, variances);
  return {.low = std::min(std::exp(of_logarithm.low), value * (1 - least_half_width)),
          .value = value,
          .high = std::max(std::exp(of_logarithm.high), value * (1 + least_half_width))};
}

Estimate predicted_of_neighbours(double value, std::span<const double> found) {
  // The variance has two runs' means, and twice that of a single neighbour for the difference between runs.
  return predicted_above_zero(value, found, 2 * (1 + static_cast<double>(found.size())));
}

double among_others(double share) {
  constexpr double usual = 0.004;  // runs of a virtual machine had 0.15 to 22 %, those of a GPU of one's own 0 to 0.07
  return std::clamp(share / usual, 0.0, 1.0);
}

Estimate among(double value, std::span<const double> found) {
  const std::vector<double> all = sorted(found);
  return {.low = std::min(value, quantile_of_sorted(all, 0.025)),
          .value = value,
          .high = std::max(value, quantile_of_sorted(all, 0.975))};
}

Scatter scatter_of(std::span<const double> found) {
  if (found.size() < 2) return {};
  const Trimmed of = trimmed(found);
  return {of.error * of.error * static_cast<double>(found.size()), static_cast<double>(of.degrees)};
}

Scatter joined(const Scatter& one, const Scatter& other) {
  const double degrees = one.degrees + other.degrees;
  if (degrees == 0) return {};
  return {(one.variance * one.degrees + other.variance * other.degrees) / degrees, degrees};
}

Scatter common_scatter(std::span<const Scatter> each) {
  // Repetitions that a coarse clock makes equal are not known any better.
  constexpr double least_variance = 1e-8;
  // Fewer do not tell how much they differ.
  constexpr double least_count = 3;
  constexpr double usual_degrees = 4;
  constexpr double most_degrees = 50;
  double count = 0;
  double mean = 0;
  double squares = 0;
  double expected = 0;
  for (const Scatter& one : each) {
    if (one.degrees == 0) continue;
    const double unbiased = std::log(std::max(one.variance, least_variance)) - bias_of_logarithm(one.degrees);
    expected += polygamma(one.degrees / 2).second;
    ++count;
    const double before = unbiased - mean;
    mean += before / count;
    squares += before * (unbiased - mean);
  }
  if (count == 0) return {};
  double degrees = usual_degrees;
  if (count >= least_count) {
    // The logarithms differ by the scatters' own difference beyond what their degrees of freedom make them.
    const double excess = squares / (count - 1) - expected / count;
    degrees = most_degrees;
    while (degrees > 1 && polygamma(degrees / 2).second < excess) degrees *= 0.97;
  }
  return {std::exp(mean + bias_of_logarithm(degrees)), degrees};
}

double t_95(double degrees) {
  if (degrees <= 0) return std::numeric_limits<double>::infinity();
  constexpr double of_normal = 1.96;
  constexpr auto last = static_cast<double>(quantiles_of_t.size());
  if (degrees >= last) return of_normal + (quantiles_of_t.back() - of_normal) * last / degrees;
  // Between whole numbers it is nearly straight over their reciprocals.
  const auto below = static_cast<std::size_t>(std::max(1.0, degrees));
  const double whole = static_cast<double>(below);
  const double share = (1 / whole - 1 / std::max(1.0, degrees)) * whole * (whole + 1);
  return quantiles_of_t[below - 1] + share * (quantiles_of_t[below] - quantiles_of_t[below - 1]);
}

Answer answer(const Estimate& margin) {
  if (margin.low > 0) return Answer::yes;
  return margin.high <= 0 ? Answer::no : Answer::open;
}

}  // namespace sonde::analysis
