// Latencies of levels, as a walk reads them while something keeps memory awake.

#include "analysis/levels/levels.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sonde::analysis {
namespace {

using Curve = std::vector<CurvePoint>;

/// Two sizes a doubling from 1 KiB to 64 MiB.
Curve curve_of(double (*ns)(double bytes)) {
  Curve curve;
  for (int step = 0; step <= 32; ++step) {
    const double bytes = 1024 * std::exp2(step / 2.0);
    curve.push_back({.bytes = bytes, .values = std::vector<double>(5, ns(bytes))});
  }
  return curve;
}

/// 16 KiB at 40 ns, 1 MiB at 100 ns, memory at 600 ns asleep and at 300 ns awake.
double asleep_ns(double bytes) { return bytes <= 16384 ? 40 : bytes <= 1 << 20 ? 100 : 600; }
double awake_ns(double bytes) { return bytes <= 16384 ? 40 : bytes <= 1 << 20 ? 100 : 300; }

std::vector<Level> levels_of_both() {
  return {
      {.bytes = Bracket{16000, 16384, 16800}, .onset_bytes = 16384, .end_bytes = 17000, .latency_ns = {39, 40, 41}},
      {.bytes = Bracket{1e6, 1 << 20, 1.1e6}, .onset_bytes = 1 << 20, .end_bytes = 1.1e6, .latency_ns = {98, 100, 102}},
      {.latency_ns = {590, 600, 610}}};
}

TEST(KeptAwake, TheLatencyOfMemoryIsTheOneBesideTheStream) {
  const std::vector<Level> levels = awake_latency(levels_of_both(), curve_of(asleep_ns), curve_of(awake_ns));
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_DOUBLE_EQ(levels[0].latency_ns.value, 40);
  EXPECT_DOUBLE_EQ(levels[1].latency_ns.value, 100);
  EXPECT_NEAR(levels[2].latency_ns.value, 300, 1e-9);
  EXPECT_NEAR(levels[2].latency_ns.low, 295, 1e-9);
  EXPECT_NEAR(levels[2].latency_ns.high, 305, 1e-9);
  EXPECT_EQ(levels[1].bytes->value, 1 << 20);
}

TEST(KeptAwake, RoomThatTheStreamTakesInACacheIsNotReadAsItsLatency) {
  // The stream takes half of the larger cache: from 512 KiB on the walk beside it goes to memory.
  const Curve beside = curve_of([](double bytes) { return bytes <= 16384 ? 40.0 : bytes <= 512 << 10 ? 90.0 : 300.0; });
  const std::vector<Level> levels = awake_latency(levels_of_both(), curve_of(asleep_ns), beside);
  EXPECT_NEAR(levels[1].latency_ns.value, 90, 1e-9);
  EXPECT_EQ(levels[1].bytes->value, 1 << 20);
}

TEST(KeptAwake, BothHaveRoomUpToHalfOfACacheAndBeyondAllOfThem) {
  std::vector<Level> levels = levels_of_both();
  const std::vector<SizeRange> ranges = room_for_walk_and_stream(levels);
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_TRUE(ranges[0].holds(1024) && ranges[0].holds(7800));
  EXPECT_FALSE(ranges[0].holds(8192)) << "the stream would push lines of the walk out";
  EXPECT_FALSE(ranges[1].holds(16900)) << "part of it may be in the first cache";
  EXPECT_TRUE(ranges[1].holds(17100) && ranges[1].holds(499e3));
  EXPECT_FALSE(ranges[1].holds(500e3) || ranges[2].holds(500e3));
  EXPECT_TRUE(ranges[2].holds(1.2e6) && ranges[2].holds(1e12));
  levels[1].onset_bytes = 30e3;
  EXPECT_LT(room_for_walk_and_stream(levels)[1].high, 17000) << "no room at all";
}

TEST(KeptAwake, ALevelThatNoPointFallsIntoKeepsItsLatency) {
  Curve few = curve_of(awake_ns);
  std::erase_if(few, [](const CurvePoint& point) { return point.bytes > 16384; });
  const std::vector<Level> levels = awake_latency(levels_of_both(), curve_of(asleep_ns), few);
  EXPECT_DOUBLE_EQ(levels[1].latency_ns.value, 100);
  EXPECT_DOUBLE_EQ(levels[2].latency_ns.value, 600);
}

TEST(KeptAwake, APointBetweenTwoEdgesDoesNotTellALevel) {
  // Chance places the lines of 23 KiB, beside an edge at 16 KiB, so that half of them still hit the first cache.
  std::vector<Level> levels = levels_of_both();
  levels[1] = {
      .bytes = Bracket{58e3, 60e3, 62e3}, .onset_bytes = 58e3, .end_bytes = 62e3, .latency_ns = {98, 100, 102}};
  const auto lone = [](double bytes) { return bytes <= 16384 ? 40.0 : bytes <= 60e3 ? 100.0 : 600.0; };
  const auto beside = [](double bytes) {
    return bytes <= 16384 ? 40.0 : bytes < 24e3 ? 70.0 : bytes <= 60e3 ? 100.0 : 300.0;
  };
  levels = awake_latency(levels, curve_of(lone), curve_of(beside));
  EXPECT_DOUBLE_EQ(levels[0].latency_ns.value, 40);
  EXPECT_DOUBLE_EQ(levels[1].latency_ns.value, 100);
  EXPECT_NEAR(levels[2].latency_ns.value, 300, 1e-9);
}

TEST(KeptAwake, SizesBetweenThePointsOfTheLoneWalkAreReadBetweenThem) {
  Curve beside = curve_of(awake_ns);
  for (CurvePoint& point : beside) point.bytes *= 1.1;
  const std::vector<Level> levels = awake_latency(levels_of_both(), curve_of(asleep_ns), beside);
  EXPECT_NEAR(levels[2].latency_ns.value, 300, 1e-9);
}

}  // namespace
}  // namespace sonde::analysis
