// Sources opened with a kernel of the test's own, on trees of known machines.
#include "counters/traffic/sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "counters/traffic/rates.hpp"
#include "support/counter_trees.hpp"
#include "support/fake_kernel.hpp"

namespace sonde::counters {
namespace {

using test::FakeKernel;
using test::station_of;
using test::tick_ns;

/// Strix Halo: 16 stations and memory controllers, two CPU stations with an interface each, 8 counters of the fabric.
/// The fabric moves four times what memory does.
FakeKernel strix_halo() {
  FakeKernel kernel;
  kernel.counters_of[11] = 8;
  kernel.counts_per_tick = [](const os::PerfEvent& event) -> std::uint64_t {
    if (event.type == 11) {
      const unsigned station = station_of(event.config);
      const bool second_interface = (event.config & 0x3Fu) == 0x1F;
      if (station < 16) return 4000;
      return station < 18 && !second_interface ? 20 : 0;
    }
    return event.config == 0 ? 4'000'000 : 1000;
  };
  return kernel;
}

OpenedSource open(const EventPlan& plan, const test::FakeTree& tree, FakeKernel& kernel) {
  return open_plan(plan, tree.root(), kernel.opener(), kernel.wait());
}

std::size_t count_of(const Layout& layout, Role role) {
  return static_cast<std::size_t>(
      std::ranges::count_if(layout.counters, [role](const Counter& counter) { return counter.role == role; }));
}

/// The traffic that a source counts in so many ticks of the fake kernel's clock.
Traffic traffic_of(CounterSource& source, FakeKernel& kernel, std::size_t ticks) {
  CounterSnapshot before = source.layout().empty_snapshot();
  CounterSnapshot after = before;
  source.read(before);
  source.rotate_group();
  before.before_ns = before.after_ns = static_cast<std::int64_t>(kernel.now_ns);
  for (std::size_t tick = 0; tick < ticks; ++tick) {
    kernel.now_ns += tick_ns;
    source.read(after);
    source.rotate_group();
  }
  after.before_ns = after.after_ns = static_cast<std::int64_t>(kernel.now_ns);
  return traffic_between(before, after, source.layout());
}

TEST(TrafficSources, StationsOfStrixHaloAreFoundAndTakeTurns) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  FakeKernel kernel = strix_halo();
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source) << opened.why_not;
  const Layout& layout = opened.source->layout();
  EXPECT_EQ(count_of(layout, Role::fabric_read), 16u);
  EXPECT_EQ(count_of(layout, Role::fabric_write), 16u);
  EXPECT_EQ(count_of(layout, Role::cpu_read), 2u);
  EXPECT_EQ(count_of(layout, Role::memory_read), 16u);
  EXPECT_EQ(layout.rotations, 5u);  // 36 events, 8 at once
  EXPECT_EQ(layout.groups, 5u + 16u + 2u);
  EXPECT_EQ(count_of(layout, Role::l3_samples), 2u);
  EXPECT_EQ(kernel.most_events, 8u);
  EXPECT_EQ(kernel.most_counting, 1);  // never two for the same counters
  EXPECT_EQ(layout.missing, std::vector<std::string>{});
}

TEST(TrafficSources, TurnsGiveTheWholeTraffic) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  FakeKernel kernel = strix_halo();
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  const Traffic traffic = traffic_of(*opened.source, kernel, opened.source->layout().rotations);
  EXPECT_NEAR(traffic.amounts[Role::fabric_read].value(), 16 * 4000 * 64.0 * 5, 1);
  EXPECT_NEAR(traffic.amounts[Role::cpu_read].value(), 2 * 20 * 32.0 * 5, 1);
  EXPECT_NEAR(traffic.amounts[Role::memory_read].value(), 16 * 1000 * 64.0 * 5, 1);
  EXPECT_NEAR(traffic.scale, 5, 1e-9);
  EXPECT_NEAR(traffic.spread.value(), 0, 1e-9);
  const double cpu = 2 * 20 * (32.0 + 64);
  EXPECT_NEAR(hit_rate(traffic, "").reads_and_writes.value(),
              1 - (2 * 16 * 1000 * 64.0 - cpu) / (2 * 16 * 4000 * 64.0 - cpu), 1e-9);
}

