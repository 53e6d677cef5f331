#include "analysis/number_text.hpp"

#include <gtest/gtest.h>

namespace sonde::analysis {
namespace {

TEST(NumberText, HasThreeDigitsAndNeverAnExponent) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(1), "1");
  EXPECT_EQ(number_text(0.75), "0.75");
  EXPECT_EQ(number_text(12.345), "12.3");
  EXPECT_EQ(number_text(999.6), "1000");
  EXPECT_EQ(number_text(10'000), "10000");
  EXPECT_EQ(number_text(29'449), "29400");
  EXPECT_EQ(number_text(-1'234.5), "-1230");
  EXPECT_EQ(number_text(0.000'012'345), "0.0000123");
  EXPECT_EQ(number_text(0.000'01), "0.00001");
  EXPECT_EQ(number_text(61'234.5, 4), "61230");
}

TEST(NumberText, KeepsItsDigitsOnAScreenAndItsThousandsApart) {
  EXPECT_EQ(number_text(0.94164, 3, Written::on_a_screen), "0.942");
  EXPECT_EQ(number_text(9.996, 3, Written::on_a_screen), "10.0");
  EXPECT_EQ(number_text(30'344, 3, Written::on_a_screen), "30,300");
  EXPECT_EQ(number_text(-1'234'567, 3, Written::on_a_screen), "-1,230,000");
  EXPECT_EQ(number_text(0, 3, Written::on_a_screen), "0");
  EXPECT_EQ(number_text(0.75, 3, Written::in_a_table), "0.750");
  EXPECT_EQ(number_text(30'344, 3, Written::in_a_table), "30300");
}

TEST(PercentText, HasADigitThatIsNotZero) {
  EXPECT_EQ(percent_text(0.0034), "0.3 %");
  EXPECT_EQ(percent_text(0.034), "3 %");
  EXPECT_EQ(percent_text(0.42), "42 %");
  EXPECT_EQ(percent_text(0.956), "96 %");
  EXPECT_EQ(percent_text(1), "100 %");
}

}  // namespace
}  // namespace sonde::analysis
