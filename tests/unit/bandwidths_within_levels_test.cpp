// The bandwidth of levels whose sizes are known: what the samples within them read.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

Level cache(double bytes, double end_over_size = 1.08) {
  Level level;
  level.bytes = Bracket{bytes / 1.02, bytes, bytes * 1.02};
  level.onset_bytes = bytes * 1.01;
  level.end_bytes = bytes * end_over_size;
  return level;
}

/// Visits of four sizes an octave, each of seven values with noise, whose median is what `gbps` says.
template <typename Gbps>
std::vector<CurvePoint> swept(double from, double to, double noise, std::uint64_t seed, Gbps gbps) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<CurvePoint> curve;
  for (double bytes = from; bytes <= to * 1.001; bytes *= std::exp2(0.25)) {
    CurvePoint point{.bytes = bytes, .values = {}};
    for (int i = 0; i < 7; ++i) point.values.push_back(gbps(bytes) * std::exp(normal(random)));
    curve.push_back(point);
  }
  return curve;
}

double three_levels(double bytes) { return bytes <= 16 * kib ? 1000 : bytes <= mib ? 300 : 60; }

/// 300 GB/s to 50 MiB and 60 GB/s behind it; of a larger set the cache serves as much as it holds.
double read_in_many_orders(double bytes) {
  const double share = std::min(1.0, 50 * mib / bytes);
  return 1 / (share / 300 + (1 - share) / 60);
}

double half_width(const Bracket& one) { return (one.high - one.low) / 2 / one.value; }

TEST(BandwidthsWithinLevels, AreWhatTheirSamplesRead) {
  const std::vector<Level> levels{cache(16 * kib), cache(mib), {}};
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto found = bandwidths_within(levels, swept(2 * kib, 16 * mib, 0.01, seed, three_levels));
    ASSERT_EQ(found.size(), 3u);
    for (const auto& [level, gbps] : {std::pair{0, 1000.0}, std::pair{1, 300.0}, std::pair{2, 60.0}}) {
      const Bracket& one = found[static_cast<std::size_t>(level)].value();
      EXPECT_NEAR(one.value / gbps, 1, 0.01) << seed;
      EXPECT_LT(half_width(one), 0.025) << seed;
      held += one.low <= gbps && gbps <= one.high ? 1 : 0;
    }
  }
  EXPECT_GE(held, 294);
}

TEST(BandwidthsWithinLevels, OfNeighboursThatReadTheSameAreToldBoth) {
  const std::vector<Level> levels{cache(16 * kib), cache(mib), {}};
  const auto found = bandwidths_within(
      levels, swept(2 * kib, 16 * mib, 0.01, 1, [](double bytes) { return bytes <= mib ? 300 : 60; }));
  EXPECT_NEAR(found[0].value().value, 300, 3);
  EXPECT_NEAR(found[1].value().value, 300, 3);
}

TEST(BandwidthsWithinLevels, AreUnknownWithoutASample) {
  const std::vector<Level> levels{cache(16 * kib), cache(mib), cache(64 * mib), {}};
  const auto found = bandwidths_within(levels, swept(32 * kib, 4 * mib, 0.01, 1, three_levels));
  EXPECT_FALSE(found[0]);
  EXPECT_NEAR(found[1].value().value, 300, 3);
  EXPECT_NEAR(found[2].value().value, 60, 1);
  EXPECT_FALSE(found[3]);
  EXPECT_TRUE(bandwidths_within({}, swept(kib, mib, 0.01, 1, three_levels)).empty());
  for (const auto& none : bandwidths_within(levels, {})) EXPECT_FALSE(none);
}

TEST(BandwidthsWithinLevels, OfASingleSampleAreAsUncertainAsOthersScatter) {
  const std::vector<Level> levels{cache(16 * kib), cache(mib), {}};
  std::vector<CurvePoint> curve = swept(2 * kib, mib, 0.01, 1, three_levels);
  curve.push_back({.bytes = 32 * mib, .values = {60, 60, 60, 60}});
  const Bracket memory = bandwidths_within(levels, curve).back().value();
  EXPECT_NEAR(memory.value, 60, 0.3);
  EXPECT_GT(half_width(memory), 0.008);
  EXPECT_LT(half_width(memory), 0.06);
}

TEST(BandwidthsWithinLevels, AreWithoutWhatNearerCachesServe) {
  const std::vector<Level> levels{cache(50 * mib), {}};
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<CurvePoint> curve = swept(mib, 400 * mib, 0.01, seed, read_in_many_orders);
    const Bracket memory = bandwidths_within(levels, curve).back().value();
    const double furthest = median_of(curve.back());
    EXPECT_LE(memory.value, furthest * 1.001) << "the nearest to memory that was seen";
    EXPECT_LE(memory.low, furthest);
    EXPECT_GE(memory.high, furthest);
    EXPECT_GT(memory.low, 54);
    held += memory.low <= 60 ? 1 : 0;
  }
  EXPECT_GE(held, 48);
}

TEST(BandwidthsWithinLevels, StandFarFromTheEndOfALongTransition) {
  const std::vector<SizeRange> sharp = well_within(std::vector<Level>{cache(mib, 1.05), {}});
  const std::vector<SizeRange> slow = well_within(std::vector<Level>{cache(mib, 4), {}});
  EXPECT_GT(sharp[0].high, 0.97 * mib);
  EXPECT_LT(slow[0].high, 0.8 * mib);
  EXPECT_LT(sharp[1].low, 1.05 * mib);
  EXPECT_GT(slow[1].low, 1.9 * mib);
}

}  // namespace
}  // namespace sonde::analysis
