#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {
namespace {

/// A working set is well within a cache where it is so much of the cache's transition below its onset: a stream, whose
/// misses cost more than a walk's, hits all but always there.
constexpr double below_onset = 0.25;

/// Of a working set of N times a cache a stream finds a share of N to the power of -e in it: e is 1 where groups walk
/// in orders of their own, about 2.5 by random replacement; by the largest one there is nothing left, as by a strict
/// LRU.
constexpr double largest_exponent = 32;
constexpr std::size_t exponents = 8;

/// The scatter of all levels counts for each as much as so many of its own samples.
constexpr double samples_of_others = 3;
/// Samples are taken no further from their level than so many times their scatter.
constexpr double furthest = 2.5;
/// A sample's time less that of what nearer caches serve is at least so much of it.
constexpr double least_left = 0.05;

/// The time of a byte over a working set.
struct Sample {
  double bytes = 0;
  double time = 0;
};

/// A number that is believed to be normal.
struct Normal {
  double mean = 0;
  double variance = 0;
};

double weighted_median(std::vector<std::pair<double, double>> weighted) {
  std::ranges::sort(weighted);
  double left = std::transform_reduce(weighted.begin(), weighted.end(), 0.0, std::plus<>(),
                                      [](const auto& one) { return one.second; }) /
                2;
  for (const auto& [value, weight] : weighted) {
    if ((left -= weight) <= 0) return value;
  }
  return weighted.back().first;
}

/// The caches before a level, and the times that their bytes take.
struct Nearer {
  std::vector<double> bytes;
  std::vector<double> times;

  /// The share of a working set that they serve.
  [[nodiscard]] double share(double of_bytes, double exponent) const {
    return bytes.empty() ? 0 : std::min(1.0, std::pow(bytes.back() / of_bytes, exponent));
  }
  /// The time that this share takes.
  [[nodiscard]] double time(double of_bytes, double exponent) const {
    double time = 0;
    double before = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const double up_to = std::min(1.0, std::pow(bytes[i] / of_bytes, exponent));
      time += (up_to - before) * times[i];
      before = up_to;
    }
    return time;
  }
};

/// One level's logarithm of the time of a byte, if nearer caches serve what `exponent` says.
struct Reading {
  Normal log_time;
  double log_likelihood = 0;
  double degrees = 0;
  std::vector<double> residuals;
};

Reading reading(std::span<const Sample> samples, const Nearer& nearer, double exponent, double scatter) {
  std::vector<std::pair<double, double>> own;
  for (const auto& [bytes, time] : samples) {
    const double rest = std::max(1e-3, 1 - nearer.share(bytes, exponent));
    const double left = std::max(least_left * time, time - nearer.time(bytes, exponent));
    own.emplace_back(std::log(left / rest), (left / time) * (left / time));
  }
  Reading found;
  const double middle = weighted_median(own);
  std::vector<std::pair<double, double>> deviations;
  for (const auto& [log_time, weight] : own) deviations.emplace_back(std::abs(log_time - middle), weight);
  const double most = furthest * std::max(scatter, weighted_median(deviations) / deviation_of_normal);
  double weights = 0;
  double sum = 0;
  for (const auto& [log_time, weight] : own) {
    weights += weight;
    sum += weight * std::clamp(log_time - middle, -most, most);
  }
  found.log_time.mean = middle + sum / weights;
  double squares = samples_of_others * scatter * scatter;
  for (const auto& [log_time, weight] : own) {
    found.residuals.push_back(std::sqrt(weight) * std::clamp(log_time - found.log_time.mean, -most, most));
    squares += found.residuals.back() * found.residuals.back();
  }
  found.degrees = samples_of_others + static_cast<double>(own.size()) - 1;
  found.log_time.variance = squares / found.degrees * (1 + 1 / weights);
  found.log_likelihood = -0.5 * (std::log(weights) + found.degrees * std::log(squares));
  return found;
}

/// The exponents that are possible behind a cache: up to the one by which a walk finds little in it at the end of its
/// transition.
std::vector<double> exponents_behind(const Level* cache) {
  if (cache == nullptr) return {1};
  constexpr double found_at_end = 0.05;
  const double most =
      std::clamp(-std::log(found_at_end) / std::log(std::max(1.01, cache->end_bytes / cache->bytes->value)), 1.0,
                 largest_exponent);
  std::vector<double> all;
  for (std::size_t i = 0; i < exponents; ++i) all.push_back(std::pow(most, static_cast<double>(i) / (exponents - 1)));
  return all;
}

