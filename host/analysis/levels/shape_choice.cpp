#include "analysis/levels/shape_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "analysis/levels/in_parallel.hpp"
#include "analysis/levels/step_evidence.hpp"

namespace sonde::analysis {
namespace {

constexpr double nearly_as_good = 6;
constexpr double log_likelihood_tolerated = 3;

/// Whether a cache may have a shape: one whose points scatter has its lines placed by chance, not in turn.
bool allowed(const CacheShape& shape, const std::vector<bool>& scattered, std::size_t cache) {
  return cache >= scattered.size() || !scattered[cache] || shape.index() == CacheShape::Index::hashed;
}

}  // namespace

const CacheShape& typical_hashed_shape() {
  return shape_of(CacheShape::Index::hashed, CacheShape::Policy::least_recent, 16);
}

void choose_shapes(const FitCurves& curves, FittedHierarchy& hierarchy, const std::vector<bool>& scattered) {
  const std::span<const CacheShape> shapes = cache_shapes();
  for (std::size_t cache = 0; cache < hierarchy.shapes.size(); ++cache) {
    if (allowed(*hierarchy.shapes[cache], scattered, cache)) continue;
    hierarchy.shapes[cache] = &typical_hashed_shape();
    hierarchy = fit(curves, hierarchy);
  }
  for (int round = 0; round < 3; ++round) {
    bool changed = false;
    for (std::size_t cache = 0; cache < hierarchy.shapes.size(); ++cache) {
      const std::vector<FittedHierarchy> fits = in_parallel(shapes.size(), [&](std::size_t i) {
        if (&shapes[i] == hierarchy.shapes[cache] || !allowed(shapes[i], scattered, cache)) return hierarchy;
        FittedHierarchy other = hierarchy;
        other.shapes[cache] = &shapes[i];
        return fit(curves, other, 12);
      });
      for (const FittedHierarchy& other : fits) {
        if (score(other, curves) < score(hierarchy, curves) - 0.01 &&
            (plausible(other, curves) || !plausible(hierarchy, curves))) {
          hierarchy = other;
          changed = true;
        }
      }
    }
    if (!changed) return;
  }
}

FittedHierarchy believable_by_another_shape(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  FittedHierarchy found;
  found.cost = std::numeric_limits<double>::infinity();
  const std::span<const CacheShape> shapes = cache_shapes();
  for (std::size_t cache = 0; cache < hierarchy.shapes.size(); ++cache) {
    const std::vector<FittedHierarchy> fits = in_parallel(shapes.size(), [&](std::size_t i) {
      FittedHierarchy other = hierarchy;
      other.shapes[cache] = &shapes[i];
      return fit(curves, other);
    });
    for (const FittedHierarchy& other : fits) {
      if (other.cost < found.cost && believable(other, curves)) found = other;
    }
  }
  return found;
}

double tolerated_cost(const FittedHierarchy& best, const FitCurves& curves) {
  const double points = static_cast<double>(curves.cycle.size() + curves.independent.size());
  return nearly_as_good * std::max(1.0, best.cost / points);
}

std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache,
                                          const std::vector<bool>& scattered, double tolerated) {
  std::vector<FittedHierarchy> all{best};
  const std::span<const CacheShape> shapes = cache_shapes();
  const std::vector<FittedHierarchy> fits = in_parallel(shapes.size(), [&](std::size_t i) {
    if (!allowed(shapes[i], scattered, cache)) return best;
    FittedHierarchy other = best;
    other.shapes[cache] = &shapes[i];
    return fit(curves, other, 20);
  });
  for (const FittedHierarchy& other : fits) {
    if (other.shapes[cache] != best.shapes[cache] && other.cost < best.cost + tolerated) all.push_back(other);
  }
  return all;
}

Bracket size_over(const std::vector<FittedHierarchy>& fits, const FittedHierarchy& best, std::size_t cache,
                  double tolerated) {
  double weights = 0;
  double sum = 0;
  double low = best.log2_bytes[cache];
  double high = low;
  for (const FittedHierarchy& fit : fits) {
    if (fit.cost > best.cost + tolerated) continue;
    const double weight = std::exp(log_likelihood_tolerated * (best.cost - fit.cost) / tolerated);
    weights += weight;
    sum += weight * fit.log2_bytes[cache];
    low = std::min(low, fit.log2_bytes[cache]);
    high = std::max(high, fit.log2_bytes[cache]);
  }
  return {std::exp2(low), std::exp2(sum / weights), std::exp2(high)};
}

}  // namespace sonde::analysis
