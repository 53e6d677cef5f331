// The last cache from loads of uniformly random lines: sums that are straight lines between the sizes of caches.

#include "analysis/last_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace sonde::analysis {
namespace {

constexpr double kib = 1 << 10;
constexpr double mib = 1 << 20;

struct Cache {
  double bytes;
  double ns;
};

/// The mean latency of a load: each line takes the latency of the first cache that holds it, whatever the policy.
double load_ns(const std::vector<Cache>& caches, double memory_ns, double growth_ns, double bytes) {
  double sum = 0;
  double held = 0;
  for (const Cache& cache : caches) {
    sum += std::max(0.0, std::min(bytes, cache.bytes) - held) * cache.ns;
    held = std::min(bytes, cache.bytes);
  }
  const double beyond = std::max(0.0, std::log2(bytes / caches.back().bytes));
  return (sum + (bytes - held) * (memory_ns + growth_ns * beyond)) / bytes;
}

struct Noisy {
  double relative = 0;
  double outlier_share = 0;
  unsigned seed = 1;
};

std::vector<RandomLoad> sweep(const std::vector<Cache>& caches, double memory_ns, double most_bytes,
                              const Noisy& noise = {}, double growth_ns = 0) {
  std::mt19937 random(noise.seed);
  std::normal_distribution<double> gaussian;
  std::uniform_real_distribution<double> uniform;
  std::vector<RandomLoad> loads;
  for (double bytes = 16 * kib; bytes <= 1.001 * most_bytes; bytes *= std::exp2(1.0 / 3)) {
    double ns = load_ns(caches, memory_ns, growth_ns, bytes) * (1 + noise.relative * gaussian(random));
    if (uniform(random) < noise.outlier_share) ns *= 1.15;
    loads.push_back({bytes, ns});
  }
  return loads;
}

std::optional<LastCache> find_last_cache(std::span<const RandomLoad> loads) {
  const auto rough = estimate_last_cache(loads);
  return rough ? refine_last_cache(*rough, loads) : std::nullopt;
}

const std::vector<Cache> strix_halo{{32 * kib, 27.5}, {256 * kib, 47.5}, {2 * mib, 87.5}, {32 * mib, 160}};

TEST(LastCache, OfASweepWithoutNoiseEveryNumberComesBack) {
  const auto found = find_last_cache(sweep(strix_halo, 300, 256 * mib));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->bytes / mib, 32, 0.05);
  EXPECT_NEAR(found->hit_ns, 160, 0.2);
  EXPECT_NEAR(found->miss_ns, 300, 0.5);
  ASSERT_EQ(found->inner_bytes.size(), 3u);
  EXPECT_NEAR(found->inner_bytes[1] / kib, 256, 2);
  EXPECT_NEAR(found->inner_bytes[2] / mib, 2, 0.02);
}

TEST(LastCache, TheShareOfHitsIsItsSizeOverTheWorkingSet) {
  const auto loads = sweep(strix_halo, 300, 256 * mib);
  const auto found = find_last_cache(loads);
  ASSERT_TRUE(found);
  for (const RandomLoad& load : loads) {
    if (load.bytes < 32 * mib) continue;
    EXPECT_NEAR(found->hit_rate(load), 32 * mib / load.bytes, 0.003) << load.bytes;
    EXPECT_NEAR(found->local_hit_rate(load), 30 * mib / (load.bytes - 2 * mib), 0.003) << load.bytes;
  }
}

TEST(LastCache, NoiseOfASingleMeasurementMovesItByLittle) {
  int near = 0;
  constexpr int runs = 200;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    const auto found = find_last_cache(sweep(strix_halo, 300, 512 * mib, {.relative = 0.005, .seed = seed}));
    near += found && std::abs(found->bytes / (32 * mib) - 1) < 0.05 ? 1 : 0;
  }
  EXPECT_GE(near, 0.95 * runs);
}

TEST(LastCache, WhatAMissTakesMayGrowWithTheWorkingSet) {
  const auto found = find_last_cache(sweep(strix_halo, 300, 512 * mib, {}, 9));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->bytes / mib, 32, 0.5);
  EXPECT_NEAR(found->growth_ns, 9, 1);
  EXPECT_NEAR(found->hit_rate({128 * mib, load_ns(strix_halo, 300, 9, 128 * mib)}), 0.25, 0.01);
}

TEST(LastCache, SlowGrowthIsNoCache) {
  EXPECT_FALSE(find_last_cache(sweep({{32 * kib, 100}}, 110, 256 * mib)));
  const auto found = find_last_cache(sweep({{32 * kib, 30}, {4 * mib, 100}, {64 * mib, 250}}, 290, 1024 * mib));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->bytes / mib, 4, 0.4);
}

TEST(LastCache, AnotherKindOfMemoryMayHaveNoPartInIt) {
  const auto usual = find_last_cache(sweep(strix_halo, 300, 256 * mib));
  ASSERT_TRUE(usual);
  const std::vector<Cache> bypass{{32 * kib, 27.5}, {256 * kib, 47.5}, {2 * mib, 87.5}};
  const auto of_bypass = sweep(bypass, 300, 256 * mib);
  EXPECT_FALSE(refine_last_cache(*usual, of_bypass));
  const std::span far(of_bypass.end() - 12, of_bypass.end());
  for (const RandomLoad& load : far) EXPECT_NEAR(without_part(*usual, far).local_hit_rate(load), 0, 0.01) << load.bytes;
  const std::vector<Cache> half{{32 * kib, 27.5}, {256 * kib, 47.5}, {2 * mib, 87.5}, {16 * mib, 160}};
  const auto of_half = refine_last_cache(*usual, sweep(half, 300, 256 * mib));
  ASSERT_TRUE(of_half);
  EXPECT_NEAR(of_half->bytes / mib, 16, 0.3);
}

TEST(LastCache, FewLoadsSayNothing) {
  EXPECT_FALSE(find_last_cache({}));
  const auto loads = sweep(strix_halo, 300, 64 * kib);
  EXPECT_FALSE(find_last_cache(std::span(loads).first(1)));
  EXPECT_FALSE(find_last_cache(std::span(loads).first(2)));
  const std::vector<RandomLoad> same(40, RandomLoad{mib, 100});
  EXPECT_FALSE(find_last_cache(same));
}

}  // namespace
}  // namespace sonde::analysis
