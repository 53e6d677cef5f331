// The roofline: a simulated device's ridge points come back, a roof that points prove wrong is measured again, and what
// is said of a long load follows from its first and its last second.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/model/model.hpp"
#include "measure/repetitions.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/compute/compute.hpp"
#include "support/recording_observer.hpp"
#include "support/small_model.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::probes::compute_probe {
namespace {

using measure::PointKey;

/// Two caches and memory, each of a rate that the arithmetic of 2 x 2 GHz x 256 operations, 1024 Gop/s, meets
/// elsewhere.
device::model::Description three_levels() {
  device::model::Description model = test::small_model(1ull << 26);
  model.compute_units = 2;
  model.launch_ns = 2000;
  model.levels.resize(3);
  model.levels[0] = {.bytes = 64 << 10, .latency_ns = 20, .read_gbps = 2048, .write_gbps = 2048};
  model.levels[1] = {.bytes = 1 << 20, .latency_ns = 60, .read_gbps = 512, .write_gbps = 512};
  model.levels[2] = {.latency_ns = 300, .read_gbps = 64, .write_gbps = 64};
  model.arithmetic.per_cycle = {{"fp32", 128}};
  model.arithmetic.functions_per_cycle = 16;
  return model;
}

test::RecordingObserver roofline_of(const device::model::Description& model, measure::Request request) {
  const auto device = device::model::open(model);
  test::RecordingObserver observer;
  (void)measure::run_probe(*device, compute,
                           {.request = std::move(request), .host_time = [] { return counters::HostTime{}; }}, observer);
  return observer;
}

std::vector<Finding> ridges_of(const test::RecordingObserver& seen) {
  std::vector<Finding> some;
  std::ranges::copy_if(seen.findings, std::back_inserter(some), [](const Finding& one) { return one.kind == &ridge; });
  return some;
}

TEST(Roofline, FindsEachLevelsRidgeOfASimulatedDevice) {
  const test::RecordingObserver seen =
      roofline_of(three_levels(), {.look = measure::Look::closer, .largest_bytes = 8 << 20});
  for (const auto& failure : seen.failures) ADD_FAILURE() << failure.text;
  const std::vector<Finding> found = ridges_of(seen);
  ASSERT_EQ(found.size(), 3u);
  const std::vector<std::pair<std::string, double>> known{{"level 1", 0.5}, {"level 2", 2}, {"memory", 16}};
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_EQ(found[i].words.level.str(), known[i].first);
    EXPECT_NEAR(*found[i].value / known[i].second, 1, 0.02) << found[i].evidence;
    EXPECT_GE(found[i].details.at("least_share_of_roof"), 0.9) << found[i].evidence;
    EXPECT_LE(found[i].details.at("share_of_roof"), 1.03) << found[i].evidence;
  }
}

TEST(Roofline, AFirstLookFindsTheFirstLevelsAndMemorys) {
  const test::RecordingObserver seen =
      roofline_of(three_levels(), {.look = measure::Look::first, .largest_bytes = 8 << 20});
  const std::vector<Finding> found = ridges_of(seen);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(*found[0].value, 0.5, 0.01) << found[0].evidence;
  EXPECT_NEAR(*found[1].value, 16, 0.32) << found[1].evidence;
  EXPECT_NE(found[1].evidence.find("fp32 needs 16 operations a byte from memory"), std::string::npos)
      << found[1].evidence;
}

