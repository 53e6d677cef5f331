// The model of a curve, against curves from closed formulas and against recorded ones.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "analysis/levels/levels.hpp"
#include "support/analytic_hierarchy.hpp"
#include "support/recorded_curve.hpp"

namespace sonde::analysis::curve {
namespace {

using enum test::Policy;
using enum test::Index;

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

TEST(CurveModel, FindsTheCachesThatMadeACurve) {
  const test::AnalyticHierarchy hierarchy{
      {{32 * kib, 8, lru, modulo, 1.2}, {1 * mib, 16, lru, modulo, 4}, {32 * mib, 16, random, hashed, 40}}, 320};
  const LatencyCurves curves = test::analytic_curves(hierarchy, {}, 1);
  const Hierarchy found = find_levels(curves);
  ASSERT_EQ(found.levels.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    const test::AnalyticCache& cache = hierarchy.caches[i];
    const Bracket& bytes = *found.levels[i].bytes;
    EXPECT_NEAR(bytes.value, cache.bytes, 0.05 * cache.bytes) << i;
    EXPECT_LE(bytes.low, cache.bytes) << i;
    EXPECT_GE(bytes.high, cache.bytes) << i;
    EXPECT_NEAR(found.levels[i].latency_ns.value, cache.latency_ns, 0.02 * cache.latency_ns) << i;
  }
  EXPECT_NEAR(found.levels[3].latency_ns.value, 320, 0.02 * 320);
}

TEST(CurveModel, FindsOneLevelInAFlatCurve) {
  LatencyCurves curves;
  for (double bytes = 4 * kib; bytes < 64 * mib; bytes *= 1.19) curves.cycle.push_back({bytes, std::vector(7, 5.0)});
  const Hierarchy found = find_levels(curves);
  ASSERT_EQ(found.levels.size(), 1u);
  EXPECT_FALSE(found.levels[0].bytes);
  EXPECT_NEAR(found.levels[0].latency_ns.value, 5, 0.01);
}

TEST(CurveModel, ReadsNothingFromTooFewPoints) { EXPECT_TRUE(find_levels({}).levels.empty()); }

TEST(CurveModel, GivesTheSameAgainWhateverTheUnit) {
  const LatencyCurves curves = test::recorded_machine("a40").curves;
  LatencyCurves in_cycles = curves;
  for (CurvePoint& point : in_cycles.cycle) {
    for (double& value : point.values) value *= 8;
  }
  const Hierarchy one = find_levels(curves);
  const Hierarchy again = find_levels(curves);
  const Hierarchy other = find_levels(in_cycles);
  ASSERT_EQ(one.levels.size(), other.levels.size());
  for (std::size_t i = 0; i + 1 < one.levels.size(); ++i) {
    EXPECT_EQ(one.levels[i].bytes->value, again.levels[i].bytes->value);
    EXPECT_NEAR(one.levels[i].bytes->value, other.levels[i].bytes->value, 0.01 * one.levels[i].bytes->value);
  }
}

/// A record of each kind: GPUs with the cycle alone, a CPU with all three orders, and one that ends in a climb.
TEST(CurveModel, FindsTheLevelsOfRecordedMachines) {
  for (const std::string name : {"gh200", "v100", "mi300x", "cpu-memory-climbs", "ends-in-transition"}) {
    const test::RecordedMachine machine = test::recorded_machine(name);
    const Hierarchy found = find_levels(machine.curves);
    ASSERT_EQ(found.levels.size(), machine.levels.size()) << name;
    for (std::size_t i = 0; i < found.levels.size(); ++i) {
      if (!machine.levels[i].bytes) continue;
      const Bracket& bytes = *found.levels[i].bytes;
      EXPECT_TRUE(machine.levels[i].bytes->overlaps(bytes.low, bytes.high)) << name << " level " << i + 1;
    }
  }
}

// A cycle alone leaves the policy open: so much is certain as was seen to fit.
TEST(CurveModel, BeginsABracketWhereACycleAloneLeavesThePlateau) {
  const Hierarchy found = find_levels(test::recorded_machine("quiet").curves);
  ASSERT_EQ(found.levels.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LE(found.levels[i].bytes->low, found.levels[i].onset_bytes * 1.0001);
}

}  // namespace
}  // namespace sonde::analysis::curve
