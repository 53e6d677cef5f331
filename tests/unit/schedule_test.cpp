#include "session/schedule.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "measure/targets.hpp"

namespace sonde::session {
namespace {

constexpr double plenty = 1e9;

TEST(Schedule, AFurtherDeviceHasTwoFifthsMore) {
  EXPECT_DOUBLE_EQ(budget_of(60, 1), 60);
  EXPECT_DOUBLE_EQ(budget_of(60, 2), 84);
  EXPECT_DOUBLE_EQ(budget_of(60, 3), 108);
  EXPECT_DOUBLE_EQ(budget_of(60, 0), 60) << "the CPU alone, beside GPUs that were left out";
}

TEST(Schedule, FirstLooksComeBeforeAllElseInTheirOrder) {
  std::vector<Candidate> candidates{{.doubt = 9, .seconds_spent = 1, .seconds_of_next = 0.1},
                                    {.is_first_look = true, .seconds_spent = 5, .seconds_of_next = 3},
                                    {.is_first_look = true}};
  EXPECT_EQ(most_worthwhile(candidates, plenty), 1u);
  candidates[1].is_first_look = false;
  EXPECT_EQ(most_worthwhile(candidates, plenty), 2u);
}

TEST(Schedule, AFirstLookIsFinishedWhateverTheBudget) {
  const std::vector<Candidate> candidates{{.seconds_of_next = 0.1}, {.is_first_look = true, .seconds_of_next = 3}};
  EXPECT_EQ(most_worthwhile(candidates, -10), 1u);
}

TEST(Schedule, WhatHasMostDoubtForItsSecondsComesFirst) {
  EXPECT_EQ(most_worthwhile(std::vector<Candidate>{{.doubt = 1, .seconds_spent = 4},
                                                   {.doubt = 3, .seconds_spent = 4},
                                                   {.doubt = 2, .seconds_spent = 4}},
                            plenty),
            1u);
  EXPECT_EQ(most_worthwhile(std::vector<Candidate>{{.doubt = 4, .seconds_spent = 20}, {.doubt = 1, .seconds_spent = 4}},
                            plenty),
            1u);
}

TEST(Schedule, WhereNothingIsInDoubtMorePointsAreStillWorthSomething) {
  const std::vector<Candidate> candidates{{.doubt = 0, .seconds_spent = 4}, {.doubt = 1, .seconds_spent = 10}};
  EXPECT_EQ(most_worthwhile(candidates, plenty), 1u);
  EXPECT_EQ(most_worthwhile(std::span(candidates).first(1), plenty), 0u);
}

TEST(Schedule, ALongVisitIsWorthLessASecondThanAShortOne) {
  EXPECT_EQ(most_worthwhile(std::vector<Candidate>{{.doubt = 2, .seconds_spent = 1, .seconds_of_next = 10},
                                                   {.doubt = 1, .seconds_spent = 1, .seconds_of_next = 0.1}},
                            plenty),
            1u);
}

TEST(Schedule, WhatDoesNotFitIsLeft) {
  const std::vector<Candidate> candidates{{.doubt = 9, .seconds_spent = 1, .seconds_of_next = 3},
                                          {.doubt = 1, .seconds_spent = 9, .seconds_of_next = 0.5}};
  EXPECT_EQ(most_worthwhile(candidates, 3), 0u);
  EXPECT_EQ(most_worthwhile(candidates, 2), 1u);
  EXPECT_EQ(most_worthwhile(candidates, 0.4), std::nullopt);
  EXPECT_EQ(most_worthwhile(candidates, -1), std::nullopt);
  EXPECT_EQ(most_worthwhile({}, plenty), std::nullopt);
}

/// The seconds that each of two candidates has had after so many visits of a second.
std::array<double, 2> seconds_after(int visits, std::array<double, 2> doubt) {
  std::vector<Candidate> candidates{{.doubt = doubt[0], .seconds_of_next = 1},
                                    {.doubt = doubt[1], .seconds_of_next = 1}};
  for (int visit = 0; visit < visits; ++visit) {
    candidates[most_worthwhile(candidates, plenty).value()].seconds_spent += 1;
  }
  return {candidates[0].seconds_spent, candidates[1].seconds_spent};
}

TEST(Schedule, NothingStarves) {
  const auto alike = seconds_after(300, {5, 5});
  EXPECT_NEAR(alike[0], alike[1], 1);
  const auto ten_to_one = seconds_after(300, {1, 10});
  EXPECT_NEAR(ten_to_one[1] / ten_to_one[0], 10, 2);
  const auto beside_none = seconds_after(1000, {0, 10});
  EXPECT_NEAR(beside_none[1] / beside_none[0], 40, 8);
}

/// An interval with such a relative half width.
analysis::Bracket within(double half_width, double value = 100) {
  return {.low = value * (1 - half_width), .value = value, .high = value * (1 + half_width)};
}

measure::FoundLevel level(std::optional<analysis::Bracket> bytes, const analysis::Bracket& latency_ns) {
  measure::FoundLevel found;
  found.found.bytes = bytes;
  found.found.latency_ns = latency_ns;
  return found;
}

TEST(Doubt, IsHowManyTimesTooWideTheSizesAndLatenciesOfLevelsAre) {
  using measure::Quantity;
  const double size = measure::half_width_at(Quantity::size, 1);
  const double rate = measure::half_width_at(Quantity::rate, 1);
  measure::Conclusion conclusion;
  EXPECT_EQ(doubt(conclusion), 0);
  conclusion.levels = {level(within(0.9 * size), within(0.9 * rate)), level(std::nullopt, within(0.9 * rate))};
  EXPECT_EQ(doubt(conclusion), 0) << "memory has no size that could be in doubt";
  conclusion.levels.push_back(level(within(4 * size), within(2 * rate)));
  EXPECT_NEAR(doubt(conclusion), 2 * 2 + 1, 1e-9) << "a size weighs as much as two latencies";
  conclusion.levels.push_back(level(within(0.9 * size), within(0.9)));
  EXPECT_NEAR(doubt(conclusion), 2 * 2 + 1 + 4, 1e-9) << "no number counts more than four times doubled";
  conclusion.levels.insert(conclusion.levels.end(), 9, conclusion.levels.back());
  EXPECT_NEAR(doubt(conclusion), 10, 1e-9) << "however many there are, others have time too";
}

TEST(Doubt, OfABandwidthCurveIsThatOfItsBandwidths) {
  measure::Conclusion conclusion;
  conclusion.levels = {level(std::nullopt, within(0.5))};
  conclusion.levels[0].gbps = within(0.001);
  EXPECT_EQ(doubt(conclusion), 0);
  conclusion.levels[0].gbps = within(2 * measure::half_width_at(measure::Quantity::rate, 1));
  EXPECT_NEAR(doubt(conclusion), 1, 1e-9);
  conclusion.levels[0].found.bytes = within(0.9);
  EXPECT_GT(doubt(conclusion), 1 + 2);
  conclusion.levels[0].matches = 1;
  EXPECT_NEAR(doubt(conclusion), 1, 1e-9) << "the size of a cache that latency found is latency's to sharpen";
}

TEST(Doubt, OfFindingsIsThatOfTheTwoThatALineHasRoomFor) {
  const double half_width = std::sqrt(2.0) * measure::half_width_at(measure::Quantity::rate, 1);
  measure::Conclusion conclusion;
  const measure::Finding wide{.value = 100, .low = 100 * (1 - half_width), .high = 100 * (1 + half_width)};
  const measure::Finding narrow{.value = -100, .low = -100.1, .high = -99.9};
  conclusion.findings = {narrow, {.value = 100}, {.evidence = "no number"}};
  EXPECT_EQ(doubt(conclusion), 0);
  conclusion.findings.push_back(wide);
  EXPECT_NEAR(doubt(conclusion), 0.5, 1e-9);
  conclusion.findings.insert(conclusion.findings.end(), 5, wide);
  EXPECT_NEAR(doubt(conclusion), 1, 1e-9);
  conclusion.findings = {{.value = 100, .low = 50, .high = std::numeric_limits<double>::infinity()}};
  EXPECT_NEAR(doubt(conclusion), 2, 1e-9) << "a line counts no more than that";
}

/// So many pairs whose ratio is this one, and as much more as less by turns.
std::vector<double> ratios(std::size_t count, double middle, double scatter) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(middle + (i % 2 == 0 ? scatter : -scatter));
  return all;
}

TEST(DoubtOfAVerdict, IsGoneOnceTheIntervalIsClearOfTheThreshold) {
  EXPECT_GT(doubt_of_verdict({}, 0.01), 0);
  EXPECT_GT(doubt_of_verdict(ratios(7, 0, 0), 0.01), 0) << "so few tell nothing of their scatter";
  EXPECT_EQ(doubt_of_verdict(ratios(8, 0, 0), 0.01), 0) << "the same";
  EXPECT_EQ(doubt_of_verdict(ratios(100, 0.06, 0.02), 0.01), 0) << "slower";
  EXPECT_EQ(doubt_of_verdict(ratios(100, -0.06, 0.02), 0.01), 0) << "faster";
  EXPECT_EQ(doubt_of_verdict(ratios(1000, 0, 0.02), 0.01), 0);
}

TEST(DoubtOfAVerdict, GrowsWithTheScatterAndNearTheThreshold) {
  const double wide = doubt_of_verdict(ratios(20, 0, 0.05), 0.01);
  EXPECT_GT(wide, doubt_of_verdict(ratios(20, 0, 0.03), 0.01));
  EXPECT_NEAR(wide - doubt_of_verdict(ratios(80, 0, 0.05), 0.01), 1, 1e-9) << "four times the pairs halve the width";
  EXPECT_GT(doubt_of_verdict(ratios(100, 0.0099, 0.01), 0.01), doubt_of_verdict(ratios(100, 0.002, 0.01), 0.01));
}

}  // namespace
}  // namespace sonde::session
