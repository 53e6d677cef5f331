#include "session/schedule.hpp"

#include <gtest/gtest.h>

#include <array>
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
  std::vector<Candidate> candidates{{.open_quantities = 9, .seconds_spent = 1, .seconds_of_next = 0.1},
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

TEST(Schedule, WhatHasMostOpenForItsSecondsComesFirst) {
  EXPECT_EQ(most_worthwhile(std::vector<Candidate>{{.open_quantities = 1, .seconds_spent = 4},
                                                   {.open_quantities = 3, .seconds_spent = 4},
                                                   {.open_quantities = 2, .seconds_spent = 4}},
                            plenty),
            1u);
  EXPECT_EQ(most_worthwhile(std::vector<Candidate>{{.open_quantities = 4, .seconds_spent = 20},
                                                   {.open_quantities = 1, .seconds_spent = 4}},
                            plenty),
            1u);
}

TEST(Schedule, WhereNothingIsOpenMorePointsAreStillWorthSomething) {
  const std::vector<Candidate> candidates{{.open_quantities = 0, .seconds_spent = 4},
                                          {.open_quantities = 1, .seconds_spent = 10}};
  EXPECT_EQ(most_worthwhile(candidates, plenty), 1u);
  EXPECT_EQ(most_worthwhile(std::span(candidates).first(1), plenty), 0u);
}

TEST(Schedule, WhatDoesNotFitIsLeft) {
  const std::vector<Candidate> candidates{{.open_quantities = 9, .seconds_spent = 1, .seconds_of_next = 3},
                                          {.open_quantities = 1, .seconds_spent = 9, .seconds_of_next = 0.5}};
  EXPECT_EQ(most_worthwhile(candidates, 3), 0u);
  EXPECT_EQ(most_worthwhile(candidates, 2), 1u);
  EXPECT_EQ(most_worthwhile(candidates, 0.4), std::nullopt);
  EXPECT_EQ(most_worthwhile(candidates, -1), std::nullopt);
  EXPECT_EQ(most_worthwhile({}, plenty), std::nullopt);
}

/// The seconds that each of two candidates has had after so many visits of a second.
std::array<double, 2> seconds_after(int visits, std::array<int, 2> open) {
  std::vector<Candidate> candidates{{.open_quantities = open[0], .seconds_of_next = 1},
                                    {.open_quantities = open[1], .seconds_of_next = 1}};
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
  // However many numbers a probe prints, and though the other has none open.
  const auto at_most = seconds_after(1000, {0, 1000});
  EXPECT_NEAR(at_most[1] / at_most[0], 40, 5);
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

TEST(OpenQuantities, AreTheSizesAndLatenciesOfLevelsThatMissTheirTargets) {
  using measure::Quantity;
  const double size = measure::half_width_at(Quantity::size, 1);
  const double rate = measure::half_width_at(Quantity::rate, 1);
  measure::Conclusion conclusion;
  EXPECT_EQ(open_quantities(conclusion), 0);
  conclusion.levels = {level(within(0.9 * size), within(0.9 * rate)), level(std::nullopt, within(0.9 * rate))};
  EXPECT_EQ(open_quantities(conclusion), 0) << "memory has no size that could be open";
  conclusion.levels.push_back(level(within(1.1 * size), within(1.1 * rate)));
  EXPECT_EQ(open_quantities(conclusion), 2);
  conclusion.levels.push_back(level(within(0.9 * size), within(0.5)));
  EXPECT_EQ(open_quantities(conclusion), 3);
}

TEST(OpenQuantities, OfABandwidthCurveAreItsBandwidths) {
  measure::Conclusion conclusion;
  conclusion.levels = {level(std::nullopt, within(0.5))};
  conclusion.levels[0].gbps = within(0.001);
  EXPECT_EQ(open_quantities(conclusion), 0);
  conclusion.levels[0].gbps = within(0.5);
  EXPECT_EQ(open_quantities(conclusion), 1);
}

TEST(OpenQuantities, OfFindingsAreThoseWithAnInterval) {
  measure::Conclusion conclusion;
  conclusion.findings = {{.value = 100, .low = 50, .high = 150},
                         {.value = 100, .low = 99.9, .high = 100.1},
                         {.value = -100, .low = -150, .high = -50},
                         {.value = -100, .low = -100.1, .high = -99.9},
                         {.value = 100},
                         {.evidence = "no number"}};
  EXPECT_EQ(open_quantities(conclusion), 2);
  conclusion.findings = {{.value = 100, .low = 50, .high = std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(open_quantities(conclusion), 1);
}

}  // namespace
}  // namespace sonde::session