TEST(Roofline, GoesOnUntilArithmeticAloneIsTheLimit) {
  const auto most_operations = [](double memory_gbps) {
    device::model::Description model = three_levels();
    model.levels[2].read_gbps = memory_gbps;
    std::map<std::string, double> most;
    for (const auto& one : roofline_of(model, {.look = measure::Look::closer, .largest_bytes = 8 << 20}).measurements) {
      if (!is_at_level(one.point)) continue;
      double& of_level = most[one.point.words.level.str()];
      of_level = std::max(of_level, one.point.x.operations_per_byte.value());
    }
    return most;
  };
  using Most = std::map<std::string, double>;
  EXPECT_EQ(most_operations(256), (Most{{"level 1", 64}, {"level 2", 64}, {"memory", 64}}));   // a ridge of 4
  EXPECT_EQ(most_operations(64), (Most{{"level 1", 64}, {"level 2", 64}, {"memory", 256}}));   // 16
  EXPECT_EQ(most_operations(10), (Most{{"level 1", 64}, {"level 2", 64}, {"memory", 1024}}));  // 102
  EXPECT_EQ(most_operations(1), (Most{{"level 1", 64}, {"level 2", 64}, {"memory", 1024}}));
}

/// A device that answers each point with a number that fits its curve; what `fails` has no answer.
class AnsweredCompute {
 public:
  explicit AnsweredCompute(std::function<bool(const Point&)> fails) : fails_(std::move(fails)) {
    request_.was_asked = [this](const Point& point) { return asked_.contains(key_of(point)); };
  }
  AnsweredCompute(const AnsweredCompute&) = delete;
  AnsweredCompute& operator=(const AnsweredCompute&) = delete;

  /// The points in the order in which they are asked for at a look, so many before the plan is asked again.
  std::vector<Point> asked_at(Look look, std::size_t at_once) {
    request_.look = look;
    std::vector<Point> all;
    for (std::vector<Point> points = next(); !points.empty(); points = next()) {
      for (const Point& point : std::span(points).first(std::min(at_once, points.size()))) {
        EXPECT_TRUE(asked_.insert(key_of(point)).second);
        all.push_back(point);
        if (fails_(point)) continue;
        const double gbps = point.x.bytes.value_or(0) < 1e5 ? 500 : point.x.bytes.value_or(0) < 4e6 ? 100 : 20;
        known_.push_back(
            {point, std::string(point.curve->unit.name), {point.curve == &roofline_bandwidth ? gbps : 400}});
        known_.back().state.shape = workloads::named(workloads::ArithmeticShape{.groups = 8});
      }
    }
    (void)compute.conclude({}, known_);
    return all;
  }
  [[nodiscard]] const std::set<PointKey>& asked() const { return asked_; }

 private:
  std::vector<Point> next() {
    return compute.next({.type = device::DeviceType::cpu, .compute_units = 8}, request_, known_);
  }

  Request request_;
  std::function<bool(const Point&)> fails_;
  std::vector<Measurement> known_;
  std::set<PointKey> asked_;
};

constexpr std::array looks{Look::first, Look::closer, Look::closest};

TEST(ComputePlan, BeginsWithWhatMostProgramsComputeWithAndHowFastMemoryFeedsIt) {
  AnsweredCompute plan([](const Point&) { return false; });
  const std::vector<Point> first = plan.asked_at(Look::first, 100);
  ASSERT_GE(first.size(), 4u);
  const std::array types{ArithmeticType::fp32, ArithmeticType::fp64, ArithmeticType::int32};
  for (std::size_t i = 0; i < types.size(); ++i) EXPECT_EQ(first[i].words.type, types[i]);
  EXPECT_EQ(first[3].words.level.text(), "memory");
  EXPECT_EQ(first[3].x.operations_per_byte, 0.0);
}

