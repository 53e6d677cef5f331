// The whole latency probe on a device whose hierarchy is known: it has to rediscover it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/statistics.hpp"
#include "gpu/error.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "support/recording_observer.hpp"
#include "support/scripted_device.hpp"
#include "support/walk_workload.hpp"

namespace sonde::probes {
namespace {

using measure::Effort;
using measure::Measurement;
using measure::Point;
using measure::Request;
using test::RecordingObserver;
using test::ScriptedDevice;

std::vector<double> sizes_as_asked(const Request& request) {
  std::vector<double> bytes;
  for (const Point& point : latency.next(gpu::DeviceInfo{}, request, {}))
    bytes.push_back(point.x.at("bytes"));
  return bytes;
}

std::vector<double> sizes(const Request& request) {
  std::vector<double> bytes = sizes_as_asked(request);
  std::ranges::sort(bytes);
  return bytes;
}

/// Measurements of the sizes that are asked for first, on a device of known latency.
std::vector<Measurement> measured(const Request& request, double (*hop_ns)(double bytes)) {
  std::vector<Measurement> known;
  for (const double bytes : sizes(request)) {
    known.push_back({.point = test::point_of(bytes),
                     .unit = "ns",
                     .values = std::vector<double>(7, hop_ns(bytes)),
                     .state = {}});
  }
  return known;
}

bool is_cycle(const Point& point) { return !point.series.contains("order"); }

TEST(LatencySizes, AreFourPerDoublingDistinctAndWholeLines) {
  for (const std::uint32_t line_bytes : {64u, 128u}) {
    const auto bytes = sizes({.effort = Effort::quick, .line_bytes = line_bytes});
    EXPECT_EQ(bytes.size(), 16 * 4 + 1u);
    EXPECT_EQ(bytes.front(), 1024);
    EXPECT_EQ(bytes.back(), 64 << 20);
    EXPECT_EQ(std::set<double>(bytes.begin(), bytes.end()).size(), bytes.size());
    for (std::size_t step = 0; step < bytes.size(); ++step) {
      EXPECT_EQ(std::fmod(bytes[step], line_bytes), 0) << bytes[step];
      EXPECT_NEAR(bytes[step], 1024 * std::exp2(static_cast<double>(step) / 4), line_bytes / 2.0) << step;
    }
  }
}

TEST(LatencySizes, EndWhereTheEffortSays) {
  EXPECT_EQ(sizes({.effort = Effort::quick}).back(), 64 << 20);
  EXPECT_EQ(sizes({.effort = Effort::normal}).back(), 256 << 20);
  EXPECT_EQ(sizes({.effort = Effort::thorough}).back(), 1 << 30);
}

TEST(LatencySizes, AreThoseAskedFor) {
  const auto bytes = sizes({.smallest_bytes = 4096, .largest_bytes = 16384});
  EXPECT_EQ(bytes.size(), 9u);
  EXPECT_EQ(bytes.front(), 4096);
  EXPECT_EQ(bytes.back(), 16384);
  EXPECT_EQ(sizes({.smallest_bytes = 4096, .largest_bytes = 4096}), std::vector<double>{4096});
}

TEST(LatencySizes, StayDistinctWhereLinesAreCoarserThanTheSteps) {
  const auto bytes = sizes({.smallest_bytes = 128, .largest_bytes = 1024, .line_bytes = 128});
  EXPECT_EQ(std::set<double>(bytes.begin(), bytes.end()).size(), bytes.size());
  EXPECT_EQ(bytes.front(), 128);
  EXPECT_EQ(bytes.back(), 1024);
}

TEST(LatencySizes, ComeInAnOrderThatNoDriftCanImitateACurveWith) {
  const Request request{.effort = Effort::quick};
  EXPECT_FALSE(std::ranges::is_sorted(sizes_as_asked(request)));
  EXPECT_EQ(sizes_as_asked(request), sizes_as_asked(request));
  EXPECT_NE(sizes_as_asked({.effort = Effort::quick, .seed = 1}),
            sizes_as_asked({.effort = Effort::quick, .seed = 2}));
}

TEST(LatencySizes, AFlatCurveLeavesNothingToAsk) {
  const Request request{.effort = Effort::quick};
  EXPECT_TRUE(
      latency.next(gpu::DeviceInfo{}, request, measured(request, [](double) { return 40.0; })).empty());
}

TEST(LatencySizes, AnEdgeIsLookedAtMoreClosely) {
  const Request request{.effort = Effort::quick};
  const auto known = measured(request, [](double bytes) { return bytes <= 32768 ? 40.0 : 95.0; });
  const auto points = latency.next(gpu::DeviceInfo{}, request, known);
  ASSERT_FALSE(points.empty());
  for (const Point& point : points) {
    EXPECT_TRUE(is_cycle(point));
    EXPECT_GT(point.x.at("bytes"), 32768 / 1.5);
    EXPECT_LT(point.x.at("bytes"), 32768 * 1.5);
  }
}

TEST(LatencyProbe, RediscoversTheHierarchyThatTheDeviceHas) {
  constexpr double l1_bytes = 32 << 10;
  constexpr double l2_bytes = 512 << 10;
  const auto true_ns = [](std::uint64_t bytes) {
    const auto size = static_cast<double>(bytes);
    return size <= l1_bytes ? 40.0 : size <= l2_bytes ? 95.0 : 290.0;
  };
  ScriptedDevice device({.hop_ns = true_ns,
                         .first_launch_ns = 5e6,
                         .noise = 0.01,
                         .interruption_share = 0.05,
                         .most_dispatches = 100'000});
  RecordingObserver observer;
  const Request request{.effort = Effort::quick, .largest_bytes = 2 << 20, .seed = 3, .line_bytes = 128};
  measure::run_probe(device, latency, {.request = request, .host_time = [] { return counters::HostTime{}; }},
                     observer);
  EXPECT_TRUE(observer.failures.empty());
  EXPECT_TRUE(observer.skips.empty());
  std::set<double> cycle_sizes;
  for (const Measurement& measurement : observer.measurements) {
    const double bytes = measurement.point.x.at("bytes");
    const double expected = true_ns(static_cast<std::uint64_t>(bytes));
    EXPECT_NEAR(analysis::summarize(measurement.values).median / expected, 1.005, 0.01) << bytes;
    EXPECT_EQ(measurement.unit, "ns");
    EXPECT_GE(measurement.values.size(), 7u);
    if (is_cycle(measurement.point)) cycle_sizes.insert(bytes);
  }
  for (const double bytes : sizes(request)) EXPECT_TRUE(cycle_sizes.contains(bytes)) << bytes;
  // The sizes on either side of an edge are within 3 %, or two lines.
  for (const double edge : {l1_bytes, l2_bytes}) {
    const auto above = cycle_sizes.upper_bound(edge);
    ASSERT_NE(above, cycle_sizes.begin());
    ASSERT_NE(above, cycle_sizes.end());
    const double below = *std::prev(above);
    EXPECT_LE(*above, std::max(below * 1.031, below + 2 * 128)) << edge;
  }
}

TEST(LatencyProbe, ALapVisitsEveryLineOnce) {
  ScriptedDevice device({.cold_word_ns = 1});
  const measure::Workload walk = latency.prepare(device, test::point_of(64 * 64), {.seed = 5});
  EXPECT_EQ(walk.lap, 64u);
  for (const double first_visits : {64.0, 0.0}) {
    (void)walk.run(64);
    EXPECT_EQ(walk.flaw(), std::nullopt);
    EXPECT_EQ(device.dispatches().back().bytes, 4096u);
    EXPECT_DOUBLE_EQ(device.dispatches().back().work_ns, 64 * 10 + first_visits);
  }
}

TEST(LatencyProbe, ADispatchBeginsWhereTheLastOneEnded) {
  // Together less than a lap, in unequal pieces: had one begun at the start again, it would have met lines
  // that an earlier one had seen.
  ScriptedDevice device({.cold_word_ns = 1});
  const measure::Workload walk = latency.prepare(device, test::point_of(1000 * 64), {.seed = 5});
  for (const std::uint64_t hops : {64u, 320u, 384u, 192u}) {
    (void)walk.run(hops);
    EXPECT_EQ(walk.flaw(), std::nullopt);
    EXPECT_DOUBLE_EQ(device.dispatches().back().work_ns, static_cast<double>(hops) * (10 + 1)) << hops;
  }
}

TEST(LatencyProbe, EverySeedWalksAnotherWay) {
  const auto ends = [](std::uint64_t seed) {
    ScriptedDevice device({});
    const measure::Workload walk = latency.prepare(device, test::point_of(1 << 16), {.seed = seed});
    for (int dispatch = 0; dispatch < 4; ++dispatch) (void)walk.run(64);
    std::vector<std::uint32_t> words;
    for (const test::Dispatch& dispatch : device.dispatches()) words.push_back(dispatch.end);
    return words;
  };
  EXPECT_EQ(ends(1), ends(1));
  EXPECT_NE(ends(1), ends(2));
}

TEST(LatencyProbe, LaunchesAGroupWhoseOtherItemsLeaveButOneItemOnACpu) {
  const auto group_size = [](gpu::DeviceType type) {
    ScriptedDevice device({.type = type});
    (void)latency.prepare(device, test::point_of(4096), {});
    return device.last_group_size();
  };
  EXPECT_EQ(group_size(gpu::DeviceType::cpu), 1u);
  EXPECT_EQ(group_size(gpu::DeviceType::discrete), 32u);
  EXPECT_EQ(group_size(gpu::DeviceType::integrated), 32u);
}

TEST(LatencyProbe, AWorkingSetThatIndicesOf32BitsDoNotReachIsUnsupported) {
  // 16 GiB are 2^32 words: beyond them an index would start again at zero, and the walk would be a shorter
  // one.
  ScriptedDevice device({});
  EXPECT_THROW((void)latency.prepare(device, test::point_of(0x1p35), {}), gpu::Unsupported);
}

TEST(Catalog, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const measure::Probe* probe : catalog()) {
    EXPECT_TRUE(names.insert(probe->name).second) << probe->name;
    EXPECT_EQ(find(probe->name), probe);
    EXPECT_TRUE(probe->question.ends_with("?")) << probe->question;
  }
  EXPECT_EQ(find("no such probe"), nullptr);
}

}  // namespace
}  // namespace sonde::probes
