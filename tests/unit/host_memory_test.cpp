// The host-memory probe: the model's flags come back as findings, kinds that are missing are skipped with their reason,
// and what a slow view is.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/host_memory/host_memory.hpp"
#include "support/recording_observer.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint64_t mib = 1 << 20;

/// A GPU with a memory-side cache of 2 MiB, small so that the test is quick.
device::model::Description small_gpu() {
  device::model::Description model;
  model.name = "small";
  model.memory_bytes = 256 * mib;
  model.compute_units = 4;
  model.saturated_by = 4;
  model.clock_mhz = 2000;
  model.launch_ns = 3000;
  model.noise = {.relative = 0.01, .outlier_share = 0.01, .outlier_factor = 3, .ramp_seconds = 0.01};
  model.levels.resize(3);
  model.levels[0] = {.name = "L1", .bytes = 32768, .latency_ns = 40, .read_gbps = 1000, .write_gbps = 1000};
  model.levels[1] = {.name = "side",
                     .bytes = 2 * mib,
                     .hashed = true,
                     .memory_side = true,
                     .latency_ns = 150,
                     .read_gbps = 600,
                     .write_gbps = 600};
  model.levels[2] = {.name = "DRAM", .latency_ns = 300, .read_gbps = 200, .write_gbps = 200};
  return model;
}

test::RecordingObserver measured(const device::model::Description& model) {
  const auto device = device::model::open(model);
  test::RecordingObserver observer;
  measure::run_probe(*device, host_memory,
                     {.request = {.look = measure::Look::first, .largest_bytes = 4 * mib},
                      .host_time = [] { return counters::HostTime{}; }},
                     observer);
  for (const auto& failure : observer.failures) ADD_FAILURE() << failure.text;
  return observer;
}

std::vector<std::string_view> found(const test::RecordingObserver& observer, const measure::Name& memory) {
  std::vector<std::string_view> names;
  for (const measure::Finding& finding : observer.findings) {
    if (finding.words.memory == memory) names.push_back(finding.kind->name);
  }
  std::ranges::sort(names);
  return names;
}

using Names = std::vector<std::string_view>;

TEST(HostMemory, TheModelsBypassComesBackAndWhatIsCopiedIsLikeDeviceMemory) {
  device::model::Description model = small_gpu();
  model.host_memory = {.latency_ns = 300, .bypasses_memory_side_cache = true, .zero_copy = {"alloc-host-ptr"}};
  const auto observer = measured(model);
  EXPECT_EQ(found(observer, "alloc-host-ptr"), Names{"bypasses-last-level-cache"});
  EXPECT_EQ(found(observer, "use-host-ptr"), Names{"like-device-memory"});
  EXPECT_EQ(found(observer, "device"), Names{});
}

TEST(HostMemory, WithoutTheFlagTheSameMemoryIsLikeTheDevices) {
  device::model::Description model = small_gpu();
  model.host_memory = {
      .latency_ns = 300, .bypasses_memory_side_cache = false, .zero_copy = {"alloc-host-ptr", "svm-fine"}};
  const auto observer = measured(model);
  EXPECT_EQ(found(observer, "alloc-host-ptr"), Names{"like-device-memory"});
  EXPECT_EQ(found(observer, "svm-fine"), Names{"like-device-memory"});
}

TEST(HostMemory, TheModelsLatencyAcrossTheBusComesBack) {
  device::model::Description model = small_gpu();
  model.host_memory = {.latency_ns = 1000, .bypasses_memory_side_cache = true, .zero_copy = {"alloc-host-ptr"}};
  const auto observer = measured(model);
  EXPECT_EQ(found(observer, "alloc-host-ptr"), (Names{"across-the-bus", "bypasses-last-level-cache"}));
  const auto bus = std::ranges::find(observer.findings, &host_memory_probe::across_the_bus, &measure::Finding::kind);
  ASSERT_NE(bus, observer.findings.end());
  EXPECT_NEAR(bus->value.value_or(0), 1000, 50);
  EXPECT_EQ(bus->unit, "ns");
}

TEST(HostMemory, WhatIsMissingIsSkippedOnceWithItsReason) {
  const auto observer = measured(small_gpu());
  int missing = 0;
  for (const auto& skip : observer.skips) {
    ASSERT_TRUE(skip.point.has_value());
    if (skip.point->words.memory == measure::Name("svm-system")) ++missing;
    EXPECT_FALSE(skip.text.empty());
  }
  EXPECT_EQ(missing, 1);
}