TEST(ComputePlan, LooksOnlyAddWhateverFailsAndWhereverItGoesOn) {
  std::map<bool, std::set<PointKey>> asked;
  for (const bool one_by_one : {false, true}) {
    AnsweredCompute plan([](const Point&) { return false; });
    for (const Look look : looks) EXPECT_GT(plan.asked_at(look, one_by_one ? 1 : 100).size(), 4u);
    for (const Look look : looks) EXPECT_TRUE(plan.asked_at(look, 100).empty());
    asked[one_by_one] = plan.asked();
  }
  EXPECT_EQ(asked[false], asked[true]);
  const auto is_single = [](const Point& point) { return point.words == single_words && point.x == Coordinates{}; };
  const auto is_double = [](const Point& point) { return point.words.type == ArithmeticType::fp64; };
  const auto is_memory = [](const Point& point) { return point.words.level == measure::Name("memory"); };
  for (const std::function<bool(const Point&)>& fails :
       {std::function<bool(const Point&)>(is_single), std::function<bool(const Point&)>(is_double),
        std::function<bool(const Point&)>(is_memory)}) {
    AnsweredCompute plan(fails);
    std::size_t count = 0;
    for (const Look look : looks) count += plan.asked_at(look, 3).size();
    EXPECT_GT(count, 20u);
  }
}

TEST(Roofline, LeavesOutWhatTheUserDidNotAskFor) {
  const test::RecordingObserver seen =
      roofline_of(three_levels(), {.look = measure::Look::first, .largest_bytes = 8 << 10});
  EXPECT_TRUE(ridges_of(seen).empty());
  const test::RecordingObserver no_memory =
      roofline_of(three_levels(), {.look = measure::Look::first, .largest_bytes = 64 << 10});
  ASSERT_EQ(ridges_of(no_memory).size(), 1u);
  EXPECT_EQ(ridges_of(no_memory)[0].words.level.text(), "level 1");
}

/// Values of a curve by visit.
Measurement measured(const Point& point, const std::vector<double>& by_visit) {
  Measurement one{.point = point, .unit = std::string(point.curve->unit.name), .values = by_visit, .state = {}};
  one.visits.assign(by_visit.size(), 1);
  one.state.shape = workloads::named(workloads::ArithmeticShape{.groups = 2});
  return one;
}

Measurement rate_of_singles(const std::vector<double>& by_visit) {
  return measured(point_on(rate, {}, single_words), by_visit);
}

Measurement from_memory(double operations_per_byte, const std::vector<double>& by_visit) {
  return measured(point_on(operations_per_byte == 0 ? roofline_bandwidth : roofline,
                           {.bytes = 1 << 26, .operations_per_byte = operations_per_byte},
                           {.level = "memory", .sharing = measure::Sharing::separate}),
                  by_visit);
}

/// The visits that the probe wants of what the roofs are made of, the rate of fp32 and memory's bandwidth, whose size
/// here is none of its own; 0 where those that were made are enough.
std::pair<int, int> visits_wanted(const std::vector<Measurement>& known) {
  std::pair<int, int> visits{0, 0};
  const Point of_singles = rate_of_singles({1}).point;
  const Point bandwidth = from_memory(0, {1}).point;
  for (const Point& one : compute.next({.compute_units = 2}, {.look = measure::Look::first}, known)) {
    if (one.words == of_singles.words && one.x == of_singles.x) visits.first = std::max(visits.first, one.visits);
    if (one.words == bandwidth.words && one.x == bandwidth.x) visits.second = std::max(visits.second, one.visits);
  }
  return visits;
}

TEST(Roofline, ALevelDeliversTheMostThatAnyOfItsPointsReads) {
  const std::vector<Measurement> all{rate_of_singles({240}), from_memory(0, {30}), from_memory(0.25, {7.5}),
                                     from_memory(2, {96}), from_memory(64, {240})};
  const std::vector<Finding> found = ridges(all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, &ridge);
  EXPECT_DOUBLE_EQ(*found[0].value, 5);
  EXPECT_DOUBLE_EQ(found[0].details.at("gbps"), 48);
  EXPECT_NEAR(found[0].details.at("least_share_of_roof"), 0.625, 1e-9);
}

