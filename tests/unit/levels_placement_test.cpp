// A cache that is indexed by physical address, on a system that gives a working set whatever pages are free: each point
// of the curve lies on other pages, and some sets fill early by chance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double page_bytes = 4096;
constexpr int colours = 32;  // pages that lie in different sets
constexpr int ways = 16;
constexpr double true_bytes = colours * ways * page_bytes;  // 2 MiB
constexpr double near_ns = 6;
constexpr double far_ns = 38;
constexpr double last_bytes = 32768 * kib;  // the cache behind it, whose sets fill in turn
constexpr double memory_ns = 150;

struct Missed {
  double in_turn = 0;
  double at_random = 0;
};

Missed missed_on_new_pages(double bytes, std::mt19937_64& random) {
  const auto pages = static_cast<int>(bytes / page_bytes);
  std::vector<int> of_colour(colours);
  for (int page = 0; page < pages; ++page) ++of_colour[random() % colours];
  Missed missed;
  for (const int count : of_colour) {
    missed.in_turn += count > ways ? count : 0;
    missed.at_random += std::max(0, count - ways);
  }
  return {missed.in_turn / pages, missed.at_random / pages};
}

std::vector<double> repetitions(double ns, std::mt19937_64& random) {
  std::normal_distribution<double> noise(1, 0.005);
  std::vector<double> values;
  for (int i = 0; i < 7; ++i) values.push_back(ns * noise(random) * (random() % 50 == 0 ? 2 : 1));
  return values;
}

/// `shrunk_for_random`: how much smaller than it is the cache looks to independent accesses.
LatencyCurves curves(std::uint64_t seed, double shrunk_for_random = 1) {
  std::mt19937_64 random(seed);
  LatencyCurves curves;
  const auto sizes = [](double from, double to, double factor) {
    std::vector<double> all;
    for (double bytes = from; bytes < to; bytes *= factor) all.push_back(std::round(bytes / page_bytes) * page_bytes);
    return all;
  };
  std::vector<double> cycle = sizes(64 * kib, 4 * last_bytes, std::exp2(0.25));
  for (const double bytes : sizes(0.9 * last_bytes, 1.15 * last_bytes, 1.03)) cycle.push_back(bytes);
  for (const double bytes : sizes(1200 * kib, 3600 * kib, 1.06)) cycle.push_back(bytes);
  std::ranges::sort(cycle);
  const auto latency = [&](double missed, double missed_by_both) {
    return near_ns + missed * (far_ns - near_ns) + missed_by_both * (memory_ns - far_ns);
  };
  for (const double bytes : cycle) {
    const double missed = missed_on_new_pages(bytes, random).in_turn;
    curves.cycle.push_back({bytes, repetitions(latency(missed, bytes > last_bytes ? missed : 0), random)});
  }
  for (const double bytes : {700.0, 1100.0, 2100.0, 3200.0, 4600.0, 7000.0, 10500.0, 33000.0, 50000.0, 75000.0}) {
    const double seen = bytes * kib / shrunk_for_random;
    const double share = missed_on_new_pages(seen, random).at_random;
    const double by_both = std::max(0.0, 1 - last_bytes / (bytes * kib));
    curves.independent.push_back({bytes * kib, repetitions(latency(share, by_both) + 4, random)});
  }
  return curves;
}

TEST(PlacedByPages, TheSizeComesBackWithABracketThatHoldsIt) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Hierarchy found = find_levels(curves(seed));
    ASSERT_EQ(found.levels.size(), 3u) << seed;
    const Bracket& bytes = *found.levels[0].bytes;
    EXPECT_NEAR(bytes.value, true_bytes, 0.05 * true_bytes) << seed;
    held += bytes.low <= true_bytes && true_bytes <= bytes.high ? 1 : 0;
    EXPECT_NEAR(found.levels[0].latency_ns.value, near_ns, 0.02 * near_ns) << seed;
    EXPECT_NEAR(found.levels[1].latency_ns.value, far_ns, 0.02 * far_ns) << seed;
  }
  EXPECT_GE(held, 9);
}

TEST(PlacedByPages, AContradictionCostsCertaintyButNoLevel) {
  // Independent accesses see a cache of 0.7 times the size: as where others use a part of it.
  double width = 0;
  double contradicted_width = 0;
  int held = 0;
  int said = 0;
  int said_of_agreed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Level level = find_levels(curves(seed)).levels.at(0);
    const Bracket agreed = *level.bytes;
    said_of_agreed += level.disagreement ? 1 : 0;
    const Hierarchy found = find_levels(curves(seed, 0.7));
    ASSERT_EQ(found.levels.size(), 3u) << seed;
    const Bracket& bytes = *found.levels[0].bytes;
    said += found.levels[0].disagreement ? 1 : 0;
    // The bracket holds what the hits say and what the cycle says, and the value lies between.
    held += bytes.low <= 0.73 * true_bytes && bytes.high >= 0.9 * true_bytes ? 1 : 0;
    EXPECT_GE(bytes.value, 0.67 * true_bytes) << seed;
    EXPECT_LE(bytes.value, true_bytes) << seed;
    width += agreed.high / agreed.low - 1;
    contradicted_width += bytes.high / bytes.low - 1;
  }
  EXPECT_GE(held, 9);
  // Chance in the places of pages lets them exclude each other now and then too.
  EXPECT_GE(said, 6);
  EXPECT_GE(said, 2 * said_of_agreed);
  EXPECT_GT(contradicted_width, 1.2 * width);
}

}  // namespace
}  // namespace sonde::analysis
