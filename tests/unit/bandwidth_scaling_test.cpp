// How many work-groups get all of a level: which points are asked for, and what is concluded.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/statistics.hpp"
#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "measure/visits.hpp"
#include "probes/bandwidth/bandwidth.hpp"
#include "probes/catalog.hpp"
#include "support/recording_observer.hpp"

namespace sonde::probes {
namespace {

using measure::Measurement;
using measure::Sharing;

Measurement swept(Sharing sharing, double bytes, double gbps, std::uint32_t groups) {
  Measurement one{.point = {.words = with(bandwidth_probe::level_words, {.sharing = sharing}), .x = {.bytes = bytes}},
                  .unit = "GB/s",
                  .values = {gbps, gbps, gbps},
                  .state = {}};
  one.point.shape = named(workloads::StreamShape{.group_size = 1, .groups = groups});
  return one;
}

/// Two levels and memory behind them, by shared sets; memory by sets of their own as well.
std::vector<Measurement> sweep(std::uint32_t groups) {
  std::vector<Measurement> known;
  double bytes = 4096;
  for (const double gbps : {800.0, 800.0, 790.0, 400.0, 205.0, 200.0, 198.0, 50.0, 50.0}) {
    known.push_back(swept(Sharing::shared, bytes, gbps, groups));
    bytes *= 2;
  }
  // The largest set is one that was searched: its point says nothing of a shape.
  known.push_back(swept(Sharing::separate, bytes, 49, groups));
  known.back().state.shape = std::exchange(known.back().point.shape, {});
  return known;
}

/// Asks until nothing is wanted any more; `gbps` answers.
template <typename Answer>
std::vector<Measurement> answered(std::vector<Measurement> known, Answer gbps) {
  for (;;) {
    const auto points = scaling_points(known);
    if (points.empty()) return known;
    for (const measure::Point& point : points) {
      EXPECT_EQ(point.shape.at("groups"), point.x.groups);
      const double value = gbps(point.x.bytes.value(), point.x.groups.value());
      known.push_back({.point = point, .unit = "GB/s", .values = {value, value, value}, .state = {}});
    }
    EXPECT_LT(known.size(), 200u);
    if (known.size() >= 200u) return known;
  }
}

TEST(BandwidthScaling, AsksForOneWorkingSetInEachLevelAndTheLastOfMemory) {
  std::set<std::pair<double, Sharing>> where;
  std::set<double> groups;
  for (const measure::Point& point : scaling_points(sweep(24))) {
    where.emplace(point.x.bytes.value(), point.words.sharing.value());
    groups.insert(point.x.groups.value());
  }
  EXPECT_EQ(where, (std::set<std::pair<double, Sharing>>{
                       {8192, Sharing::shared}, {131072, Sharing::shared}, {2097152, Sharing::separate}}));
  EXPECT_EQ(groups, (std::set<double>{1, 2, 4, 8, 16, 24}));
}

TEST(BandwidthScaling, TheNumberThatSufficesIsBracketedWithinAnEighth) {
  const auto known = answered(sweep(128), [](double, double groups) { return std::min(1.0, groups / 40) * 200; });
  for (const measure::Finding& finding : saturations(known)) {
    EXPECT_EQ(finding.kind, &bandwidth_probe::saturated_by);
    EXPECT_GE(finding.value.value(), 38);
    EXPECT_LE(finding.value.value(), 43);
  }
  EXPECT_EQ(saturations(known).size(), 3u);
}

TEST(BandwidthScaling, TheEvidenceNamesTheFiguresBesideTheNumber) {
  const auto known = answered(sweep(4), [](double, double groups) {
    return groups == 1 ? 60.0 : groups == 2 ? 118.0 : 120.0;
  });
  const auto found = saturations(known);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].value, 2);
  EXPECT_NE(found[0].evidence.find("2 of 4 work-groups get 118 GB/s, 98 %"), std::string::npos) << found[0].evidence;
  EXPECT_NE(found[0].evidence.find("one gets 60"), std::string::npos) << found[0].evidence;
}

/// The same measurements from three visits that lie so far apart, not in the same order at neighbouring numbers of
/// groups.
std::vector<Measurement> visited(std::vector<Measurement> known, double apart) {
  for (Measurement& one : known) {
    const double gbps = one.values.front();
    std::vector<double> medians{gbps * (1 - apart), gbps * (1 + apart), gbps};
    if (static_cast<int>(one.point.x.groups.value_or(0)) % 2 == 1)
      medians = {gbps * (1 + apart), gbps, gbps * (1 - apart)};
    one.values.clear();
    for (const double median : medians)
      for (const double within : {1 - apart / 3, 1.0, 1 + apart / 3}) one.values.push_back(median * within);
    one.visits = {3, 3, 3};
  }
  return known;
}

