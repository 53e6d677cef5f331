// Times over the size of a copy: known latencies and rates, nasty noise, and what must stay undecided.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "analysis/size_curves.hpp"
#include "analysis/statistics.hpp"

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

constexpr double mib = 1 << 20;

using Verdict = ImplicitCopy::Verdict;

/// The verdict on other runs with one-sided noise of their own, and their medians.
ImplicitCopy found_in(const std::function<double(double)>& ns, double copy_gbps, double noise = 0,
                      std::uint64_t seed = 1, double largest = 256 * mib) {
  constexpr std::size_t runs = 50;
  std::mt19937_64 random(seed);
  std::vector<std::vector<CopyTime>> each(runs);
  std::vector<CopyTime> all;
  for (double bytes = mib / 16; bytes <= largest; bytes *= 4) {
    std::vector<double> times;
    for (std::vector<CopyTime>& run : each) {
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
      times.push_back(ns(bytes) * (1 + noise * uniform));
      run.push_back({.bytes = bytes, .nanoseconds = times.back()});
    }
    all.push_back({.bytes = bytes, .nanoseconds = quantile(times, 0.5)});
  }
  return find_implicit_copy(all, each, copy_gbps);
}

TEST(ImplicitCopy, FlatTimesAreNone) {
  for (const double base : {2e3, 20e3, 500e3}) {
    EXPECT_EQ(found_in([=](double) { return base; }, 10).verdict, Verdict::none);
    EXPECT_EQ(found_in([=](double) { return base; }, 10, 0.5).verdict, Verdict::none);
  }
}

TEST(ImplicitCopy, ACopyComesBackWithItsRateWhateverTheOther) {
  for (const double gbps : {3.0, 12.0, 55.0}) {
    for (const double asked : {0.5 * gbps, gbps, 2.5 * gbps}) {
      for (std::uint64_t seed = 1; seed < 20; ++seed) {
        const ImplicitCopy found = found_in([=](double bytes) { return 20e3 + bytes / gbps; }, asked, 0.05, seed);
        // Faster than a third of what was asked for is another engine's copy; slower is one as well.
        ASSERT_EQ(found.verdict, Verdict::copy) << gbps << " beside " << asked << ": " << found.why;
        EXPECT_NEAR(found.gbps.value, gbps, 0.1 * gbps);
        EXPECT_LT(found.gbps.low, found.gbps.value);
        EXPECT_GT(found.gbps.high, found.gbps.value);
      }
    }
  }
}

TEST(ImplicitCopy, AMuchSmallerSlopeIsMaintenance) {
  const ImplicitCopy found = found_in([](double bytes) { return 20e3 + bytes / 120; }, 10, 0.03);
  EXPECT_EQ(found.verdict, Verdict::maintenance);
  EXPECT_NEAR(found.gbps.value, 120, 12);
}

TEST(ImplicitCopy, AFewMicrosecondsMoreToAFarWordAreNone) {
  EXPECT_EQ(found_in([](double bytes) { return bytes > 16 * mib ? 9e3 : 3e3; }, 10).verdict, Verdict::none);
}

TEST(ImplicitCopy, NoiseInWhichACopyWouldDrownIsUnclear) {
  const ImplicitCopy found = found_in([](double) { return 40e6; }, 10, 0.9);
  EXPECT_EQ(found.verdict, Verdict::unclear);
  EXPECT_TRUE(found.is_open);
  EXPECT_NE(found.why.find("idle machine"), std::string::npos) << found.why;
}

TEST(ImplicitCopy, ADisturbedRoundOverTheLeastHidesNoCopy) {
  const ImplicitCopy found =
      found_in([](double bytes) { return bytes < mib / 8 ? 30e6 : 20e3 + bytes / 10; }, 10, 0.05);
  EXPECT_EQ(found.verdict, Verdict::copy) << found.why;
}

TEST(ImplicitCopy, GrowthThatIsNoLineIsUnclear) {
  const ImplicitCopy found = found_in([](double bytes) { return bytes < 8 * mib ? 20e3 + bytes / 2 : 8e6; }, 20);
  EXPECT_EQ(found.verdict, Verdict::unclear) << found.gbps.value;
}

TEST(ImplicitCopy, TooFewSizesOrNothingToCompareWithIsUnclear) {
  const auto flat = [](double) { return 20e3; };
  for (const ImplicitCopy& found :
       {find_implicit_copy({}, {}, 10), found_in(flat, 10, 0, 1, mib / 4), found_in(flat, 0)}) {
    EXPECT_EQ(found.verdict, Verdict::unclear);
    EXPECT_FALSE(found.is_open);
  }
}

}  // namespace
}  // namespace sonde::analysis