TEST(Roofline, ARateBelowItsPointsIsMeasuredAgainAndNoRidgeIsConcludedFromIt) {
  // Both of two cores' threads on one of them, all the while that the rate was measured.
  std::vector<Measurement> all{rate_of_singles({118, 117, 117}), from_memory(0, {40, 40, 40}), from_memory(1, {40}),
                               from_memory(64, {233})};
  EXPECT_EQ(visits_wanted(all), std::pair(5, 0));
  const std::vector<Finding> found = ridges(all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, &suspicious);
  EXPECT_NE(found[0].evidence.find("With 64 operations for each byte from memory fp32 reached 233 Gop/s, but its rate "
                                   "by itself only 117"),
            std::string::npos)
      << found[0].evidence;
  // It mends.
  all[0] = rate_of_singles({118, 117, 233, 232, 233});
  EXPECT_EQ(ridges(all)[0].kind, &ridge);
}

TEST(Roofline, WhatItsRoofsAreMadeOfIsMeasuredAgainWhileVisitsDisagree) {
  std::vector<Measurement> all{rate_of_singles({233, 231, 232}), from_memory(0, {40, 41, 40}), from_memory(64, {233})};
  EXPECT_EQ(visits_wanted(all), std::pair(0, 0));
  all[1] = from_memory(0, {40, 20, 20});
  EXPECT_EQ(visits_wanted(all), std::pair(0, 5));
  all[0] = rate_of_singles({233, 117, 117});
  EXPECT_EQ(visits_wanted(all), std::pair(5, 5));
  const std::vector<Finding> found = peaks({.compute_units = 2}, all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].evidence.find(", from 117 to 233 at different moments"), std::string::npos) << found[0].evidence;
  all[0] = rate_of_singles({233, 117, 117, 117, 233, 117, 233, 117, 233});
  EXPECT_EQ(visits_wanted(all).first, 0) << "for ever";
}

Measurement second_of_load(double second, double gops, double clock_mhz, std::set<std::string> reasons) {
  Measurement one{.point = point_on(rate, {.seconds = second}, single_words),
                  .unit = "Gop/s",
                  .values = {gops, gops, gops},
                  .state = {}};
  one.state.device_state.gpu_clock_mhz = clock_mhz;
  one.state.device_state.power_watts = 300 + second;
  one.state.device_state.throttle_reasons = std::move(reasons);
  return one;
}

TEST(Sustained, IsTheLastSecondOverTheFirst) {
  const std::vector<Measurement> all{second_of_load(2, 950, 1900, {"power"}), second_of_load(1, 1000, 2000, {}),
                                     second_of_load(3, 900, 1800, {"power"})};
  const std::vector<Finding> found = sustained_findings(all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(*found[0].value, 0.9);
  EXPECT_EQ(found[0].details.at("first_clock_mhz"), 2000);
  EXPECT_EQ(found[0].details.at("last_clock_mhz"), 1800);
  EXPECT_EQ(found[0].evidence,
            "fp32 fma made 1000 Gop/s in second 1 and 900 in second 3, 0.9 of it: slower; its clock was 2000 MHz, then "
            "1800; it took 301 W, then 303; it was throttled by power.");
  EXPECT_TRUE(sustained_findings(std::span(all).first(1)).empty());
}

TEST(Sustained, AWorkloadGoesOnForAsLongAsItIsAsked) {
  const auto device = device::model::open(three_levels());
  const measure::Workload work = workloads::sustained_arithmetic(
      *device, {.width = 1, .accumulators = 4, .unroll = 8, .group_size = 256, .groups = 16}, device::Nanoseconds(1e8),
      1);
  const measure::Repetitions found = std::get<SelfTimedWork>(work.work).repeat(measure::Limits{}, [] {});
  EXPECT_GE(found.values.size(), 2u);
  double ns = 0;
  for (const double gops : found.values) {
    EXPECT_NEAR(gops / 1024, 1, 0.01);
    ns += 2.0 * 2 * 8 * 4 * 256 * 16 * static_cast<double>(found.steps) / gops;
  }
  EXPECT_GE(ns, 1e8);
}

}  // namespace
}  // namespace sonde::probes::compute_probe
