#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/levels/cache_shapes.hpp"

namespace sonde::analysis {

/// A point to be fitted: the logarithm of a latency and how far the model may miss it.
struct FitPoint {
  double log2_bytes = 0;
  double log_ns = 0;
  double sigma = 0.01;  ///< of log_ns
  double spread = 0;    ///< the part of it that the repetitions show
};

/// What FittedHierarchy's drift_scale is where plateaus are flat.
inline constexpr double nearly_no_drift = 0.1;
/// What its offset_sigma is on a GPU, which does one thing after the other, so that the arithmetic costs every level
/// the same, and on a CPU, which runs ahead and hides some of it behind one level and not behind another.
inline constexpr double same_offsets = 0.005;
inline constexpr double different_offsets = 0.1;

struct FitCurves {
  std::vector<FitPoint> cycle;
  std::vector<FitPoint> independent;
  double line_bytes = 64;
};

/// The same without independent accesses.
inline FitCurves cycle_alone(const FitCurves& curves) {
  return {.cycle = curves.cycle, .independent = {}, .line_bytes = curves.line_bytes};
}

/// Caches in front of memory, as a fit describes them. `log_ns` has one element more than the caches.
struct FittedHierarchy {
  std::vector<double> log2_bytes;  ///< capacities, the nearest first
  std::vector<const CacheShape*> shapes;
  std::vector<double> log_ns;
  std::vector<double> drift;           ///< of each level: relative rise of its latency per doubling beyond its start
  double drift_scale = 1;              ///< of how much those are expected to be: small where plateaus are flat
  std::vector<double> offset_ns;       ///< what the independent walk's arithmetic adds to a load of each level
  double offset_sigma = same_offsets;  ///< how far those may differ, as a share of the level's latency
  double cost = 0;                     ///< robust sum of squared residuals
};

/// Latency in ns that the hierarchy gives a cyclic walk, and independent accesses, over a working set.
double cyclic_ns(const FittedHierarchy& hierarchy, double log2_bytes);
double independent_ns(const FittedHierarchy& hierarchy, double log2_bytes);

/// Latency of one level at a working set, its drift included.
double level_ns(const FittedHierarchy& hierarchy, std::size_t level, double log2_bytes);

/// A level that serves such a share of the accesses is seen by itself.
inline constexpr double served_nearly_alone = 0.985;

/// Share of a cyclic walk's accesses that `level` serves.
double cyclic_share(const FittedHierarchy& hierarchy, std::size_t level, double log2_bytes);

/// The part of a fit's cost that independent accesses have.
double cost_of_independent(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// Least squares (Levenberg and Marquardt) from `start`, its shapes fixed; Huber's loss beyond 2.5 sigma.
FittedHierarchy fit(const FitCurves& curves, const FittedHierarchy& start, int most_iterations = 40);

}  // namespace sonde::analysis
