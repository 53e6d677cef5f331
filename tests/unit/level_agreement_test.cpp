// Two probes' levels beside each other: which are one, and where they contradict each other.

#include "measure/level_findings.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace sonde::measure {
namespace {

using Levels = std::vector<FoundLevel>;

/// Levels get their numbers as they stand.
Levels numbered(Levels levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i].level = static_cast<int>(i) + 1;
  return levels;
}

FoundLevel cache(double bytes, double known_to = 1.05) {
  FoundLevel level;
  level.found.bytes = analysis::Bracket{bytes / known_to, bytes, bytes * known_to};
  return level;
}

FoundLevel memory() { return {}; }

FoundLevel taking(FoundLevel level, double ns, double known_to = 1.02) {
  level.found.latency_ns = {ns / known_to, ns, ns * known_to};
  return level;
}

/// "32K|33K -|2M m|m": sizes in KiB.
std::string rows(Levels latency, Levels bandwidth) {
  latency = numbered(std::move(latency));
  bandwidth = numbered(std::move(bandwidth));
  match(latency, bandwidth);
  const auto text = [](const FoundLevel* level) {
    if (level == nullptr) return std::string("-");
    return level->found.bytes ? std::to_string(static_cast<int>(level->found.bytes->value / 1024)) : std::string("m");
  };
  std::string all;
  for (const LevelOfTwo& row : side_by_side(latency, bandwidth)) {
    all += (all.empty() ? "" : " ") + text(row.latency) + "|" + text(row.bandwidth);
  }
  return all;
}

constexpr double kib = 1024;

TEST(LevelsSideBySide, ThoseNextToEachOtherInSizeAreOne) {
  const Levels latency{cache(32 * kib), cache(2048 * kib), memory()};
  EXPECT_EQ(rows(latency, {cache(33 * kib), cache(1800 * kib), memory()}), "32|33 2048|1800 m|m");
  EXPECT_EQ(rows(latency, {cache(1800 * kib), memory()}), "32|- 2048|1800 m|m");
  EXPECT_EQ(rows({cache(2048 * kib), memory()}, {cache(33 * kib), cache(1800 * kib), memory()}), "-|33 2048|1800 m|m");
  // The nearer of two.
  EXPECT_EQ(rows({cache(100 * kib), cache(250 * kib), memory()}, {cache(240 * kib), memory()}), "100|- 250|240 m|m");
}

TEST(LevelsSideBySide, MemoryIsTheSameOnlyBehindTheSameCache) {
  const Levels latency{cache(32 * kib), cache(2048 * kib), memory()};
  EXPECT_EQ(rows(latency, {cache(33 * kib), memory()}), "32|33 2048|- m|- -|m");
  EXPECT_EQ(rows(latency, {}), "32|- 2048|- m|-");
  EXPECT_EQ(rows({}, latency), "-|32 -|2048 -|m");
  EXPECT_EQ(rows({memory()}, {memory()}), "m|m");
  EXPECT_EQ(rows({}, {}), "");
}

TEST(LevelsSideBySide, WhatMatchesHasTheNumberOfTheLatencyLevel) {
  using Numbers = std::vector<std::optional<int>>;
  const Levels latency = numbered({cache(32 * kib), cache(2048 * kib), memory()});
  const auto matches = [&](Levels bandwidth) {
    bandwidth = numbered(std::move(bandwidth));
    match(latency, bandwidth);
    Numbers numbers;
    for (const FoundLevel& level : bandwidth) numbers.push_back(level.matches);
    return numbers;
  };
  EXPECT_EQ(matches({cache(33 * kib), cache(1800 * kib), memory()}), (Numbers{1, 2, 3}));
  EXPECT_EQ(matches({cache(1800 * kib), memory()}), (Numbers{2, 3}));
  EXPECT_EQ(matches({cache(33 * kib), memory()}), (Numbers{1, std::nullopt}));
  EXPECT_EQ(matches({cache(1 * kib), cache(33 * kib), cache(2000 * kib)}), (Numbers{std::nullopt, 1, 2}));
  Levels again = numbered({cache(33 * kib), memory()});
  again.front().matches = 2;
  match({}, again);
  EXPECT_FALSE(again.front().matches) << "there is no latency level";
}

