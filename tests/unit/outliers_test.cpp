// Points of a curve that say what others left, not what the caches hold.

#include "analysis/levels/levels.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sonde::analysis {
namespace {

std::vector<CurvePoint> curve_of(const std::vector<std::pair<double, double>>& points) {
  std::vector<CurvePoint> curve;
  for (const auto& [bytes, ns] : points) curve.push_back({.bytes = bytes, .values = {0.99 * ns, ns, 1.3 * ns}});
  return curve;
}

std::vector<double> sizes(const std::vector<CurvePoint>& curve) {
  std::vector<double> all;
  for (const CurvePoint& point : curve) all.push_back(point.bytes);
  return all;
}

std::vector<double> kept_of(const std::vector<std::pair<double, double>>& points) {
  return sizes(without_peaks(curve_of(points)));
}

// Points of llvmpipe beside somebody on the core's second thread: 9.9 ns in place of 6.2.
TEST(Peaks, ASlowPointBetweenTwoFastOnesIsNone) {
  EXPECT_EQ(kept_of({{27, 6.1}, {32, 6.3}, {38, 9.9}, {45, 6.2}, {54, 8.0}, {64, 8.1}}),
            (std::vector<double>{27, 32, 45, 54, 64}));
}

TEST(Peaks, SeveralInARowAreOne) {
  EXPECT_EQ(kept_of({{50, 7.8}, {55, 7.9}, {56, 9.7}, {57, 9.6}, {58, 9.8}, {65, 8.2}, {77, 8.1}}),
            (std::vector<double>{50, 55, 65, 77}));
}

TEST(Peaks, AStepIsNone) {
  const std::vector<std::pair<double, double>> step{{32, 6.3}, {38, 6.2}, {45, 8.0}, {54, 8.1}, {64, 30}, {76, 31}};
  EXPECT_EQ(kept_of(step).size(), step.size());
}

// A climb is uneven where sets overflow by chance: its slow points count like its fast ones.
TEST(Peaks, AnUnevenClimbHasNone) {
  const std::vector<std::pair<double, double>> climb{{1.0, 9.5},  {1.1, 10.5}, {1.2, 14.0}, {1.3, 12.2},
                                                     {1.4, 19.0}, {1.5, 17.0}, {1.6, 25.0}, {1.7, 30.0}};
  EXPECT_EQ(kept_of(climb).size(), climb.size());
}

TEST(Peaks, AWideOneStandsAsNobodyKnowsWhatItIs) {
  const std::vector<std::pair<double, double>> wide{{32, 6}, {40, 9}, {50, 9}, {60, 9}, {70, 6}, {80, 6}};
  EXPECT_EQ(kept_of(wide).size(), wide.size());
}

TEST(Peaks, AtACurvesEndsThereAreNone) {
  const std::vector<std::pair<double, double>> ends{{1, 9}, {2, 6}, {3, 6}, {4, 9}};
  EXPECT_EQ(kept_of(ends).size(), ends.size());
  EXPECT_TRUE(kept_of({}).empty());
}

TEST(Peaks, PointsThatNobodyCanReadMakeNone) {
  std::vector<CurvePoint> curve = curve_of({{1, 6}, {1.2, 0}, {1.4, 9}, {1.6, 0}, {1.8, 6}});
  curve[1].values.clear();
  EXPECT_EQ(without_peaks(curve).size(), curve.size());
}

TEST(BesideNeighbours, PointsAreLeftOutWhereOthersAreNear) {
  std::vector<CurvePoint> curve = curve_of({{100, 6}, {110, 7}, {120, 6}, {240, 9}});
  curve[1].smt_interference = 0.4;
  curve[3].smt_interference = 1;
  EXPECT_EQ(sizes(without_smt_interference(curve)), (std::vector<double>{100, 120, 240}));
  curve[1].smt_interference = 0.2;
  EXPECT_EQ(without_smt_interference(curve).size(), 4u);
}

}  // namespace
}  // namespace sonde::analysis
