// The caches against formulas and against a plain list in order of use.

#include "device/model/cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <list>

#include "device/model/storage.hpp"
#include "model_walk.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t capacity = 4096;  // lines

ModelLevel level(std::uint32_t ways, Policy policy, bool hashed) {
  ModelLevel result;
  result.bytes = std::uint64_t{capacity} * 64;
  result.ways = ways;
  result.policy = policy;
  result.hashed = hashed;
  return result;
}

/// Whether the line was held; otherwise it took the place of another.
bool touch(Cache& cache, std::uint32_t line) {
  static std::vector<LineRequest> requests;
  requests.assign({{line, 0}});
  return cache.keep_misses(requests) == 1;
}

/// Share of hits over some laps of a fixed random order, after laps to settle.
double cyclic_hits(const ModelLevel& of, double footprint, int settle = 12, int laps = 12) {
  Cache cache(of, 7);
  const auto order = random_order(static_cast<std::uint32_t>(footprint * capacity), 5);
  for (int lap = 0; lap < settle; ++lap) {
    for (const std::uint32_t line : order) touch(cache, line);
  }
  std::uint64_t hits = 0;
  for (int lap = 0; lap < laps; ++lap) {
    for (const std::uint32_t line : order) hits += touch(cache, line) ? 1 : 0;
  }
  return static_cast<double>(hits) / (static_cast<double>(laps) * static_cast<double>(order.size()));
}

/// Share of hits of independent, evenly distributed lines.
double independent_hits(const ModelLevel& of, double footprint) {
  Cache cache(of, 7);
  Random random(3);
  const auto lines = static_cast<std::uint32_t>(footprint * capacity);
  for (std::uint32_t i = 0; i < 15 * capacity; ++i) touch(cache, random.below(lines));
  std::uint64_t hits = 0;
  constexpr std::uint32_t count = 50 * capacity;
  for (std::uint32_t i = 0; i < count; ++i) hits += touch(cache, random.below(lines)) ? 1 : 0;
  return static_cast<double>(hits) / count;
}

double poisson(double mean, int k) {
  double chance = std::exp(-mean);
  for (int i = 1; i <= k; ++i) chance *= mean / i;
  return chance;
}

double hashed_lru_formula(double rho, int ways) {
  double below = 0;
  for (int k = 0; k < ways; ++k) below += poisson(rho * ways, k);
  return below;
}

double hashed_independent_formula(double rho, int ways) {
  double held = 0;
  for (int k = 0; k < 40 * ways; ++k) held += std::min(k, ways) * poisson(rho * ways, k);
  return held / (rho * ways);
}

double random_formula(double rho) {  // h = exp(-rho (1 - h)), the solution below 1
  double h = 0;
  for (int i = 0; i < 2000; ++i) h = std::exp(-rho * (1 - h));
  return h;
}

TEST(ModelCache, CyclicLruHoldsAllUpToCapacityAndNothingBeyond) {
  EXPECT_EQ(cyclic_hits(level(capacity, Policy::lru, false), 1.0), 1);
  EXPECT_EQ(cyclic_hits(level(capacity, Policy::lru, false), 1.001), 0);
  EXPECT_EQ(cyclic_hits(level(16, Policy::lru, false), 1.0), 1);
  EXPECT_EQ(cyclic_hits(level(16, Policy::lru, false), 1.0 + 1.0 / 16), 0);
}

TEST(ModelCache, CyclicLruModuloFallsLinearlyToOneMoreWay) {
  for (const double rho : {1.02, 1.1, 1.2}) {
    EXPECT_NEAR(cyclic_hits(level(4, Policy::lru, false), rho), 1 - (rho - 1) * 5 / rho, 0.005) << rho;
  }
}

TEST(ModelCache, CyclicRandomFollowsLambertW) {
  for (const double rho : {1.1, 1.2, 1.5, 2.0, 3.0}) {
    EXPECT_NEAR(cyclic_hits(level(capacity, Policy::random, false), rho), random_formula(rho), 0.012) << rho;
    EXPECT_NEAR(cyclic_hits(level(64, Policy::random, false), rho), random_formula(rho), 0.03) << rho;
  }
}

TEST(ModelCache, CyclicHashedLruFollowsPoisson) {
  for (const int ways : {4, 16}) {
    for (const double rho : {0.7, 1.0, 1.2, 1.5}) {
      EXPECT_NEAR(cyclic_hits(level(static_cast<std::uint32_t>(ways), Policy::lru, true), rho),
                  hashed_lru_formula(rho, ways), 0.03)
          << ways << " ways, " << rho;
    }
  }
}

TEST(ModelCache, CyclicTreePlruIsCloseToLru) {
  for (const bool hashed : {false, true}) {
    for (const double rho : {0.9, 1.0, 1.2, 1.5}) {
      EXPECT_NEAR(cyclic_hits(level(16, Policy::plru, hashed), rho), cyclic_hits(level(16, Policy::lru, hashed), rho),
                  0.04)
          << hashed << " " << rho;
    }
  }
}

TEST(ModelCache, IndependentAccessesHitByCapacityWhateverThePolicy) {
  for (const Policy policy : {Policy::lru, Policy::plru, Policy::random}) {
    for (const double rho : {1.2, 1.5, 2.0, 3.0}) {
      EXPECT_NEAR(independent_hits(level(16, policy, false), rho), 1 / rho, 0.01) << rho;
      EXPECT_NEAR(independent_hits(level(16, policy, true), rho), hashed_independent_formula(rho, 16), 0.01) << rho;
      EXPECT_NEAR(independent_hits(level(4, policy, true), rho), hashed_independent_formula(rho, 4), 0.015) << rho;
      EXPECT_NEAR(independent_hits(level(capacity, policy, false), rho), 1 / rho, 0.012) << rho;
    }
  }
}

