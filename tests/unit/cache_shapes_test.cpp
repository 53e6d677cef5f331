// What the fit takes a cache's misses to be, against exact values and small simulations.

#include "analysis/levels/cache_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace sonde::analysis {
namespace {

using enum CacheShape::Index;
using enum CacheShape::Policy;

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

TEST(CacheShapes, ChanceMovesAHashedCacheAsFarAsInASimulation) {
  std::mt19937_64 random(1);
  constexpr int sets = 17;
  constexpr int ways = 12;
  const CacheShape shape(hashed, least_recent, ways);
  for (const int lines : {120, 152, 204, 260}) {
    double sum = 0;
    double squares = 0;
    constexpr int rounds = 4000;
    for (int round = 0; round < rounds; ++round) {
      const double share = missed(random, lines, sets, ways);
      sum += share;
      squares += share * share;
    }
    const double mean = sum / rounds;
    const double deviation = std::sqrt(squares / rounds - mean * mean);
    const double log2_rho = std::log2(static_cast<double>(lines) / (sets * ways));
    EXPECT_NEAR(shape.cyclic_miss(log2_rho), mean, 0.02) << lines;
    EXPECT_NEAR(shape.deviation_of_a_set(log2_rho) / std::sqrt(sets), deviation, 0.1 * deviation) << lines;
  }
}

TEST(CacheShapes, ChanceMovesIndependentHitsAsFarAsInASimulationAndNotAtAllFarBeyond) {
  std::mt19937_64 random(1);
  constexpr int sets = 17;
  constexpr int ways = 12;
  const CacheShape shape(hashed, least_recent, ways);
  for (const int lines : {180, 204, 260}) {
    double sum = 0;
    double squares = 0;
    constexpr int rounds = 4000;
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> in_set(sets);
      for (int line = 0; line < lines; ++line) ++in_set[random() % sets];
      double held = 0;
      for (const int count : in_set) held += std::min(count, ways);
      sum += held / lines;
      squares += held / lines * held / lines;
    }
    const double mean = sum / rounds;
    const double deviation = std::sqrt(squares / rounds - mean * mean);
    const double log2_rho = std::log2(static_cast<double>(lines) / (sets * ways));
    EXPECT_NEAR(shape.independent_deviation_of_a_set(log2_rho) / std::sqrt(sets), deviation, 0.1 * deviation) << lines;
  }
  EXPECT_LT(shape.independent_deviation_of_a_set(1.5), 0.01 * shape.independent_deviation_of_a_set(0));
}

TEST(CacheShapes, LinesThatFallIntoSetsInTurnLeaveNothingToChance) {
  for (const CacheShape& shape : cache_shapes()) {
    if (shape.index() == modulo) {
      EXPECT_EQ(shape.deviation_of_a_set(0), 0);
    } else {
      EXPECT_GT(shape.deviation_of_a_set(0), 0);
    }
  }
}

}  // namespace
}  // namespace sonde::analysis