TEST(TrafficSources, ASourceAtRestLeavesTheCountersToOthersAndGoesOnAsBefore) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  FakeKernel kernel = strix_halo();
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  const auto rotations = opened.source->layout().rotations;
  const double before = traffic_of(*opened.source, kernel, rotations).amounts[Role::fabric_read].value();
  opened.source->rest(true);
  EXPECT_EQ(kernel.counting, 0);
  kernel.now_ns += 1000 * tick_ns;
  opened.source->rest(false);
  EXPECT_EQ(kernel.counting, 1);
  const Traffic after = traffic_of(*opened.source, kernel, rotations);
  EXPECT_NEAR(after.amounts[Role::fabric_read].value() / before, 1, 1e-9);
  EXPECT_NEAR(after.scale, 5, 1e-9);
}

TEST(TrafficSources, ADesktopsStationsAreCountedAllTheTime) {
  const test::FakeTree tree;
  test::write_zen4(tree, 2);
  FakeKernel kernel = strix_halo();
  kernel.counters_of[11] = 16;
  kernel.counts_per_tick = [](const os::PerfEvent& event) -> std::uint64_t {
    return event.type != 11 || station_of(event.config) < 2 || station_of(event.config) == 16 ? 1000 : 0;
  };
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  EXPECT_EQ(count_of(opened.source->layout(), Role::fabric_read), 2u);
  EXPECT_EQ(opened.source->layout().rotations, 1u);
  const Traffic traffic = traffic_of(*opened.source, kernel, 1);
  EXPECT_EQ(traffic.labels, std::set<Label>{});
  EXPECT_EQ(traffic.amounts[Role::memory_read], 2 * 1000 * 64.0);
}

TEST(TrafficSources, AnOlderKernelTakesTooManyEventsAndIsSeenNotToCount) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  FakeKernel kernel = strix_halo();
  kernel.accepts_too_many = true;
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  EXPECT_EQ(opened.source->layout().rotations, 5u);
}

TEST(TrafficSources, WithoutMemoryControllersThereIsNoHitRateAndAReason) {
  const test::FakeTree tree;
  test::write_zen4(tree, 0);
  FakeKernel kernel = strix_halo();
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  ASSERT_EQ(opened.source->layout().missing.size(), 1u);
  EXPECT_NE(opened.source->layout().missing[0].find("6.7"), std::string::npos);
  EXPECT_FALSE(hit_rate(traffic_of(*opened.source, kernel, 5), "").reads_and_writes);
}

TEST(TrafficSources, EachL3sSamplesAreOneLatency) {
  const test::FakeTree tree;
  test::write_zen4(tree, 1);
  FakeKernel kernel;
  kernel.counts_per_tick = [](const os::PerfEvent& event) -> std::uint64_t {
    if (event.type != 13) return 1000;
    return (event.config & 0xFF) == 0xAC ? 985 : 100;
  };
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source) << opened.why_not;
  const Traffic traffic = traffic_of(*opened.source, kernel, 3);
  EXPECT_DOUBLE_EQ(traffic.amounts[Role::l3_samples].value(), 2 * 3 * 100);
  EXPECT_NEAR(cpu_latency(traffic, "").ns.value(), 98.5, 1e-9);
  EXPECT_FALSE(cpu_latency(traffic, "in cycles").ns);
  EXPECT_EQ(cpu_latency(traffic, "in cycles").why_not, "in cycles");
}

TEST(TrafficSources, AnL3ThatSampledNothingTellsNoLatency) {
  Traffic traffic;
  EXPECT_FALSE(cpu_latency(traffic, "").ns);
  EXPECT_EQ(cpu_latency(traffic, "").why_not, "");
  traffic.amounts[Role::l3_latency_ns] = 0;
  traffic.amounts[Role::l3_samples] = 0;
  EXPECT_FALSE(cpu_latency(traffic, "").ns);
  EXPECT_NE(cpu_latency(traffic, "").why_not, "");
}