/// The readings by all exponents, the likeliest first.
std::vector<Reading> readings(std::span<const Sample> samples, const Nearer& nearer, const Level* before,
                              double scatter) {
  std::vector<Reading> all;
  for (const double exponent : exponents_behind(before)) all.push_back(reading(samples, nearer, exponent, scatter));
  std::ranges::stable_sort(all, std::greater<>(), &Reading::log_likelihood);
  return all;
}

/// The 97.5 % quantile of Student's t, within 1 % from three degrees of freedom on.
double t_95(double degrees) { return 1.96 + 2.4 / degrees + 3.8 / (degrees * degrees); }

/// What another sample would read: the average of all readings, each as likely as it explains the samples. It is
/// nowhere beyond them, and its interval holds the nearest of them.
Bracket averaged(std::span<const Reading> all, std::span<const Sample> samples) {
  double sum = 0;
  Normal mean;
  for (const Reading& one : all) {
    const double share = std::exp(one.log_likelihood - all.front().log_likelihood);
    sum += share;
    mean.mean += share * one.log_time.mean;
    mean.variance += share * (one.log_time.variance + one.log_time.mean * one.log_time.mean);
  }
  mean.mean /= sum;
  const double deviation = std::sqrt(std::max(0.0, mean.variance / sum - mean.mean * mean.mean));
  const double half = t_95(all.front().degrees) * deviation;
  Bracket gbps{std::exp(-mean.mean - half), std::exp(-mean.mean), std::exp(-mean.mean + half)};
  const auto distance = [&](const Sample& one) { return std::abs(std::log(one.time) - mean.mean); };
  const double nearest = 1 / std::ranges::min_element(samples, {}, distance)->time;
  const auto [fastest, slowest] = std::ranges::minmax(samples, {}, &Sample::time);
  gbps.value = std::clamp(gbps.value, 1 / slowest.time, 1 / fastest.time);
  gbps.low = std::min({gbps.low, gbps.value, nearest});
  gbps.high = std::max({gbps.high, gbps.value, nearest});
  return gbps;
}

}  // namespace

std::vector<SizeRange> well_within(std::span<const Level> levels) {
  std::vector<SizeRange> ranges;
  double low = 0;
  for (const Level& level : levels) {
    ranges.push_back({low, std::numeric_limits<double>::infinity()});
    if (!level.bytes) continue;
    ranges.back().high =
        std::min(level.bytes->low, level.onset_bytes * std::pow(level.onset_bytes / level.end_bytes, below_onset));
    low = std::max(level.bytes->high, std::sqrt(level.bytes->value * level.end_bytes));
  }
  return ranges;
}

std::vector<std::optional<Bracket>> bandwidths_within(std::span<const Level> levels,
                                                      std::span<const CurvePoint> visits) {
  const std::vector<SizeRange> ranges = well_within(levels);
  std::vector<std::vector<Sample>> samples(levels.size());
  std::vector<double> errors;
  for (const CurvePoint& visit : visits) {
    const Summary gbps = summarize(visit.values);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (!ranges[i].holds(visit.bytes)) continue;
      samples[i].push_back({visit.bytes, 1 / gbps.median});
      errors.push_back((gbps.upper_quartile - gbps.lower_quartile) / (2 * deviation_of_normal) / gbps.median *
                       std::sqrt(1.57 / static_cast<double>(visit.values.size())));
    }
  }
  std::vector<std::optional<Bracket>> found(levels.size());
  if (errors.empty()) return found;
  double scatter = std::max(1e-4, quantile(errors, 0.5));
  // The scatter of all levels is known once each has been read.
  for (const bool knows_scatter : {false, true}) {
    Nearer nearer;
    std::vector<double> residuals;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      double time = 0;  // where it is not known, a cache may take none
      if (!samples[i].empty()) {
        const auto all = readings(samples[i], nearer, i > 0 ? &levels[i - 1] : nullptr, scatter);
        const auto count = static_cast<double>(samples[i].size());
        for (const double one : all.front().residuals) {
          if (count > 1) residuals.push_back(std::abs(one) * std::sqrt(count / (count - 1)));
        }
        if (knows_scatter) found[i] = averaged(all, samples[i]);
        time = std::exp(all.front().log_time.mean);
      }
      if (levels[i].bytes) nearer.bytes.push_back(levels[i].bytes->value);
      nearer.times.push_back(time);
    }
    if (!residuals.empty()) scatter = std::max(scatter, quantile(residuals, 0.5) / deviation_of_normal);
  }
  return found;
}

}  // namespace sonde::analysis
