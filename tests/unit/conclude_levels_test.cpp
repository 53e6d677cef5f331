#include "measure/conclude_levels.hpp"

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
  add_levels(hierarchy, {{"path", "vector"}}, conclusion);
  EXPECT_EQ(conclusion.levels.size(), 3u);
  ASSERT_EQ(conclusion.findings.size(), 1u);
  const Finding& finding = conclusion.findings[0];
  EXPECT_EQ(finding.name, "orders-disagree");
  EXPECT_EQ(finding.series, (std::map<std::string, std::string>{{"path", "vector"}, {"level", "level 2"}}));
  EXPECT_DOUBLE_EQ(*finding.value, 1.5);
  EXPECT_DOUBLE_EQ(*finding.low, 1024.0 / 896);
  EXPECT_DOUBLE_EQ(*finding.high, 1.75);
  EXPECT_EQ(finding.unit, "ratio");
  EXPECT_EQ(
      finding.evidence,
      "Walks over all lines of a working set in turn say that level 2 has 800 KiB (768 KiB to 896 KiB), loads of "
      "independent lines 1.17 MiB (1 MiB to 1.31 MiB): the bounds of its size hold both, as other programs' lines, "
      "the places of pages and fetches of pairs of lines hinder the one more than the other.");
}

}  // namespace
}  // namespace sonde::measure