TEST(TrafficSources, WithoutAnL3ThereIsTrafficAndOneReason) {
  const test::FakeTree tree;
  test::write_zen4(tree, 2);
  FakeKernel kernel;
  kernel.refused[13] = std::make_error_code(std::errc::permission_denied);
  OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  ASSERT_EQ(opened.source->layout().missing.size(), 1u);  // and not one for each L3
  EXPECT_NE(opened.source->layout().missing[0].find("amd_l3 may not be read"), std::string::npos);
  tree.remove(std::string(test::pmus) + "amd_l3");
  opened = open(amd_plan, tree, kernel);
  ASSERT_EQ(opened.source->layout().missing.size(), 1u);
  EXPECT_NE(opened.source->layout().missing[0].find("there is no amd_l3"), std::string::npos);
  EXPECT_FALSE(cpu_latency(traffic_of(*opened.source, kernel, 1), "").ns);
}

TEST(TrafficSources, Zen2CountsWithoutAHitRate) {
  const test::FakeTree tree;
  test::write_zen2(tree);
  FakeKernel kernel;
  kernel.counters_of[11] = 4;
  const OpenedSource opened = open(amd_before_zen4_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  EXPECT_EQ(opened.source->layout().rotations, 2u);
  const Traffic traffic = traffic_of(*opened.source, kernel, 2);
  EXPECT_NEAR(traffic.amounts[Role::uncalibrated].value(), 8 * 1000 * 2, 1e-6);
  EXPECT_FALSE(traffic.amounts[Role::memory_read]);
  const HitRate rate = hit_rate(traffic, opened.source->layout().why_not.hit_rate);
  EXPECT_FALSE(rate.reads_and_writes);
  EXPECT_NE(rate.why_not.find("Zen 1 to 3"), std::string::npos);
}

TEST(TrafficSources, IntelsTwoControllersAreOneMemory) {
  const test::FakeTree tree;
  test::write_tiger_lake_or_later(tree, 189);
  FakeKernel kernel;
  const OpenedSource opened = open(intel_data_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  const Traffic traffic = traffic_of(*opened.source, kernel, 1);
  EXPECT_EQ(traffic.amounts[Role::memory_read], 2 * 1000 * 32.0);
  EXPECT_NE(opened.source->layout().why_not.hit_rate, "");
}

/// The reason why a Strix Halo without its fabric's counters gives nothing.
std::string refusal(std::errc problem, const std::string& paranoid = "2\n") {
  const test::FakeTree tree;
  test::write_zen4(tree, 1);
  tree.write("proc/sys/kernel/perf_event_paranoid", paranoid);
  FakeKernel kernel;
  for (const std::uint32_t type : {11u, 13u, 20u}) kernel.refused[type] = std::make_error_code(problem);
  const OpenedSource opened = open(amd_plan, tree, kernel);
  EXPECT_FALSE(opened.source);
  return opened.why_not;
}

TEST(TrafficSources, APermissionIsNamedWithTheCommandThatGivesIt) {
  const std::string why = refusal(std::errc::permission_denied, "4\n");
  EXPECT_NE(why.find("kernel.perf_event_paranoid is 4"), std::string::npos) << why;
  EXPECT_NE(why.find("sudo sysctl kernel.perf_event_paranoid=0"), std::string::npos);
  EXPECT_NE(why.find("sudo setcap cap_perfmon+ep"), std::string::npos);
}

TEST(TrafficSources, OtherRefusalsAreSentencesToo) {
  EXPECT_NE(refusal(std::errc::no_such_file_or_directory).find("another machine's"), std::string::npos);
  EXPECT_NE(refusal(std::errc::invalid_argument).find("refuses"), std::string::npos);
  EXPECT_NE(refusal(std::errc::too_many_files_open).find("ulimit -n"), std::string::npos);
}

TEST(TrafficSources, AnotherMachinesTreeIsNotOpenedHere) {
  const test::FakeTree tree;
  test::write_zen4(tree, 2);
  const OpenedSource opened = open_traffic(tree.root());
  EXPECT_FALSE(opened.source);
  EXPECT_NE(opened.why_not.find("another machine's"), std::string::npos);
}

}  // namespace
}  // namespace sonde::counters
