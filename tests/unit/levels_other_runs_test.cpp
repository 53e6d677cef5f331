// One run's levels against those that another run finds: on simulated machines on which each working set gets
// other memory, and takes a little longer or fits a little less.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "support/analytic_hierarchy.hpp"

namespace sonde::analysis {
namespace {

using test::AnalyticHierarchy;
using enum test::Policy;
using enum test::Index;

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

const AnalyticHierarchy machine{
    {{48 * kib, 12, lru, modulo, 1.6}, {2 * mib, 16, lru, hashed, 6}, {24 * mib, 12, random, hashed, 36}}, 110};

/// The changes that new memory makes, as standard deviations of logarithms. Runs differ by as much as one point of
/// theirs.
constexpr double latency_scatter = 0.03;
constexpr double size_scatter = 0.05;

class Allocations {
 public:
  explicit Allocations(std::uint64_t seed) : random_(seed), run_(std::exp(latency_scatter * normal_(random_))) {}

  double slower() { return run_ * std::exp(latency_scatter * normal_(random_)); }
  /// The nearest cache is found by addresses that a program knows, the others by the pages that it got.
  double fuller(double bytes) { return bytes < 256 * kib ? 1 : std::exp(size_scatter * normal_(random_)); }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double run_;
};

CurvePoint repeated(double bytes, double value) {
  CurvePoint point{.bytes = bytes, .values = {}};
  for (const double share : {-1.0, 0.4, -0.3, 0.0, 0.2, -0.5, 1.0}) point.values.push_back(value * (1 + share * 0.004));
  return point;
}

constexpr double share_on_a_busy_machine = 0.01;

LatencyCurves latency_run(std::uint64_t seed) {
  LatencyCurves curves = analytic_curves(machine, {.relative = 0.004}, seed);
  curves.share_of_others = share_on_a_busy_machine;
  Allocations memory(seed);
  for (CurvePoint& point : curves.cycle) {
    const double factor =
        cycle_ns(machine, point.bytes * memory.fuller(point.bytes)) / cycle_ns(machine, point.bytes) * memory.slower();
    for (double& value : point.values) value *= factor;
  }
  for (CurvePoint& point : curves.independent) {
    const double factor = independent_ns(machine, point.bytes * memory.fuller(point.bytes)) /
                          independent_ns(machine, point.bytes) * memory.slower();
    for (double& value : point.values) value *= factor;
  }
  return curves;
}

/// The cycle alone, at two sizes a doubling: what the further paths have at quick.
LatencyCurves sparse_run(std::uint64_t seed) {
  LatencyCurves curves{.cycle = {}, .independent = {}, .page = {}, .share_of_others = share_on_a_busy_machine};
  Allocations memory(seed);
  for (double bytes = 4 * kib; bytes < 300 * mib; bytes *= std::sqrt(2.0))
    curves.cycle.push_back(repeated(bytes, cycle_ns(machine, bytes * memory.fuller(bytes)) * memory.slower()));
  return curves;
}

std::vector<CurvePoint> bandwidth_run(std::uint64_t seed) {
  std::vector<CurvePoint> curve;
  Allocations memory(seed);
  for (double bytes = 4 * kib; bytes < 300 * mib; bytes *= std::exp2(0.25))
    curve.push_back(repeated(bytes, 600 / cycle_ns(machine, bytes * memory.fuller(bytes)) * memory.slower()));
  return curve;
}

using Numbers = std::map<std::string, Bracket>;

Numbers numbers_of(const std::vector<Level>& levels) {
  Numbers numbers;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    numbers[std::to_string(i + 1) + " ns"] = levels[i].latency_ns;
    if (levels[i].bytes) numbers[std::to_string(i + 1) + " bytes"] = *levels[i].bytes;
  }
  return numbers;
}

Numbers numbers_of(const std::vector<BandwidthLevel>& levels) {
  Numbers numbers;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    numbers[std::to_string(i + 1) + " GB/s"] = levels[i].gbps;
    if (levels[i].bytes) numbers[std::to_string(i + 1) + " bytes"] = *levels[i].bytes;
  }
  return numbers;
}