TEST(ModelCache, LruAgreesWithAListInOrderOfUse) {
  // 24 ways are searched, 96 are looked up in a table: both must do what the definition says.
  for (const std::uint32_t ways : {1u, 3u, 24u, 96u, 4096u}) {
    ModelLevel of = level(ways, Policy::lru, false);
    of.bytes = std::uint64_t{ways} * 64 * 5;
    Cache cache(of, 1);
    std::vector<std::list<std::uint32_t>> sets(5);
    Random random(9);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t line = random.below(ways * 7);
      auto& set = sets[line % 5];
      const auto found = std::find(set.begin(), set.end(), line);
      const bool held = found != set.end();
      if (held) set.erase(found);
      set.push_front(line);
      if (set.size() > ways) set.pop_back();
      ASSERT_EQ(touch(cache, line), held) << ways << " ways, access " << i;
    }
  }
}

TEST(ModelCache, TreePlruAgreesWithItsDefinition) {
  // The definition, recursively: a half that was just used is not where the next victim comes from.
  for (const std::uint32_t ways : {1u, 2u, 6u, 16u, 64u, 100u}) {
    ModelLevel of = level(ways, Policy::plru, false);
    of.bytes = std::uint64_t{ways} * 64;
    Cache cache(of, 1);
    std::uint32_t leaves = 1;
    while (leaves < ways) leaves *= 2;
    std::vector<int> points_right(std::size_t{2} * leaves);
    std::vector<std::uint32_t> held(ways);
    std::uint32_t filled = 0;
    const std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t)> victim =
        [&](std::uint32_t node, std::uint32_t first, std::uint32_t size) -> std::uint32_t {
      if (size == 1) return first;
      const bool right = points_right[node] == 1 && first + size / 2 < ways;
      return victim(2 * node + (right ? 1 : 0), first + (right ? size / 2 : 0), size / 2);
    };
    Random random(4);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t line = 1 + random.below(2 * ways);
      const auto found = std::find(held.begin(), held.end(), line);
      const bool is_held = found != held.end();
      const std::uint32_t way = is_held         ? static_cast<std::uint32_t>(found - held.begin())
                                : filled < ways ? filled++
                                                : victim(1, 0, leaves);
      held[way] = line;
      std::uint32_t node = 1;
      for (std::uint32_t first = 0, size = leaves; size > 1; size /= 2) {
        const bool right = way >= first + size / 2;
        points_right[node] = right ? 0 : 1;
        node = 2 * node + (right ? 1 : 0);
        if (right) first += size / 2;
      }
      ASSERT_EQ(touch(cache, line), is_held) << ways << " ways, access " << i;
    }
  }
}

TEST(ModelCache, RoundsItsSetsAndNeverHasMoreWaysThanLines) {
  ModelLevel of;
  of.bytes = 48 * 1024;
  of.ways = 12;
  EXPECT_EQ(set_count(of), 64u);
  of.bytes = 36 * 1024;  // 48 sets, no power of two
  EXPECT_EQ(set_count(of), 48u);
  of.bytes = 640;
  of.ways = 100;
  EXPECT_EQ(way_count(of), 10u);
  EXPECT_EQ(set_count(of), 1u);
}

TEST(ModelCache, SetsNeedNotBeAPowerOfTwo) {
  for (const bool hashed : {false, true}) {
    ModelLevel of = level(16, Policy::lru, hashed);
    of.bytes = 100 * 16 * 64;
    Cache cache(of, 2);
    std::uint32_t hits = 0;
    for (int lap = 0; lap < 2; ++lap) {
      for (std::uint32_t line = 0; line < 800; ++line) hits += touch(cache, line) ? 1 : 0;
    }
    EXPECT_GE(hits, hashed ? 780u : 800u);
  }
}

TEST(ModelCache, LeavesTheMissesInOrderAndCountsOnlyTheHitsThatAreWaitedFor) {
  Cache cache(level(16, Policy::lru, false), 1);
  touch(cache, 10);
  touch(cache, 11);
  std::vector<LineRequest> requests{{20, 0}, {10, 1}, {11, LineRequest::no_access}, {21, 2}};
  EXPECT_EQ(cache.keep_misses(requests), 1u);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].line, 20u);
  EXPECT_EQ(requests[1].line, 21u);
}

TEST(ModelAddressSpace, NewRangesFollowTheLastAndNeverOverlap) {
  AddressSpace space(1000, 100);
  const auto a = space.take(250);
  const auto b = space.take(100);
  EXPECT_EQ(b, a + 300);
  space.give_back(a);
  EXPECT_EQ(space.take(600), b + 100);  // not into the hole that a left
  EXPECT_EQ(space.take(300), a);        // only now
  EXPECT_EQ(space.free_bytes(), 0u);
  EXPECT_THROW(space.take(1), Unsupported);
}

TEST(ModelAddressSpace, ARangeNeedsOneGap) {
  AddressSpace space(1000, 100);
  const auto a = space.take(400);
  space.take(200);
  const auto c = space.take(400);
  space.give_back(a);
  space.give_back(c);
  EXPECT_EQ(space.free_bytes(), 800u);
  EXPECT_THROW(space.take(500), Unsupported);
  EXPECT_NO_THROW(space.take(400));
}

}  // namespace
}  // namespace sonde::device::model
