#include "measure/level_findings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace sonde::measure {
namespace {

TEST(AddLevels, SaysOfWhichLevelTheOrdersDisagree) {
  analysis::Hierarchy hierarchy;
  hierarchy.levels = {{.bytes = analysis::Bracket{30e3, 32e3, 34e3}, .latency_ns = {1, 1, 1}},
                      {.bytes = analysis::Bracket{0.7e6, 1e6, 1.5e6}, .latency_ns = {4, 4, 4}},
                      {.latency_ns = {100, 100, 100}}};
  hierarchy.levels[1].disagreement = {.cycle = {768 << 10, 800 << 10, 896 << 10},
                                      .independent = {1 << 20, 1200 << 10, 1344 << 10}};
  Conclusion conclusion;
  add_levels(hierarchy, {.path = Path::vector}, conclusion);
  EXPECT_EQ(conclusion.levels.size(), 3u);
  ASSERT_EQ(conclusion.findings.size(), 1u);
  const Finding& finding = conclusion.findings[0];
  EXPECT_EQ(finding.kind, &finding_kinds::orders_disagree);
  EXPECT_EQ(finding.words, (Words{.level = "level 2", .path = Path::vector}));
  EXPECT_DOUBLE_EQ(*finding.value, 1.5);
  EXPECT_DOUBLE_EQ(*finding.low, 1.14286);  // six digits
  EXPECT_DOUBLE_EQ(*finding.high, 1.75);
  EXPECT_EQ(finding.unit, "ratio");
  EXPECT_TRUE(
      finding.evidence.starts_with("Level 2: 800 KiB (768 KiB to 896 KiB) by the cyclic walk, 1.17 MiB (1 MiB "
                                   "to 1.31 MiB) by random loads."))
      << finding.evidence;
}

/// Sizes a doubling apart from 1 KiB on, disturbed where `is_disturbed`.
analysis::LatencyCurves curves_of(int count, const std::function<bool(int)>& is_disturbed) {
  analysis::LatencyCurves curves;
  for (int i = 0; i < count; ++i) {
    const double interference = is_disturbed(i) ? 1 : 0;
    curves.cycle.push_back({.bytes = 1024 * std::exp2(i), .values = {1, 1, 1}, .smt_interference = interference});
    curves.smt_interference += interference / count;
  }
  return curves;
}

/// The reason that is told beside what is left.
std::string reason_of(const analysis::LatencyCurves& curves, std::size_t left) {
  Conclusion conclusion;
  const auto part = readable_part(curves, {.path = Path::vector}, conclusion);
  EXPECT_EQ(part ? part->cycle.size() : 0, left);
  if (conclusion.without_levels.empty()) return "";
  EXPECT_EQ(conclusion.without_levels[0].words, (Words{.path = Path::vector}));
  return conclusion.without_levels[0].reason;
}

constexpr std::string_view end_of_reason =
    "run again on an idle machine, or with more --time, which measures such sizes again";

TEST(ReadablePart, IsAllWhereLittleWasDisturbed) {
  EXPECT_EQ(reason_of(curves_of(10, [](int i) { return i < 5; }), 10), "");
  EXPECT_EQ(reason_of(curves_of(2, [](int) { return true; }), 2), "") << "so few show no levels anyway";
}

TEST(ReadablePart, SaysWhichSizesWereDisturbed) {
  const std::string reason = reason_of(curves_of(12, [](int i) { return i < 2 || (i > 3 && i < 8) || i > 9; }), 4);
  EXPECT_TRUE(reason.starts_with("below 4 KiB, and between 8 KiB and 256 KiB, and beyond 512 KiB another thread"))
      << reason;
  EXPECT_TRUE(reason.ends_with(end_of_reason)) << reason;
  const std::string everywhere = reason_of(curves_of(12, [](int i) { return i % 3 != 0; }), 4);
  EXPECT_TRUE(everywhere.starts_with("at most sizes of this curve another thread")) << everywhere;
}

TEST(ReadablePart, IsNothingWhereTooFewSizesAreLeft) {
  const std::string reason = reason_of(curves_of(10, [](int) { return true; }), 0);
  EXPECT_TRUE(reason.starts_with("no cache levels: at all sizes of this curve another thread")) << reason;
  EXPECT_TRUE(reason.ends_with(end_of_reason)) << reason;
  EXPECT_TRUE(
      reason_of(curves_of(10, [](int i) { return i > 1; }), 0).starts_with("no cache levels: at all sizes but 2 of"));
  EXPECT_FALSE(reason_of(curves_of(10, [](int i) { return i > 2; }), 3).starts_with("no cache levels"));
}

TEST(AddLevels, CountsThoseThatEndInADisturbedStretchBeforeThem) {
  analysis::Hierarchy hierarchy;
  hierarchy.levels = {{.bytes = analysis::Bracket{30e3, 32e3, 34e3}, .latency_ns = {4, 4, 4}},
                      {.latency_ns = {9, 9, 9}}};
  hierarchy.nearer_levels = 1;
  Conclusion conclusion;
  add_levels(hierarchy, {}, conclusion);
  EXPECT_EQ(conclusion.levels[0].level, 2);
}

}  // namespace
}  // namespace sonde::measure
