// The line of latency and rate through copies' times.

#include "analysis/copy_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace sonde::analysis {
namespace {

std::vector<CopyTime> on_a_line(double latency_ns, double gbps, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<CopyTime> times;
  for (double bytes = 4096; bytes <= 1 << 30; bytes *= 4) {
    const double factor = 1 + noise * (2 * std::uniform_real_distribution<>()(random) - 1);
    times.push_back({bytes, (latency_ns + bytes / gbps) * factor});
  }
  return times;
}

TEST(CopyLine, BothComeBack) {
  for (const auto& [latency_ns, gbps] : {std::pair{12e3, 84.0}, {10e3, 55.3}, {800.0, 12.0}, {30e3, 450.0}}) {
    const auto line = fit_copy_line(on_a_line(latency_ns, gbps, 0, 1));
    ASSERT_TRUE(line);
    EXPECT_NEAR(line->latency_ns, latency_ns, 1e-6 * latency_ns);
    EXPECT_NEAR(line->gbps, gbps, 1e-6 * gbps);
    EXPECT_LT(line->worst, 1e-6);
  }
}

TEST(CopyLine, NoiseMovesThemLittle) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto line = fit_copy_line(on_a_line(12e3, 84, 0.03, seed));
    ASSERT_TRUE(line);
    EXPECT_NEAR(line->latency_ns, 12e3, 0.05 * 12e3) << seed;
    EXPECT_NEAR(line->gbps, 84, 0.05 * 84) << seed;
  }
}

TEST(CopyLine, OneDisturbedSmallSizeDoesNotDecideTheLatency) {
  std::vector<CopyTime> times = on_a_line(12e3, 84, 0, 1);
  times[1].nanoseconds *= 3;
  const auto line = fit_copy_line(times);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->latency_ns, 12e3, 0.2 * 12e3);
  EXPECT_GT(line->worst, 0.5);
}

// A CPU: 40 GB/s from its caches, 8 from memory, 1 us for each copy.
TEST(CopyLine, CachesBetweenSmallAndLargeSpoilNeither) {
  std::vector<CopyTime> times;
  for (double bytes = 4096; bytes <= 256 << 20; bytes *= 4)
    times.push_back({bytes, 1000 + bytes / (bytes < 8e6 ? 40 : 8)});
  const auto line = fit_copy_line(times);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->latency_ns, 1000, 10);
  EXPECT_NEAR(line->gbps, 8, 0.1);
  EXPECT_GT(line->worst, 1);
}

TEST(CopyLine, WhereNoCopyIsShortEnoughThereIsNoLatency) {
  const auto line = fit_copy_line(on_a_line(1, 8, 0, 1));  // of 4 KiB, 1 ns in 513
  ASSERT_TRUE(line);
  EXPECT_EQ(line->latency_ns, 0);
}

TEST(CopyLine, NothingIsMadeOfTooLittle) {
  EXPECT_FALSE(fit_copy_line({}));
  EXPECT_FALSE(fit_copy_line(std::vector<CopyTime>{{4096, 12e3}}));
  EXPECT_FALSE(fit_copy_line(std::vector<CopyTime>{{4096, 12e3}, {4096, 13e3}}));
  EXPECT_FALSE(fit_copy_line(std::vector<CopyTime>{{4096, 12e3}, {1 << 20, 11e3}}));
}

}  // namespace
}  // namespace sonde::analysis
