#pragma once

#include <cstdint>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::test {

enum class Policy { lru, random };
enum class Index { modulo, hashed };

struct AnalyticCache {
  double bytes = 0;
  unsigned ways = 16;
  Policy policy = Policy::lru;
  Index index = Index::modulo;
  double latency_ns = 0;
};

/// Fully associative, LRU; a load that misses takes `penalty_ns` longer. No entries: no page walk is taken.
struct AnalyticTranslation {
  double page_bytes = 4096;
  double entries = 0;
  double penalty_ns = 0;
};

/// A memory hierarchy whose curves follow from closed formulas: a second source beside the simulated device,
/// which walks caches. Each cache is filled by all misses above it, so that a formula of one cache holds for
/// the union.
struct AnalyticHierarchy {
  std::vector<AnalyticCache> caches;  ///< the nearest first
  double memory_ns = 0;
  double line_bytes = 64;
  AnalyticTranslation translation{};
};

/// The noise on the formulas' values: a Gaussian share, and now and then a repetition that takes a multiple.
struct Disturbance {
  double relative = 0.01;
  double outlier_share = 0.01;
  double outlier_factor = 3;
};

/// Share of a cache's hits in steady state, of a walk over a fixed permutation of `bytes` of lines.
double cycle_hit_share(const AnalyticCache& cache, double bytes);
/// The same, of loads from independent, uniformly random lines.
double independent_hit_share(const AnalyticCache& cache, double bytes);

double cycle_ns(const AnalyticHierarchy& hierarchy, double bytes);
double independent_ns(const AnalyticHierarchy& hierarchy, double bytes);
/// One line a page, over pages that span `bytes`.
double page_ns(const AnalyticHierarchy& hierarchy, double bytes);

/// The curves with their points where an adaptive sweep takes them: the cycle at 4 an octave from an eighth
/// of the first cache to 16 times the last, and every 3 % around onset and end of each transition;
/// independent lines at 1.2 to 8 times each cache, up to 0.8 of the next. The same seed gives the same
/// values.
analysis::LatencyCurves analytic_curves(const AnalyticHierarchy& hierarchy, const Disturbance& disturbance,
                                        std::uint64_t seed);

}  // namespace sonde::test
