// A hashed cache of few sets: chance decides how many lines each set gets, differently for every working set.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {
namespace {

constexpr double line_bytes = 64;
constexpr int sets = 26;
constexpr int ways = 4;
constexpr double true_bytes = sets * ways * line_bytes;  // 6.5 KiB
constexpr double near_ns = 9;
constexpr double far_ns = 32;
constexpr double arithmetic_ns = 4;

struct Missed {
  double in_turn = 0;
  double at_random = 0;
};

Missed missed_by_chance(double bytes, std::mt19937_64& random) {
  const auto lines = static_cast<int>(bytes / line_bytes);
  std::vector<int> of_set(sets);
  for (int line = 0; line < lines; ++line) ++of_set[random() % sets];
  Missed missed;
  for (const int count : of_set) {
    missed.in_turn += count > ways ? count : 0;
    missed.at_random += std::max(0, count - ways);
  }
  return {missed.in_turn / lines, missed.at_random / lines};
}

/// Twelve, spread over `allocations`, as the latency probe's are.
std::vector<double> repetitions(double bytes, double Missed::* share, double more_ns, int allocations,
                                std::mt19937_64& random) {
  std::normal_distribution<double> noise(1, 0.01);
  std::vector<double> values;
  for (int allocation = 0; allocation < allocations; ++allocation) {
    const double ns = near_ns + missed_by_chance(bytes, random).*share * (far_ns - near_ns) + more_ns;
    for (int i = 0; i < 12 / allocations; ++i) values.push_back(ns * noise(random));
  }
  return values;
}

LatencyCurves curves(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LatencyCurves curves;
  const auto whole = [](double bytes) { return std::round(bytes / line_bytes) * line_bytes; };
  const auto add_cycle = [&](double bytes, int allocations) {
    curves.cycle.push_back({whole(bytes), repetitions(whole(bytes), &Missed::in_turn, 0, allocations, random)});
  };
  for (double bytes = 1024; bytes < 262144; bytes *= std::exp2(0.25)) add_cycle(bytes, 1);
  for (double bytes = 2400; bytes < 14000; bytes *= 1.06) add_cycle(bytes, 4);
  std::ranges::sort(curves.cycle, {}, &CurvePoint::bytes);
  for (const double bytes : {1024.0, 1664.0, 4288.0, 6464.0, 9472.0, 14208.0, 17600.0, 21504.0, 26000.0}) {
    curves.independent.push_back({bytes, repetitions(bytes, &Missed::at_random, arithmetic_ns, 4, random)});
  }
  return curves;
}

TEST(FewLines, IndependentAccessesTellTheSizeThatChanceHidesFromTheCycle) {
  double error = 0;
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Hierarchy found = find_levels(curves(seed));
    ASSERT_EQ(found.levels.size(), 2u) << seed;
    const Bracket& bytes = *found.levels[0].bytes;
    EXPECT_NEAR(bytes.value, true_bytes, 0.06 * true_bytes) << seed;
    error += std::abs(bytes.value / true_bytes - 1);
    held += bytes.low <= true_bytes && true_bytes <= bytes.high ? 1 : 0;
  }
  EXPECT_LT(error / 20, 0.02);
  EXPECT_GE(held, 19);
}

/// Two hashed caches, the second six times the first: both fade in slowly, so that hardly a point is served by the
/// second alone. A thousand lines of it lie in 230 sets, of which at first only one or two overflow.
struct CloseCaches {
  static constexpr std::size_t first_sets = 9;
  static constexpr std::size_t first_ways = 16;
  static constexpr std::size_t second_sets = 230;
  static constexpr std::size_t second_ways = 4;
  static constexpr double first_ns = 9;
  static constexpr double second_ns = 34;
  static constexpr double memory_ns = 135;

