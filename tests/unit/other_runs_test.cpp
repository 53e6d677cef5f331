// What another run may read, by the visits of this one.

#include "measure/other_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

using Values = std::vector<double>;

/// Measurements of one curve whose values have a normal scatter, as have their visits beyond that.
class Machine {
 public:
  explicit Machine(double of_values, double of_visits, std::uint64_t seed = 1)
      : of_values_(of_values), of_visits_(of_visits), random_(seed) {}

  Measurement measured(double place, int visits, double true_value = 100) {
    Measurement one{.point = test::point_of(place), .unit = "ns", .values = {}, .state = {}};
    for (int visit = 0; visit < visits; ++visit) {
      const double off = of_visits_ * normal_(random_);
      for (int value = 0; value < 3; ++value)
        one.values.push_back(true_value * std::exp(off + of_values_ * normal_(random_)));
      one.visits.push_back(3);
    }
    return one;
  }
  std::vector<Measurement> run(int points, int visits) {
    std::vector<Measurement> all;
    for (int place = 1; place <= points; ++place) all.push_back(measured(1024.0 * place, visits));
    return all;
  }

 private:
  double of_values_;
  double of_visits_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

double half_width(const analysis::Estimate& estimate) { return std::log(estimate.high / estimate.low) / 2; }

/// How often an interval of one run holds the other's value, and the mean half width.
std::pair<double, double> held(Machine machine, int visits) {
  int held = 0;
  double widths = 0;
  constexpr int runs = 20;
  constexpr int points = 100;
  for (int run = 0; run < runs; ++run) {
    const std::vector<Measurement> one = machine.run(points, visits);
    const std::vector<Measurement> other = machine.run(points, visits);
    for (int point = 0; point < points; ++point) {
      const Known found = estimate(one[point], one);
      held += found.low <= median_of(other[point]) && median_of(other[point]) <= found.high ? 1 : 0;
      widths += half_width(found);
    }
  }
  return {1.0 * held / (runs * points), widths / (runs * points)};
}

TEST(OtherRuns, LieInTheIntervalsOfSeveralVisitsAndTheseAreAsWideAsTheVisitsScatter) {
  // Little of what runs usually differ by is left where a hundred second visits agree.
  const auto [share, width] = held(Machine(0.001, 0.001), 3);
  EXPECT_GE(share, 0.95);
  EXPECT_LT(width, 0.012);
  const auto [of_more_scatter, wider] = held(Machine(0.02, 0.1), 3);
  EXPECT_GE(of_more_scatter, 0.93);
  EXPECT_LT(wider, 0.3);
}

TEST(OtherRuns, LieInTheIntervalsOfSingleVisitsByWhatIsUsual) {
  // Visits that scatter as much as the medians of their values do, and as much again.
  const auto [share, width] = held(Machine(0.02, 0.02), 1);
  EXPECT_GE(share, 0.95);
  EXPECT_LT(width, 0.2);
}

TEST(OtherRuns, OneVisitIsKnownLessThanTwoThatAgree) {
  Machine machine(0.01, 0.01);
  std::vector<Measurement> all = machine.run(20, 2);
  all.push_back(machine.measured(64, 1));
  EXPECT_GT(half_width(estimate(all.back(), all)), half_width(estimate(all.front(), all)));
  EXPECT_GT(half_width(estimate(all.back(), all)), 0.02);
  EXPECT_LT(half_width(estimate(all.back(), all)), 0.1);
}

TEST(OtherRuns, APointIsJudgedByItsVisitsAndByThoseOfOthers) {
  std::vector<Measurement> all = Machine(0.01, 0.01).run(20, 3);
  Measurement alike = all.front();
  alike.values = {100, 100, 100, 100, 100, 100, 100, 100, 100};
  all.push_back(alike);
  Measurement apart = all.front();
  apart.values = {80, 80, 80, 100, 100, 100, 125, 125, 125};
  all.push_back(apart);
  EXPECT_GT(half_width(estimate(alike, {&alike, 1})), 0) << "three that agree by chance are no certainty";
  const double usual = half_width(estimate(all.front(), all));
  EXPECT_GT(half_width(estimate(all[20], all)), 0.2 * usual);
  EXPECT_GT(half_width(estimate(all[21], all)), 3 * usual);
}

TEST(OtherRuns, AreTheSameAgainAndScatterAsTheirReachesSay) {
  const std::vector<Measurement> all = Machine(0.02, 0.05).run(4, 3);
  OtherRuns first(all);
  OtherRuns second(all);
  Values medians;
  for (int run = 0; run < OtherRuns::count; ++run) {
    medians.push_back(median_of(first.next()[2]));
    EXPECT_EQ(medians.back(), median_of(second.next()[2]));
  }
  const analysis::Estimate found = analysis::among(median_of(all[2]), medians);
  EXPECT_NEAR(half_width(found), reaches(all)[2].half_width, 0.25 * half_width(found));
}

TEST(OtherRuns, ARatioOfTwoPointsIsKnownLessThanEach) {
  std::vector<Measurement> all = Machine(0.02, 0.05).run(10, 3);
  all[1].point.words.memory = "other";
  const SeenInRuns<double> seen(
      all, [](std::span<const Measurement> some) { return median_of(some[0]) / median_of(some[1]); });
  const Known ratio = seen.estimate(std::identity());
  const double each = std::hypot(half_width(estimate(all[0], all)), half_width(estimate(all[1], all)));
  EXPECT_NEAR(half_width(ratio), each, 0.3 * each);
  EXPECT_EQ(ratio.unsteady_visits, 0);
}

TEST(OtherRuns, ManyPointsOfOneCurveHaveAPartOfTheirScatterInCommon) {
  const std::vector<Measurement> all = Machine(0.02, 0.05).run(50, 3);
  const SeenInRuns<double> seen(all, [](std::span<const Measurement> some) {
    double sum = 0;
    for (const Measurement& one : some) sum += std::log(median_of(one));
    return std::exp(sum / static_cast<double>(some.size()));
  });
  const double of_mean = half_width(seen.estimate(std::identity()));
  const double of_one = half_width(estimate(all[0], all));
  EXPECT_GT(of_mean, 0.4 * of_one);
  EXPECT_LT(of_mean, 0.95 * of_one);
}

TEST(OtherRuns, NumbersAroundZeroScatterByThemselves) {
  Measurement share{.point = test::point_of(1024), .unit = "ratio", .values = {0, 0.02, -0.02}, .state = {}};
  const analysis::Estimate found = margin(share, {&share, 1});
  EXPECT_LT(found.low, -0.05);
  EXPECT_GT(found.high, 0.05);
  EXPECT_LT(found.high, 0.3);
}

TEST(OtherRuns, AValueOfWhichNothingTellsTheScatterIsHardlyKnown) {
  const Measurement one{.point = test::point_of(1024), .unit = "ns", .values = {100}, .state = {}};
  EXPECT_LT(estimate(one).low, 50);
  EXPECT_GT(estimate(one).high, 200);
}

constexpr FindingKind rate{.name = "rate", .heading = "Rate", .meaning = "A rate.", .unit = units::gbps};

TEST(OtherRuns, WhatIsKnownOfOneMomentIsKnownLessAmongOthersUntilFurtherVisitsTell) {
  std::vector<Measurement> all = Machine(0.01, 0.01).run(4, 1);
  const auto half_width_of = [&](int visits, double others) {
    std::vector<const Measurement*> points;
    for (Measurement& one : all) {
      one.visits.assign(static_cast<std::size_t>(visits), 3);
      one.state.steal = others;
      points.push_back(&one);
    }
    const analysis::Estimate found = widened_among_others({.low = 99, .value = 100, .high = 101}, points);
    EXPECT_EQ(found.value, 100);
    return half_width(found);
  };
  EXPECT_NEAR(half_width_of(1, 0), 0.01, 1e-4) << "nobody else is there";
  EXPECT_NEAR(half_width_of(1, 0.1), 0.3, 0.01);
  EXPECT_LT(half_width_of(3, 0.1), 0.25);
  EXPECT_NEAR(half_width_of(30, 0.1), 0.1, 0.01) << "neighbours stay for minutes";
}

TEST(OtherRuns, ANumberThatIsNotSteadyIsTheRangeThatWasSeen) {
  Measurement one{.point = test::point_of(1024), .unit = "GB/s", .values = {}, .state = {}};
  for (const double value : {9.0, 21.0, 9.5, 20.0, 10.0, 19.0}) {
    one.values.insert(one.values.end(), {value, value, value});
    one.visits.push_back(3);
  }
  const Finding unsteady = finding_of(rate, {}, estimate(one), "A rate.");
  EXPECT_EQ(unsteady.low, 9);
  EXPECT_EQ(unsteady.high, 21);
  EXPECT_EQ(unsteady.evidence, "A rate. No steady value: 9 to 21 GB/s over 6 visits.");
  one.values.resize(6);
  one.visits = {3, 3};
  const Finding too_few = finding_of(rate, {}, estimate(one), "A rate.");
  EXPECT_LT(too_few.low, 9);
  EXPECT_GT(too_few.high, 21);
  EXPECT_GT(too_few.low, 9 / 2.5) << "two visits leave it no less known than nothing would";
  EXPECT_LT(too_few.high, 21 * 2.5);
  EXPECT_NE(too_few.evidence.find("No steady value yet: another run may read "), std::string::npos);
  EXPECT_EQ(finding_of(rate, {}, analysis::Estimate{9, 10, 11}, "A rate.").evidence, "A rate.");
}

}  // namespace
}  // namespace sonde::measure
