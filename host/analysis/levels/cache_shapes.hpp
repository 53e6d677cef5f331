#pragma once

#include <span>
#include <vector>

namespace sonde::analysis {

/// The growth of one cache's misses with the working set, for one replacement policy, index and number of ways, in
/// tables over the logarithm of rho = lines of the working set / lines of the cache (docs/level-model.md).
struct CacheShape {
  enum class Index { modulo, hashed };
  enum class Replacement { least_recent, random, between };

  CacheShape(Index index, Replacement policy, int ways);

  /// Share of a cyclic walk's accesses that miss.
  double cyclic_miss(double log2_rho) const { return at(cyclic_miss_, log2_rho); }
  /// Share of independent, uniformly random accesses that hit.
  double independent_hit(double log2_rho) const { return at(independent_hit_, log2_rho); }

  Index index;
  Replacement policy;
  int ways;

 private:
  static double at(const std::vector<double>& table, double log2_rho);

  std::vector<double> cyclic_miss_;
  std::vector<double> independent_hit_;
};

/// Every shape that a fit may choose from, made once.
std::span<const CacheShape> cache_shapes();

/// The shape of cache_shapes() with these properties, which has to be among them.
const CacheShape& shape_of(CacheShape::Index index, CacheShape::Replacement policy, int ways);

}  // namespace sonde::analysis
