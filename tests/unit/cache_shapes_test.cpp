// The fit's shapes of a cache's misses, against exact values and small simulations.

#include "analysis/levels/cache_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace sonde::analysis {
namespace {

using enum CacheShape::Index;
using enum CacheShape::Replacement;

/// Share of a walk's lines that miss, of `lines` lines that fall into `sets` sets at random and are walked in turn.
double missed(std::mt19937_64& random, int lines, int sets, int ways) {
  std::vector<int> in_set(static_cast<std::size_t>(sets));
  for (int line = 0; line < lines; ++line) ++in_set[random() % in_set.size()];
  int missing = 0;
  for (const int count : in_set) missing += count > ways ? count : 0;
  return static_cast<double>(missing) / lines;
}

TEST(CacheShapes, OneLineTooManyOfRandomReplacementMissesExactlySoOften) {
  // A set of W ways walked by W + 1 lines: the one that is out is any of those not just used, h = (W - 1) / (W + 1).
  for (const int ways : {4, 8, 16}) {
    const CacheShape shape(modulo, random, ways);
    const double miss = shape.cyclic_miss(std::log2((ways + 1.0) / ways));
    EXPECT_NEAR(miss, 2.0 / (ways + 1), 0.01) << ways;
  }
}

TEST(CacheShapes, AHashedCacheMissesAsInASimulation) {
  std::mt19937_64 random(1);
  constexpr int sets = 17;
  constexpr int ways = 12;
  const CacheShape shape(hashed, least_recent, ways);
  for (const int lines : {120, 152, 204, 260}) {
    double sum = 0;
    constexpr int rounds = 4000;
    for (int round = 0; round < rounds; ++round) {
      sum += missed(random, lines, sets, ways);
    }
    const double mean = sum / rounds;
    const double log2_rho = std::log2(static_cast<double>(lines) / (sets * ways));
    EXPECT_NEAR(shape.cyclic_miss(log2_rho), mean, 0.02) << lines;
  }
}

TEST(CacheShapes, AHashedCacheIsHitByIndependentAccessesAsInASimulation) {
  std::mt19937_64 random(1);
  constexpr int sets = 17;
  constexpr int ways = 12;
  const CacheShape shape(hashed, least_recent, ways);
  for (const int lines : {180, 204, 260}) {
    double sum = 0;
    constexpr int rounds = 4000;
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> in_set(sets);
      for (int line = 0; line < lines; ++line) ++in_set[random() % sets];
      double held = 0;
      for (const int count : in_set) held += std::min(count, ways);
      sum += held / lines;
    }
    const double mean = sum / rounds;
    const double log2_rho = std::log2(static_cast<double>(lines) / (sets * ways));
    EXPECT_NEAR(shape.independent_hit(log2_rho), mean, 0.02) << lines;
  }
}

}  // namespace
}  // namespace sonde::analysis