/// What fits is measured, and nothing larger is tried; a size that does not fit is a reason, never an error.
TEST(HostMemory, WithLittleMemoryWhatFitsIsMeasured) {
  const device::model::Description model = small_gpu();
  ASSERT_EQ(model.memory_bytes, 256 * mib);
  for (const measure::Probe* probe : {&host_memory, &zero_copy}) {
    const auto device = device::model::open(model);
    test::RecordingObserver observer;
    measure::run_probe(
        *device, *probe,
        {.request = {.look = measure::Look::first, .smallest_bytes = 16 * mib, .largest_bytes = 1024 * mib},
         .host_time = [] { return counters::HostTime{}; }},
        observer);
    for (const auto& failure : observer.failures) ADD_FAILURE() << probe->name << ": " << failure.text;
    EXPECT_FALSE(observer.measurements.empty()) << probe->name;
    for (const auto& one : observer.measurements) EXPECT_LT(one.point.x.bytes.value(), 256.0 * mib) << probe->name;
    for (const auto& skip : observer.skips) EXPECT_GT(skip.text.size(), 20u) << probe->name;
  }
}

/// What the three probes that compare memories do when --sizes leaves out what they measure.
TEST(HostMemory, SizesOutsideTheGridAreOneSkipWithItsReason) {
  for (const measure::Probe* probe : {&host_memory, &zero_copy, &copying}) {
    const auto device = device::model::open(small_gpu());
    test::RecordingObserver observer;
    measure::run_probe(*device, *probe,
                       {.request = {.look = measure::Look::first, .smallest_bytes = 16, .largest_bytes = 1024},
                        .host_time = [] { return counters::HostTime{}; }},
                       observer);
    EXPECT_TRUE(observer.measurements.empty()) << probe->name;
    ASSERT_EQ(observer.skips.size(), 1u) << probe->name;
    EXPECT_NE(observer.skips.front().text.find("--sizes leaves out all that it measures here"), std::string::npos)
        << observer.skips.front().text;
  }
}

TEST(HostMemory, ARoundTripIsToldByItsMedianAndItsNinetyNinthOfAHundred) {
  measure::Measurement trips{
      .point = measure::point_on(host_memory_probe::round_trip, {.bytes = 4}), .unit = "us", .values = {}};
  for (int i = 0; i <= 100; ++i) trips.values.push_back(i == 100 ? 900 : 10 + i * 0.01);
  const auto findings = host_memory.conclude({}, std::vector{trips}).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, &host_memory_probe::round_trip_time);
  EXPECT_DOUBLE_EQ(findings[0].value.value_or(0), 10.5);
  EXPECT_EQ(findings[0].unit, "us");
  EXPECT_NE(findings[0].evidence.find("at most 11 us in 99 of 100"), std::string::npos) << findings[0].evidence;
}

measure::Measurement cpu_read(const measure::Name& memory, double gbps) {
  return {.point = measure::point_on(host_memory_probe::cpu_stream, {.bytes = 1e6},
                                     {.memory = memory, .pattern = measure::Pattern::read}),
          .unit = "GB/s",
          .values = {gbps, gbps, gbps},
          .state = {},
          .visits = {1, 1, 1}};
}

TEST(HostMemory, MemoryThatTheCpuDoesNotCacheIsSlowForIt) {
  const std::vector<measure::Measurement> measurements{cpu_read("host-visible+host-coherent", 0.15),
                                                       cpu_read("host-visible+host-coherent+host-cached", 11)};
  const auto findings = host_memory.conclude({}, measurements).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, &host_memory_probe::slow_for_the_cpu);
  EXPECT_EQ(findings[0].words.memory, measure::Name("host-visible+host-coherent"));
  EXPECT_EQ(findings[0].value, 0.15);
  EXPECT_LT(findings[0].low.value_or(1), 0.15);
}

TEST(HostMemory, WhatVisitsDisagreeAboutIsNotFoundAndSaid) {
  measure::Measurement uncertain = cpu_read("host-visible", 1);
  uncertain.values = {0.7, 1.4, 0.9};
  const measure::Conclusion conclusion =
      host_memory.conclude({}, std::vector{uncertain, cpu_read("host-visible+host-cached", 2)});
  EXPECT_TRUE(conclusion.findings.empty());
  ASSERT_EQ(conclusion.without_levels.size(), 1u);
  EXPECT_EQ(conclusion.without_levels[0].words.memory, measure::Name("host-visible"));
  EXPECT_NE(conclusion.without_levels[0].reason.find("idle machine"), std::string::npos);
}

}  // namespace
}  // namespace sonde::probes