TEST(BandwidthScaling, AnIntervalHoldsEveryNumberThatAnotherRunMayFind) {
  const auto known = answered(sweep(16), [](double, double groups) { return std::min(groups, 10.0) * 10; });
  for (const measure::Finding& finding : saturations(visited(known, 0.002))) {
    EXPECT_EQ(finding.value, 10);
    EXPECT_EQ(finding.low, 10) << "nine surely are too few";
    EXPECT_EQ(finding.high, 10);
    EXPECT_EQ(finding.evidence.find("another run"), std::string::npos);
  }
  const std::vector<measure::Finding> unsure = saturations(visited(known, 0.03));
  ASSERT_EQ(unsure.size(), 3u);
  EXPECT_EQ(unsure[0].value, 10);
  EXPECT_EQ(unsure[0].low, 10)
      << "nine get 90 %, and medians of visits 3 % apart make that 95 % of the most in 2 of 1,000";
  EXPECT_EQ(unsure[0].high, 16);
  EXPECT_TRUE(unsure[0].evidence.ends_with(" Another run may find that 10 to 16 are enough.")) << unsure[0].evidence;
}

TEST(BandwidthScaling, OneMomentAloneIsTrustedAsFarAsRunsUsuallyAgree) {
  auto known = answered(sweep(16), [](double, double groups) { return std::min(groups, 10.0) * 10; });
  EXPECT_EQ(saturations(known)[0].high, 10) << "nobody else uses the machine";
  for (Measurement& one : known) one.state.foreign_cpu = 0.01;
  const std::vector<measure::Finding> found = saturations(known);
  EXPECT_GE(found[0].low, 9) << "eight get 80 %, and runs hardly differ by a fifth";
  EXPECT_EQ(found[0].high, 16);
}

TEST(BandwidthScaling, EachNumberIsVisitedSeveralTimes) {
  for (const measure::Point& point : scaling_points(sweep(24))) EXPECT_EQ(point.visits, measure::usual_visits);
}

TEST(BandwidthScaling, ADeviceWithOneGroupHasNothingToTell) {
  EXPECT_TRUE(saturations(answered(sweep(1), [](double, double) { return 10.0; })).empty());
}

TEST(BandwidthScaling, FindsWhatSaturatesAModelAndLeavesTheSweepsAlone) {
  device::model::Description model;
  model.name = "two levels";
  model.compute_units = 16;
  model.saturated_by = 10;
  model.timer_step_ns = 1;
  model.memory_bytes = 1ull << 30;
  model.noise.relative = 0.01;
  model.levels.resize(2);
  model.levels[0] = {
      .bytes = 1 << 20, .line_bytes = 128, .ways = 16, .latency_ns = 40, .read_gbps = 500, .write_gbps = 200};
  model.levels[1] = {.latency_ns = 300, .read_gbps = 50, .write_gbps = 40};
  const measure::RunnerOptions options{
      .request = {.look = measure::Look::first, .smallest_bytes = 64 << 10, .largest_bytes = 8 << 20},
      .host_time = [] { return counters::HostTime{}; }};
  test::RecordingObserver observer;
  measure::run_probe(*device::model::open(model), bandwidth, options, observer);
  std::set<double> footprints;
  for (const Measurement& one : observer.measurements) {
    if (!is_scaling(one.point)) continue;
    const double bytes = one.point.x.bytes.value();
    const double groups = one.point.x.groups.value();
    footprints.insert(bytes);
    const double all = bytes < 1e6 ? 500 : 50;
    EXPECT_NEAR(analysis::summarize(one.values).median, all * std::min(1.0, groups / 10), 0.02 * all)
        << bytes << " " << groups;
    EXPECT_EQ(one.state.shape.at("groups"), groups);
  }
  EXPECT_EQ(footprints.size(), 2u);
  int found = 0;
  for (const measure::Finding& finding : observer.findings) {
    if (finding.kind == &bandwidth_probe::launch) continue;
    EXPECT_EQ(finding.kind, &bandwidth_probe::saturated_by);
    EXPECT_NEAR(finding.value.value(), 10, 1);
    EXPECT_LE(finding.low.value(), 10);
    EXPECT_GE(finding.high.value(), 10);
    ++found;
  }
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace sonde::probes
