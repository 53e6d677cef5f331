#include "measure/level_findings.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sonde::measure
