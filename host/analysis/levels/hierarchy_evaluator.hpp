#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "analysis/levels/hierarchy_fit.hpp"

namespace sonde::analysis {

/// A hierarchy with what every evaluation needs worked out once.
class Evaluator {
 public:
  explicit Evaluator(const FittedHierarchy& hierarchy)
      : hierarchy_(hierarchy), caches_(hierarchy.log2_bytes.size()), shares_(caches_ + 1) {
    for (const double log_ns : hierarchy.log_ns) ns_.push_back(std::exp(log_ns));
  }

  /// Share of a cyclic walk's accesses that each level serves. A cache sees only the lines that the ones before it
  /// miss.
  const std::vector<double>& cyclic_shares(double log2_bytes) {
    double beyond = 1;
    for (std::size_t cache = 0; cache < caches_; ++cache) {
      const double seen = beyond < 1 ? log2_bytes + std::log2(std::max(beyond, 1e-9)) : log2_bytes;
      const double missed =
          beyond > 1e-6 ? beyond * hierarchy_.shapes[cache]->cyclic_miss(seen - hierarchy_.log2_bytes[cache]) : 0;
      shares_[cache] = beyond - missed;
      beyond = missed;
    }
    shares_[caches_] = beyond;
    return shares_;
  }

  /// The same of independent accesses: every line is as likely as any other, so all caches down to one hold what that
  /// one holds.
  const std::vector<double>& independent_shares(double log2_bytes) {
    double beyond = 1;
    for (std::size_t cache = 0; cache < caches_; ++cache) {
      const double hit = hierarchy_.shapes[cache]->independent_hit(log2_bytes - hierarchy_.log2_bytes[cache]);
      const double missed = std::min(beyond, 1 - hit);
      shares_[cache] = beyond - missed;
      beyond = missed;
    }
    shares_[caches_] = beyond;
    return shares_;
  }

  double cyclic_ns(double log2_bytes) {
    const std::vector<double>& shares = cyclic_shares(log2_bytes);
    double sum = 0;
    for (std::size_t level = 0; level <= caches_; ++level) sum += shares[level] * level_ns(level, log2_bytes);
    return sum;
  }

  double independent_ns(double log2_bytes) {
    const std::vector<double>& shares = independent_shares(log2_bytes);
    double sum = 0;
    for (std::size_t level = 0; level <= caches_; ++level) {
      sum += shares[level] * (level_ns(level, log2_bytes) + std::max(0.0, hierarchy_.offset_ns[level]));
    }
    return sum;
  }

  double level_ns(std::size_t level, double log2_bytes) const {
    return ns_[level] * std::max(least_drift, 1 + hierarchy_.drift[level] * octaves(level, log2_bytes));
  }

  /// d level_ns / d drift.
  double drift_slope(std::size_t level, double log2_bytes) const {
    const double beyond = octaves(level, log2_bytes);
    return 1 + hierarchy_.drift[level] * beyond > least_drift ? ns_[level] * beyond : 0;
  }

 private:
  static constexpr double least_drift = 0.2;

  double octaves(std::size_t level, double log2_bytes) const {
    return std::clamp(log2_bytes - (level == 0 ? log2_bytes : hierarchy_.log2_bytes[level - 1]), 0.0, 12.0);
  }

  const FittedHierarchy& hierarchy_;
  std::size_t caches_;
  std::vector<double> ns_;
  std::vector<double> shares_;
};

}  // namespace sonde::analysis