TEST(LevelsSideBySide, WhatARecordDoesNotMatchStandsInARowOfItsOwn) {
  const Levels latency = numbered({cache(32 * kib), memory()});
  const Levels bandwidth = numbered({cache(33 * kib), memory()});
  const std::vector<LevelOfTwo> found = side_by_side(latency, bandwidth);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].latency, latency.data());
  EXPECT_EQ(found[1].bandwidth, bandwidth.data());
  EXPECT_EQ(found[2].latency, &latency[1]);
  EXPECT_EQ(found[3].bandwidth, &bandwidth[1]);
}

TEST(ApisDisagree, WhereBracketsOfOneLevelLieApart) {
  const Levels opencl = numbered({cache(32 * kib), cache(2048 * kib), memory()});
  EXPECT_FALSE(disagreement(opencl, numbered({cache(34 * kib), cache(2200 * kib), memory()})));
  EXPECT_FALSE(disagreement(opencl, {}));
  EXPECT_FALSE(disagreement({}, opencl));
  const auto finding = disagreement(opencl, numbered({cache(40 * kib), cache(1024 * kib), memory()}));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, &finding_kinds::apis_disagree);
  EXPECT_NEAR(finding->value.value(), 2, 1e-5) << "the one that is furthest from agreement";
  EXPECT_GT(finding->low.value(), 1);
  EXPECT_EQ(
      finding->evidence,
      "OpenCL and Vulkan see different levels: 2 MiB (1.90 MiB to 2.10 MiB) by OpenCL, 1 MiB (975 KiB to 1.05 MiB) "
      "by Vulkan; 32 KiB (30.5 KiB to 33.6 KiB) by OpenCL, 40 KiB (38.1 KiB to 42 KiB) by Vulkan.");
}

TEST(ApisDisagree, AboutALevelThatOneLacksOnlyWhereWhatFollowsIsSurelySlower) {
  const Levels two = numbered({taking(cache(32 * kib), 1), taking(memory(), 90)});
  const auto three = [](double known_to) {
    return numbered(
        {taking(cache(32 * kib), 1), taking(cache(2048 * kib), 60, known_to), taking(memory(), 90, known_to)});
  };
  EXPECT_FALSE(disagreement(two, three(1.3))) << "60 to 78 ns against 69 to 117 ns";
  const auto finding = disagreement(two, three(1.1));
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->value.value(), 1.5, 1e-5);
  EXPECT_NEAR(finding->low.value(), 1.5 / 1.21, 1e-5);
  EXPECT_EQ(finding->evidence,
            "OpenCL and Vulkan see different levels: only Vulkan has one of 2 MiB, beyond which a load takes 1.5 times "
            "as long (1.24 to 1.82).");
  EXPECT_NE(disagreement(three(1.1), two)->evidence.find("only OpenCL has one of 2 MiB"), std::string::npos);
}

TEST(ApisDisagree, NotAboutALevelWhereTheOthersCurveWasDisturbed) {
  const Levels three = numbered({taking(cache(32 * kib), 1), taking(cache(2048 * kib), 9), taking(memory(), 90)});
  Levels hiding = numbered({taking(cache(32 * kib, 100), 1), taking(memory(), 90)});
  EXPECT_TRUE(disagreement(hiding, three)) << "wide bounds alone hide no level";
  hiding[0].found.ends_disturbed = true;
  EXPECT_FALSE(disagreement(hiding, three));
  EXPECT_FALSE(disagreement(three, hiding));
  Levels short_one = numbered({taking(cache(32 * kib), 1), taking(memory(), 9)});
  short_one[1].found.ends_disturbed = true;
  EXPECT_FALSE(disagreement(short_one, three));
  Levels later{taking(cache(2048 * kib), 9), taking(memory(), 90)};
  EXPECT_TRUE(disagreement(numbered(later), three));
  later[0].level = 2;
  later[1].level = 3;
  EXPECT_FALSE(disagreement(later, three));
}

}  // namespace
}  // namespace sonde::measure
