#include "analysis/levels/translation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;
constexpr double page_bytes = 4096;
constexpr double level_ns = 3;

/// Curves of one level, that a walk in random order sees through `added_ns` of its bytes, and a walk with one line a
/// page through `added_to_pages_ns`.
LatencyCurves curves(const std::function<double(double)>& added_ns,
                     const std::function<double(double)>& added_to_pages_ns) {
  LatencyCurves all;
  for (double bytes = 1 * kib; bytes <= 256 * mib; bytes *= std::exp2(0.25)) {
    all.cycle.push_back({bytes, std::vector(7, level_ns + added_ns(bytes))});
    all.independent.push_back({bytes, std::vector(7, level_ns + 2 + added_ns(bytes))});
  }
  for (double bytes = 64 * kib; bytes <= 256 * mib; bytes *= 2)
    all.page.push_back({bytes, std::vector(7, level_ns + added_to_pages_ns(bytes))});
  return all;
}

double lowest(const std::vector<CurvePoint>& curve) {
  return std::ranges::min(curve, {}, [](const CurvePoint& point) { return point.values.front(); }).values.front();
}

double highest(const std::vector<CurvePoint>& curve) {
  return std::ranges::max(curve, {}, [](const CurvePoint& point) { return point.values.front(); }).values.front();
}

TEST(Translation, OfATableThatKeepsTheNewestIsTakenOff) {
  constexpr double reach = 96 * page_bytes;
  const auto random_order = [](double bytes) { return 1.6 * std::max(0.0, 1 - reach / bytes); };
  const auto in_turn = [](double bytes) { return bytes > reach ? 1.6 : 0; };
  const LatencyCurves measured = curves(random_order, in_turn);
  const std::vector<TranslationEdge> edges = translation_edges(measured);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].bytes, 256 * kib);
  EXPECT_NEAR(edges[0].added_ns, 1.6, 1e-9);
  const LatencyCurves without = without_translation(measured, edges);
  EXPECT_NEAR(lowest(without.cycle), level_ns, 0.03 * level_ns);
  EXPECT_NEAR(highest(without.cycle), level_ns, 0.03 * level_ns);
  EXPECT_NEAR(lowest(without.independent), level_ns + 2, 0.03 * level_ns);
  EXPECT_NEAR(highest(without.independent), level_ns + 2, 0.03 * level_ns);
}

// Far lines may also meet in the nearest cache's sets, which makes the walk with one line a page a little slower later
// on.
TEST(Translation, OfSuchATableIsTakenOffFromItsReachWhateverFollows) {
  constexpr double reach = 96 * page_bytes;
  const auto random_order = [](double bytes) { return 1.6 * std::max(0.0, 1 - reach / bytes); };
  const auto in_turn = [](double bytes) {
    return (bytes > reach ? 1.6 : 0) + (bytes > 512 * kib ? 0.15 : 0) + (bytes > 1 * mib ? 0.3 : 0);
  };
  LatencyCurves measured = curves(random_order, in_turn);
  const std::vector<TranslationEdge> edges = translation_edges(measured);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].bytes, 256 * kib);
  std::erase_if(measured.cycle, [](const CurvePoint& point) { return point.bytes > 1 * mib; });
  const LatencyCurves without = without_translation(measured, edges);
  EXPECT_NEAR(lowest(without.cycle), level_ns, 0.03 * level_ns);
  EXPECT_NEAR(highest(without.cycle), level_ns, 0.03 * level_ns);
}

// Its walk in turn misses in sets that chance has filled, where one in random order hardly does.
TEST(Translation, OfATableOfSetsTakesNothingOffThatIsTheLevels) {
  constexpr int sets = 512;
  constexpr int ways = 8;
  // Pages fall into sets by chance: Poisson.
  const auto share = [](double bytes, const std::function<double(int)>& missed) {
    const double mean = bytes / page_bytes / sets;
    double probability = std::exp(-mean);
    double sum = 0;
    for (int pages = 1; pages < 600; ++pages) {
      probability *= mean / pages;
      sum += probability * missed(pages);
    }
    return mean < 0.1 ? 0 : sum / mean;
  };
  const auto random_order = [&](double bytes) {
    return 20 * share(bytes, [](int pages) { return std::max(0, pages - ways); });
  };
  const auto in_turn = [&](double bytes) {
    return 20 * share(bytes, [](int pages) { return pages > ways ? pages : 0; });
  };
  const LatencyCurves measured = curves(random_order, in_turn);
  const std::vector<TranslationEdge> edges = translation_edges(measured);
  ASSERT_EQ(edges.size(), 1u);
  const LatencyCurves without = without_translation(measured, edges);
  EXPECT_GT(lowest(without.cycle), 0.99 * level_ns);
  // Most of it is taken off where it has come to its end.
  EXPECT_GT(measured.cycle.back().values.front(), level_ns + 18);
  EXPECT_LT(without.cycle.back().values.front(), level_ns + 5);
}

/// 5 ns up to 64 KiB, 20 beyond, and something else from 8 MiB on.
LatencyCurves curves_that_end_in(const std::function<double(double)>& ns) {
  LatencyCurves all;
  for (double bytes = 4 * kib; bytes <= 256 * mib; bytes *= std::exp2(0.125))
    all.cycle.push_back({bytes, std::vector(7, bytes <= 64 * kib ? 5 : bytes <= 8 * mib ? 20 : ns(bytes))});
  return all;
}

// A small climb may be translation where no walk went page by page.
TEST(Translation, MayBeALastSmallClimbOrOneWithoutAPlateau) {
  LatencyCurves small = curves_that_end_in([](double) { return 25.0; });
  const Hierarchy by_cycle = find_levels(small);
  ASSERT_EQ(by_cycle.levels.size(), 3u);
  EXPECT_TRUE(by_cycle.levels.back().may_be_translation);
  EXPECT_FALSE(by_cycle.levels.front().may_be_translation);
  for (const CurvePoint& point : small.cycle) {
    if (point.bytes >= 64 * kib) small.page.push_back({point.bytes, std::vector(7, 5.0)});
  }
  EXPECT_FALSE(find_levels(small).levels.back().may_be_translation);
  EXPECT_FALSE(find_levels(curves_that_end_in([](double) { return 60.0; })).levels.back().may_be_translation);
  const LatencyCurves rising = curves_that_end_in([](double bytes) { return 20 * std::sqrt(bytes / (8 * mib)); });
  EXPECT_TRUE(find_levels(rising).levels.back().may_be_translation);
}

TEST(Translation, IsNoneWhereLinesOfPagesTakeAsLongAsPackedOnes) {
  const LatencyCurves measured = curves([](double) { return 0; }, [](double) { return 0; });
  EXPECT_TRUE(translation_edges(measured).empty());
}

}  // namespace
}  // namespace sonde::analysis
