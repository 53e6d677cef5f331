#include "summary/layout.hpp"

#include <gtest/gtest.h>

namespace sonde::summary {
namespace {

ChartCurve curve(const std::string& sign, std::vector<std::pair<double, double>> points,
                 const std::string& colour = "") {
  return {.name = sign, .sign = sign, .colour = colour, .points = std::move(points)};
}

TEST(Chart, AKnownCurveGivesTheExpectedCharacters) {
  // Both axes are logarithmic: eight doublings of size over 17 columns, 1 to 100 ns over 5 rows. A label that
  // has no room is left out.
  const std::vector<ChartCurve> curves{curve("*", {{1024, 1}, {4096, 1}, {16384, 10}, {65536, 100}, {262144, 100}})};
  EXPECT_EQ(chart(curves, 17, 5),
            "     100 ┤            *   *\n"
            "      50 ┤\n"
            "      10 ┤        *\n"
            "       5 ┤\n"
            "       1 ┤*   *\n"
            "         └─────────────────\n"
            "          1 KiB    64 KiB\n");
}

TEST(Chart, OnePointIsInTheMiddle) {
  EXPECT_EQ(chart(std::vector{curve("*", {{4096, 10}})}, 5, 3),
            "         │\n"
            "      10 ┤  *\n"
            "         │\n"
            "         └─────\n"
            "          4 KiB\n");
}

TEST(Chart, OfNothingIsEmpty) {
  EXPECT_EQ(chart({}, 20, 5), "");
  EXPECT_EQ(chart(std::vector{curve("*", {})}, 20, 5), "");
}

TEST(Chart, WhatALogarithmicAxisCannotShowIsLeftOut) {
  EXPECT_EQ(chart(std::vector{curve("*", {{0, 5}, {4096, 0}, {4096, -1}})}, 20, 5), "");
  EXPECT_EQ(chart(std::vector{curve("*", {{4096, 10}, {1, 0}})}, 5, 3),
            chart(std::vector{curve("*", {{4096, 10}})}, 5, 3));
}

TEST(Chart, TwoCurvesInOnePlaceAreMarkedAsBoth) {
  const std::string text =
      chart(std::vector{curve("o", {{1024, 1}, {4096, 10}}), curve("x", {{1024, 1}, {4096, 5}})}, 9, 3);
  EXPECT_NE(text.find("◆"), std::string::npos) << text;
  EXPECT_NE(text.find("o"), std::string::npos) << text;
  EXPECT_NE(text.find("x"), std::string::npos) << text;
}

TEST(Chart, ColourIsThereOnlyWhenAskedFor) {
  EXPECT_EQ(chart(std::vector{curve("*", {{4096, 10}})}, 5, 3).find('\033'), std::string::npos);
  EXPECT_NE(chart(std::vector{curve("*", {{4096, 10}}, "36")}, 5, 3).find("\033[36m*\033[0m"), std::string::npos);
}

TEST(Chart, ANarrowRangeStillHasANumberBesideIt) {
  // Between 10.2 and 10.9 lies no round value, and a curve without any number says nothing.
  const std::string text = chart(std::vector{curve("*", {{1024, 10.2}, {4096, 10.9}})}, 9, 4);
  EXPECT_NE(text.find("┤"), std::string::npos) << text;
}

}  // namespace
}  // namespace sonde::summary