/// Expects that intervals hold other runs' values, by unit. Runs that see another number of levels do not count.
template <typename Find>
void expect_held(std::size_t least_runs, Find find) {
  std::vector<Numbers> runs;
  std::map<std::size_t, int> sizes;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    runs.push_back(find(seed));
    ++sizes[runs.back().size()];
  }
  const std::size_t usual = std::ranges::max_element(sizes, {}, &std::pair<const std::size_t, int>::second)->first;
  std::erase_if(runs, [usual](const Numbers& one) { return one.size() != usual; });
  ASSERT_GE(runs.size(), least_runs);
  std::map<std::string, std::pair<int, int>> held;
  for (const Numbers& one : runs) {
    for (const Numbers& other : runs) {
      if (&one == &other) continue;
      for (const auto& [name, bracket] : one) {
        const double value = other.at(name).value;
        auto& [inside, pairs] = held[name.substr(2)];
        inside += bracket.low <= value && value <= bracket.high ? 1 : 0;
        ++pairs;
      }
    }
  }
  // A size's interval is where the cache ends, 95 times in 100. Another run's value has an error of its own, as large,
  // so that it lies within 1.96 / sqrt(2) errors, which is 83 times in 100.
  for (const auto& [unit, count] : held) {
    const double least = unit == "bytes" ? 0.8 : 0.9;
    EXPECT_GE(count.first, least * count.second) << unit << " of " << count.second;
  }
}

TEST(LevelsInOtherRuns, HoldWhatThoseFindOfLatencies) {
  expect_held(7, [](std::uint64_t seed) { return numbers_of(find_levels(latency_run(seed)).levels); });
}

TEST(LevelsInOtherRuns, HoldWhatThoseFindOfAFewPoints) {
  expect_held(6, [](std::uint64_t seed) { return numbers_of(find_levels(sparse_run(seed)).levels); });
}

TEST(LevelsInOtherRuns, HoldWhatThoseFindOfBandwidths) {
  expect_held(6, [](std::uint64_t seed) { return numbers_of(find_bandwidth_levels(bandwidth_run(seed), 64)); });
}

/// What others leave of the last cache, as a share: more while the first sizes were measured than at the second visits
/// of those about its end.
LatencyCurves run_beside_others(double at_first, double later) {
  const auto left = [](double share) {
    AnalyticHierarchy all = machine;
    all.caches.back().bytes *= share;
    return all;
  };
  LatencyCurves curves;
  for (double bytes = 4 * kib; bytes < 300 * mib; bytes *= std::exp2(0.25)) {
    CurvePoint point = repeated(bytes, cycle_ns(left(at_first), bytes));
    curves.visits.push_back(point);
    if (bytes > 8 * mib && bytes < 40 * mib) {
      const CurvePoint second = repeated(bytes, cycle_ns(left(later), bytes));
      curves.visits.push_back(second);
      point.values.insert(point.values.end(), second.values.begin(), second.values.end());
    }
    curves.cycle.push_back(point);
  }
  return curves;
}

TEST(LevelsInOtherRuns, MayBeAtAnyMomentThatVisitsSaw) {
  const std::vector<Level> steady = find_levels(run_beside_others(0.9, 0.9)).levels;
  const std::vector<Level> moved = find_levels(run_beside_others(0.9, 0.45)).levels;
  const std::vector<Level> grown = find_levels(run_beside_others(0.45, 0.9)).levels;
  ASSERT_EQ(steady.size(), 4u);
  for (const std::vector<Level>& levels : {moved, grown}) {
    ASSERT_EQ(levels.size(), 4u);
    EXPECT_LT(levels[2].bytes->low, 0.55 * 24 * mib);
    EXPECT_GT(levels[2].bytes->high, 0.8 * 24 * mib);
  }
  EXPECT_GT(steady[2].bytes->low, 1.15 * moved[2].bytes->low);
  EXPECT_LT(moved[1].bytes->high, 1.3 * steady[1].bytes->high) << "a nearer cache is no matter of the last one's";
}

}  // namespace
}  // namespace sonde::analysis