  /// The values of one placement of the lines.
  static double mean_ns(double bytes, bool in_turn, std::mt19937_64& random) {
    const auto lines = static_cast<std::size_t>(bytes / line_bytes);
    std::vector<std::size_t> set_of_line(lines);
    std::vector<std::size_t> in_first(first_sets);
    std::vector<std::size_t> in_second(second_sets);
    for (std::size_t& set : set_of_line) ++in_first[set = random() % first_sets];
    double past_first = 0;
    double past_second = 0;
    if (in_turn) {
      // The second cache sees only what the first misses, and of a set that overflows all is missed.
      for (const std::size_t set : set_of_line) {
        if (in_first[set] <= first_ways) continue;
        ++past_first;
        ++in_second[random() % second_sets];
      }
      for (const std::size_t count : in_second) past_second += count > second_ways ? static_cast<double>(count) : 0;
    } else {
      for (std::size_t line = 0; line < lines; ++line) ++in_second[random() % second_sets];
      for (const std::size_t count : in_first) past_first += static_cast<double>(count - std::min(count, first_ways));
      for (const std::size_t count : in_second)
        past_second += static_cast<double>(count - std::min(count, second_ways));
    }
    return first_ns +
           (past_first * (second_ns - first_ns) + past_second * (memory_ns - second_ns)) / static_cast<double>(lines);
  }
};

LatencyCurves close_caches(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, 0.01);
  const auto point = [&](double kib, bool in_turn, int placements) {
    CurvePoint one{.bytes = std::round(kib * 1024 / line_bytes) * line_bytes, .values = {}};
    for (int placement = 0; placement < placements; ++placement) {
      const double ns = CloseCaches::mean_ns(one.bytes, in_turn, random) + (in_turn ? 0 : arithmetic_ns);
      for (int i = 0; i < std::max(1, 12 / placements); ++i) one.values.push_back(ns * noise(random));
    }
    return one;
  };
  LatencyCurves curves;
  for (double kib = 1; kib < 1024; kib *= std::exp2(0.25)) curves.cycle.push_back(point(kib, true, 1));
  const std::pair<double, double> close[] = {{5.2, 6.7}, {11.5, 15.8}, {19.2, 26.0}, {32.2, 35.0}, {92.0, 104.0}};
  for (const auto& [from, to] : close) {
    for (double kib = from; kib < to; kib *= 1.045) curves.cycle.push_back(point(kib, true, kib < 32 ? 4 : 2));
  }
  std::ranges::sort(curves.cycle, {}, &CurvePoint::bytes);
  for (const double kib : {2.8, 4.5, 9.0, 13.5, 20.0, 24.0, 30.0, 36.0, 58.0, 87.0, 128.0, 190.0, 290.0})
    curves.independent.push_back(point(kib, false, kib < 32 ? 16 : 2));
  return curves;
}

TEST(FewLines, ALevelBetweenTwoThatFadeInSlowlyHasItsLatency) {
  constexpr int times = 40;
  std::vector<double> errors;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= times; ++seed) {
    const Hierarchy found = find_levels(close_caches(seed));
    ASSERT_EQ(found.levels.size(), 3u) << seed;
    errors.push_back(found.levels[1].latency_ns.value / CloseCaches::second_ns - 1);
    squares += errors.back() * errors.back();
  }
  // The formula has every line of the cycle in the second cache's sets, where only the first one's misses are: it takes
  // some of memory's latency for the level's.
  EXPECT_LT(std::sqrt(squares / times), 0.03);
  EXPECT_NEAR(quantile(errors, 0.5), 0, 0.03);
}

TEST(FewLines, PointsThatHadNotSettledDoNotMoveALevel) {
  // All from half the size to four times it read 10 % high, as while a cache still takes the working set in.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    LatencyCurves slow = curves(seed);
    for (CurvePoint& point : slow.cycle) {
      if (point.bytes < true_bytes / 2 || point.bytes > 4 * true_bytes) continue;
      point.settling = 0.1;
      for (double& value : point.values) value *= 1.1;
    }
    const Hierarchy found = find_levels(slow);
    ASSERT_EQ(found.levels.size(), 2u) << seed;
    EXPECT_NEAR(found.levels[0].bytes->value, true_bytes, 0.06 * true_bytes) << seed;
    EXPECT_NEAR(found.levels[1].latency_ns.value, far_ns, 0.02 * far_ns) << seed;
  }
}

}  // namespace
}  // namespace sonde::analysis
