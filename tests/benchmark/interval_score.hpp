#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"

namespace sonde::benchmark {

/// How 95 % intervals are judged: the interval score (Gneiting and Raftery, JASA 102, 2007) is the width and forty
/// times what is missed, so it is least for the interval between the 2.5 % and the 97.5 % quantile of what is believed.
class IntervalScores {
 public:
  /// `unit` is that of widths and errors, in each e-fold of the value: 1 / log(2) for octaves, 100 for percent.
  IntervalScores(std::string name, double unit, const char* unit_name)
      : name_(std::move(name)), unit_(unit), unit_name_(unit_name) {}

  /// The truth is anywhere from `least` to `most`.
  void add(const std::string& population, const analysis::Estimate& found, double least, double most) {
    const double width = unit_ * std::log(found.high / found.low);
    const double missed = unit_ * std::max({0.0, std::log(found.low / most), std::log(least / found.high)});
    const double off = unit_ * std::max({0.0, std::log(found.value / most), std::log(least / found.value)});
    Population& all = populations_[population];
    all.widths.push_back(width);
    all.scores.push_back(width + 40 * missed);
    all.errors.push_back(off);
    all.held += missed == 0 ? 1 : 0;
    // The half width is that on the side of the truth.
    const double half = unit_ * std::log(found.value > most ? found.value / found.low : found.high / found.value);
    all.shares.push_back(off == 0 ? 0 : off / std::max(half, 1e-9));
  }

  void print() const {
    for (const auto& [population, all] : populations_) {
      std::printf(
          "%s, %s: %zu, held %.1f %%, median width %.3f %s, interval score %.3f, mean error %.3f, 95 %% of errors "
          "within "
          "%.2f half widths\n",
          name_.c_str(), population.c_str(), all.widths.size(),
          100.0 * all.held / static_cast<double>(all.widths.size()), analysis::quantile(all.widths, 0.5), unit_name_,
          mean(all.scores), mean(all.errors), analysis::quantile(all.shares, 0.95));
    }
  }

 private:
  struct Population {
    std::vector<double> widths, scores, errors;
    std::vector<double> shares;  ///< of the half width on the truth's side
    int held = 0;
  };

  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }

  std::string name_;
  double unit_;
  const char* unit_name_;
  std::map<std::string, Population> populations_;
};

inline IntervalScores size_scores() { return {"sizes", 1 / std::log(2.0), "octaves"}; }
inline IntervalScores latency_scores() { return {"latencies", 100, "%"}; }

}  // namespace sonde::benchmark
