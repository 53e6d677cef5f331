// The walks that tell a device's pages: which are asked for, and what the latency probe makes of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/latency/latency.hpp"
#include "support/recording_observer.hpp"
#include "support/small_model.hpp"
#include "support/walk_workload.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::workloads {
namespace {

using measure::Finding;
using measure::Look;
using measure::Point;

constexpr std::uint64_t gib = 1ull << 30;

std::vector<Point> walks(const device::DeviceInfo& device, const measure::Request& request) {
  return page_walks({.cycle = probes::latency_probe::cycle,
                     .independent = probes::latency_probe::independent,
                     .page = probes::latency_probe::pages},
                    {}, device, request);
}

/// Numbers of lines by stride.
std::map<std::uint32_t, std::set<double>> asked(const device::DeviceInfo& device, const measure::Request& request) {
  std::map<std::uint32_t, std::set<double>> lines;
  for (const Point& point : walks(device, request)) {
    EXPECT_EQ(point.words.order, measure::Order::page);
    const std::uint32_t stride_bytes = point.words.stride_bytes.value();
    lines[stride_bytes].insert(*point.x.bytes / stride_bytes);
  }
  return lines;
}

TEST(PageWalks, AreOverAsManyLinesCloseTogetherAndFarApart) {
  const auto lines = asked({.memory_bytes = 16 * gib}, {});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines.at(1 << 10), lines.at(2 << 20));
  EXPECT_EQ(*lines.at(2 << 20).begin(), 8);
  EXPECT_EQ(*lines.at(2 << 20).rbegin(), 2048);  // 4 GiB
}

TEST(PageWalks, HaveNoMoreMemoryThanThereIsRoom) {
  const auto span = [](const device::DeviceInfo& device, const measure::Request& request = {}) {
    double most = 0;
    for (const Point& point : walks(device, request)) most = std::max(most, *point.x.bytes);
    return most;
  };
  EXPECT_EQ(span({.memory_bytes = 4 * gib}), 1.0 * gib);
  EXPECT_EQ(span({.memory_bytes = 64 * gib, .largest_buffer_bytes = 1 << 28}), 1 << 28);
  EXPECT_EQ(span({.memory_bytes = 64 * gib}, {.largest_bytes = 1 << 26}), 1 << 26);
  EXPECT_EQ(span({.memory_bytes = 64 * gib}, {.largest_bytes = 1 << 20}), 0);
  device::DeviceInfo cpu{.memory_bytes = 64 * gib};
  cpu.type = device::DeviceType::cpu;
  EXPECT_EQ(span(cpu), 1.0 * gib);
}

// A stride half as large for twice as many lines: few lines fill no table.
TEST(PageWalks, AreCloserTogetherWhereThereIsLittleRoom) {
  EXPECT_EQ(asked({.memory_bytes = 4 * gib}, {}).rbegin()->first, 1u << 20);
  EXPECT_EQ(asked({.memory_bytes = gib}, {}).rbegin()->first, 256u << 10);
}

/// The other paths see the same caches, and no pages.
std::vector<Point> vector_points(const device::DeviceInfo& device, const measure::Request& request,
                                 std::span<const measure::Measurement> known) {
  measure::Request of_vector_path = request;
  of_vector_path.was_asked = [&](const Point& point) {
    return !test::is_by_vector_path(point.words) || point.words.fabric || request.was_asked(point);
  };
  return probes::latency.next(device, of_vector_path, known);
}

/// What the first look finds on a device with two caches and those tables.
struct Probed {
  test::RecordingObserver seen;

  explicit Probed(std::vector<device::model::Translation> tables) {
    device::model::Description model = test::small_model(16 * gib);
    model.levels.insert(model.levels.begin() + 1, model.levels.front());
    model.levels[1].bytes = 1 << 20;
    model.levels[1].latency_ns = 120;
    model.noise = {.relative = 0.01, .outlier_share = 0.01, .outlier_factor = 3};
    model.translation = std::move(tables);
    const auto device = device::model::open(model);
    measure::Probe probe = probes::latency;
    probe.next = vector_points;
    measure::run_probe(*device, probe,
                       {.request = {.look = Look::first, .seed = 3}, .host_time = [] { return counters::HostTime{}; }},
                       seen);
  }

  /// Levels of the path that the pages are walked by.
  [[nodiscard]] std::ptrdiff_t levels() const {
    return std::ranges::count_if(seen.levels,
                                 [](const measure::FoundLevel& level) { return test::is_by_vector_path(level.words); });
  }
};

TEST(PageWalks, TellPagesEntriesAndCostOfATableAndNoLevelIsMadeOfIt) {
  const Probed probed({{.page_bytes = 64 << 10, .entries = 96, .penalty_ns = 60}});  // reaches 6 MiB, beside memory
  EXPECT_EQ(probed.levels(), 3);
  ASSERT_EQ(probed.seen.findings.size(), 1u);
  const Finding& finding = probed.seen.findings[0];
  EXPECT_EQ(finding.kind, &measure::finding_kinds::translation);
  EXPECT_NEAR(*finding.value / (96.0 * 65536), 1, 0.1);
  EXPECT_LE(*finding.low, 96.0 * 65536);
  EXPECT_GE(*finding.high, 96.0 * 65536);
  EXPECT_EQ(finding.details.at("page_bytes"), 65536);
  EXPECT_NEAR(finding.details.at("entries"), 96, 9.6);
  EXPECT_NEAR(finding.details.at("added_ns"), 60, 3);
  EXPECT_NE(finding.evidence.find("pages of 64 KiB"), std::string::npos) << finding.evidence;
}

TEST(PageWalks, FindNoTableWhereThereIsNone) {
  const Probed probed({});
  EXPECT_EQ(probed.levels(), 3);
  EXPECT_TRUE(probed.seen.findings.empty());
}

}  // namespace
}  // namespace sonde::workloads
