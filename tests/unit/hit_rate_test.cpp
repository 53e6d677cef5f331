// The hit-rate probe on simulated devices whose true rates are known: the caches count their hits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "device/model/memory.hpp"
#include "device/model/model.hpp"
#include "device/model/random.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/hit_rate/hit_rate.hpp"
#include "support/answered_plan.hpp"
#include "support/recording_observer.hpp"

namespace sonde::probes {
namespace {

using measure::Method;
using measure::Pattern;

constexpr std::uint64_t kib = 1 << 10;
constexpr std::uint64_t mib = 1 << 20;

/// A GPU with a memory-side cache of 1 MiB, small so that the test is quick.
device::model::Description small_gpu(device::model::Policy policy, bool hashed) {
  device::model::Description model;
  model.name = "small";
  model.memory_bytes = 256 * mib;
  model.clock_mhz = 2000;
  model.launch_ns = 3000;
  model.noise = {.relative = 0.01, .outlier_share = 0.01, .outlier_factor = 3, .ramp_seconds = 0.01};
  model.levels.resize(4);
  model.levels[0] = {.name = "L1", .bytes = 4 * kib, .latency_ns = 40};
  model.levels[1] = {.name = "L2", .bytes = 64 * kib, .latency_ns = 90};
  model.levels[2] = {
      .name = "side", .bytes = 1 * mib, .policy = policy, .hashed = hashed, .memory_side = true, .latency_ns = 160};
  model.levels[3] = {.name = "DRAM", .latency_ns = 300};
  return model;
}

enum class Counters { none, simulated };

test::RecordingObserver measured(const device::model::Description& model, measure::Request request = {},
                                 Counters counters = Counters::none) {
  request.look = measure::Look::first;
  if (!request.largest_bytes) request.largest_bytes = 8 * mib;
  request.smallest_bytes = 8 * kib;
  const auto device = device::model::open(model);
  request.stated_memory_side_bytes = device::largest_bytes(device->info().stated_caches, device::memory_side_level);
  test::RecordingObserver observer;
  request.counts_traffic = counters == Counters::simulated;
  measure::RunnerOptions options{.request = request, .host_time = [] { return counters::HostTime{}; }};
  if (request.counts_traffic)
    options.traffic =
        std::make_shared<counters::TrafficMeter>(device::model::simulated_counters(*device->simulated_traffic()));
  measure::run_probe(*device, hit_rate, options, observer);
  for (const auto& failure : observer.failures) ADD_FAILURE() << failure.text;
  return observer;
}

std::optional<measure::Finding> found(const test::RecordingObserver& observer, const measure::FindingKind& kind,
                                      const measure::Name& memory = "device") {
  for (const measure::Finding& finding : observer.findings) {
    if (finding.kind == &kind && finding.words.memory == memory) return finding;
  }
  return std::nullopt;
}

/// The share of the loads reaching the third level that it serves, in the steady state of uniformly random lines.
double true_rate(const device::model::Description& model, double bytes) {
  device::model::Memory memory(model, ~0ull);
  device::model::Random random(7);
  const auto lines = static_cast<std::uint64_t>(bytes / 64);
  const auto walk = [&](std::uint64_t loads) {
    memory.start(0);
    for (std::uint64_t i = 0; i < loads; ++i)
      memory.access(static_cast<std::uint64_t>(random.uniform() * static_cast<double>(lines)) * 64);
  };
  walk(4 * lines);
  walk(400'000);
  const std::vector<std::uint64_t> served = memory.served();
  return static_cast<double>(served[2]) / static_cast<double>(served[2] + served[3]);
}

class HitRateOf : public testing::TestWithParam<std::pair<device::model::Policy, bool>> {};

TEST_P(HitRateOf, AMemorySideCacheIsItsTrueOneWhateverThePolicy) {
  const device::model::Description model = small_gpu(GetParam().first, GetParam().second);
  const auto observer = measured(model);
  const auto capacity = found(observer, hit_rate_probe::effective_capacity);
  ASSERT_TRUE(capacity);
  EXPECT_NEAR(capacity->value.value() / mib, 1, 0.05) << capacity->evidence;
  EXPECT_LE(capacity->low.value(), 1.0 * mib);
  EXPECT_GE(capacity->high.value(), 1.0 * mib);
  int compared = 0;
  for (const measure::Measurement& one : observer.measurements) {
    const double bytes = one.point.x.bytes.value();
    if (one.unit != "ratio" || one.point.words.memory != measure::Name("device") || bytes < 1.5 * mib ||
        bytes > 6.1 * mib)
      continue;
    ++compared;
    EXPECT_NEAR(measure::median_of(one), true_rate(model, bytes), 0.03) << bytes;
    ASSERT_TRUE(one.interval);
    EXPECT_LT(one.interval->low, one.interval->value);
  }
  EXPECT_GE(compared, 4);
}

INSTANTIATE_TEST_SUITE_P(Policies, HitRateOf,
                         testing::Values(std::pair(device::model::Policy::lru, false),
                                         std::pair(device::model::Policy::random, true)));

const measure::Finding* finding_by(const test::RecordingObserver& observer, const measure::FindingKind& kind,
                                   Method method) {
  const auto found = std::ranges::find_if(observer.findings, [&](const measure::Finding& one) {
    return one.kind == &kind && one.words.method == method && one.words.memory == measure::Name("device");
  });
  return found == observer.findings.end() ? nullptr : &*found;
}

TEST(HitRate, CountersSeeTheTrueRateAndSayHowFarTimingIsOff) {
  const device::model::Description model = small_gpu(device::model::Policy::random, true);
  const auto observer = measured(model, {}, Counters::simulated);
  int walks = 0;
  std::set<Pattern> patterns;
  for (const measure::Measurement& one : observer.measurements) {
    if (one.unit != "ratio" || one.point.words.method != Method::counters) continue;
    const double bytes = one.point.x.bytes.value();
    if (const std::optional<Pattern> pattern = one.point.words.pattern) {
      patterns.insert(*pattern);
      EXPECT_EQ(one.point.curve, &hit_rate_probe::share_of_stream);
      if (bytes > 0.6 * mib) continue;
      EXPECT_GT(measure::median_of(one), 0.9) << measure::word_of(*pattern);
    } else if (one.point.words.memory == measure::Name("device") && bytes > 1.4 * mib) {
      EXPECT_EQ(one.point.curve, &hit_rate_probe::share_by_counters);
      ++walks;
      EXPECT_NEAR(measure::median_of(one), true_rate(model, bytes), 0.01) << bytes;
    }
  }
  EXPECT_GE(walks, 5);
  EXPECT_EQ(patterns, (std::set{Pattern::read, Pattern::write, Pattern::copy}));
  const measure::Finding* const capacity = finding_by(observer, hit_rate_probe::effective_capacity, Method::counters);
  ASSERT_NE(capacity, nullptr);
  EXPECT_NEAR(capacity->value.value() / mib, 1, 0.05) << capacity->evidence;
  const measure::Finding* const difference = finding_by(observer, hit_rate_probe::methods_differ, Method::timing);
  ASSERT_NE(difference, nullptr);
  EXPECT_NEAR(difference->value.value(), 0, 0.03) << difference->evidence;
  EXPECT_LE(difference->low.value(), difference->value.value());
  EXPECT_NE(finding_by(observer, hit_rate_probe::effective_capacity, Method::timing), nullptr);
}

/// The latency of random loads on a GPU with a cache of 48 MiB before memory.
double nanoseconds_at(const Point& point) {
  const double bytes = point.x.bytes.value();
  const auto missed = [&](double cache) { return 1 - std::min(1.0, cache / bytes); };
  return 40 + 50 * missed(32 * kib) + 70 * missed(2 * mib) + 140 * missed(48 * mib);
}

TEST(HitRatePlan, EveryLookAddsToTheOneBeforeAndEndsWhateverFails) {
  const device::DeviceInfo device{.largest_buffer_bytes = 4096 * mib,
                                  .memory_kinds = {{"device", ""}, {"svm-fine", ""}}};
  for (const bool may_fail : {false, true}) {
    test::AnsweredPlan plan(
        {.counts_traffic = true},
        [&](const auto& request, auto known) { return hit_rate.next(device, request, known); },
        [&](const Point& point) {
          const bool fails = may_fail && static_cast<int>(std::log2(*point.x.bytes) * 16) % 5 == 0;
          return fails ? std::nullopt : std::optional(nanoseconds_at(point));
        });
    for (const measure::Look look : {measure::Look::first, measure::Look::closer, measure::Look::closest})
      EXPECT_GT(plan.go_through(look), 0u);
    EXPECT_EQ(plan.go_through(measure::Look::first), 0u);
    std::set<std::string> kinds;
    for (const measure::PointKey& key : plan.asked()) kinds.insert(key.words.memory.str());
    EXPECT_TRUE(kinds.contains("svm-fine"));
    for (std::size_t count = 0; count <= plan.known().size(); ++count) {
      for (const measure::Finding& one : hit_rate.conclude({}, std::span(plan.known()).first(count)).findings) {
        ASSERT_NE(one.kind, &hit_rate_probe::contrast_too_small) << count;
        if (one.kind == &hit_rate_probe::effective_capacity) {
          EXPECT_NEAR(*one.value / mib, 48, 5) << count;
        }
      }
    }
  }
}

TEST(HitRatePlan, TheFirstLookIsOverSoonAndCoversAllSizes) {
  double seconds = 0;
  std::set<double> sizes;
  for (const Point& point : hit_rate.next({.largest_buffer_bytes = 4096 * mib}, {.look = measure::Look::first}, {})) {
    seconds += point.expected_seconds;
    sizes.insert(*point.x.bytes);
  }
  EXPECT_LT(seconds, 1.6);
  EXPECT_EQ(*sizes.begin(), 4 * kib);
  EXPECT_EQ(*sizes.rbegin(), 64 * mib);
}

TEST(HitRate, WithoutAMemorySideCacheNoneIsSeen) {
  device::model::Description model = small_gpu(device::model::Policy::lru, false);
  model.levels.erase(model.levels.begin() + 2);
  const auto observer = measured(model);
  ASSERT_TRUE(found(observer, hit_rate_probe::none_seen));
  EXPECT_EQ(observer.findings.size(), 1u);
  for (const measure::Measurement& one : observer.measurements) EXPECT_NE(one.unit, "ratio");
}

TEST(HitRate, WhereAHitIsHardlyFasterThanAMissNoRateIsTold) {
  device::model::Description model = small_gpu(device::model::Policy::lru, false);
  model.levels[2].latency_ns = 220;
  const auto observer = measured(model);
  const auto finding = found(observer, hit_rate_probe::contrast_too_small);
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->value.value(), 300.0 / 220, 0.03);
  EXPECT_FALSE(found(observer, hit_rate_probe::effective_capacity));
  for (const measure::Measurement& one : observer.measurements) EXPECT_NE(one.unit, "ratio");
}

TEST(HitRate, MemoryThatBypassesTheCacheIsToldFromMemoryThatDoesNot) {
  device::model::Description model = small_gpu(device::model::Policy::lru, true);
  model.host_memory = {.latency_ns = 300, .bypasses_memory_side_cache = true, .zero_copy = {"alloc-host-ptr"}};
  const auto observer = measured(model);
  const auto none = found(observer, hit_rate_probe::none_seen, "alloc-host-ptr");
  ASSERT_TRUE(none);
  EXPECT_NE(none->evidence.find("alloc-host-ptr"), std::string::npos) << none->evidence;
  int shares = 0;
  for (const measure::Measurement& one : observer.measurements) {
    if (one.unit != "ratio" || one.point.words.memory != measure::Name("alloc-host-ptr")) continue;
    ++shares;
    EXPECT_NEAR(measure::median_of(one), 0, 0.06) << one.point.x.bytes.value();
  }
  EXPECT_GE(shares, 5);
  const auto copied = found(observer, hit_rate_probe::effective_capacity, "use-host-ptr");
  ASSERT_TRUE(copied);
  EXPECT_NEAR(copied->value.value() / mib, 1, 0.08);
}

TEST(HitRate, ASweepThatEndsTooSoonSaysSoInsteadOfGuessing) {
  const auto observer = measured(small_gpu(device::model::Policy::lru, false), {.largest_bytes = 1 * mib});
  EXPECT_TRUE(observer.findings.empty());
  ASSERT_FALSE(observer.skips.empty());
  EXPECT_NE(observer.skips.back().text.find("--sizes"), std::string::npos);
}

}  // namespace
}  // namespace sonde::probes
