#include "summary/layout.hpp"

#include <gtest/gtest.h>

namespace sonde::summary {
namespace {

TEST(Wrapped, BreaksBetweenWordsAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three four five", 20), "  one two three four\n    five\n");
  EXPECT_EQ(wrapped("one two three four", 20, 0), "one two three four\n");
  EXPECT_EQ(wrapped("", 20), "  \n");
}

TEST(Wrapped, AWordThatIsTooWideHasALineOfItsOwn) {
  EXPECT_EQ(wrapped("see /a/path/that/is/longer/than/this for it", 20),
            "  see\n    /a/path/that/is/longer/than/this\n    for it\n");
}

TEST(Wrapped, AUnitStaysWithItsNumber) {
  EXPECT_EQ(wrapped("a load takes some 12 ns, always", 24), "  a load takes some\n    12 ns, always\n");
  EXPECT_EQ(wrapped("takes us 3.5 us, or 4 us", 80), "  takes us 3.5 µs, or 4 µs\n");
}

TEST(Wrapped, BlanksWithinALineStay) { EXPECT_EQ(wrapped("0  name", 80, 0), "0  name\n"); }

TEST(Wrapped, EveryLetterTakesOneColumn) {
  EXPECT_EQ(width_of("±µ–"), 3u);
  EXPECT_EQ(wrapped("µµµµµµµµµ µµµµµµµµ", 20), "  µµµµµµµµµ µµµµµµµµ\n");
}

TEST(ThreeDigits, AreNoFinerThanHundredths) {
  EXPECT_EQ(three_digits(0.126), "0.13");
  EXPECT_EQ(three_digits(-0.001), "0.00");
  EXPECT_EQ(three_digits(0), "0.00");
  EXPECT_EQ(three_digits(33410.2), "33400");
  EXPECT_EQ(three_digits(9.996, 0.123), "10.0 ± 0.1");
}

TextTable sizes() {
  TextTable table({{.head = "level", .left = true},
                   {.head = "size"},
                   {.head = "edge", .left = true, .spare = 2},
                   {.head = "ns", .spare = 1},
                   {.head = "never"}});
  table.add({"1", "32 KiB", "30–34 KiB", "27.5"});
  table.add({"memory", "", "", "301"});
  return table;
}

TEST(Table, WordsStandToTheLeftNumbersToTheRightAndEmptyColumnsNowhere) {
  EXPECT_EQ(sizes().text(80),
            "  level     size  edge         ns\n"
            "  1       32 KiB  30–34 KiB  27.5\n"
            "  memory                      301\n");
}

TEST(Table, WhatIsSpareIsLeftOutWhereThereIsNoRoom) {
  EXPECT_EQ(sizes().text(30),
            "  level     size    ns\n"
            "  1       32 KiB  27.5\n"
            "  memory           301\n");
  EXPECT_EQ(sizes().text(20),
            "  level     size\n"
            "  1       32 KiB\n"
            "  memory\n");
}

TEST(Table, AStarStandsBesideItsColumn) {
  TextTable table({{.head = "size"}, {.head = "ns"}});
  table.add({"4 KiB", "1.00 *"});
  table.add({"8 KiB", "2.00"});
  EXPECT_EQ(table.text(80), "   size    ns\n  4 KiB  1.00 *\n  8 KiB  2.00\n");
}

TEST(Table, ALastColumnOfWordsIsWrapped) {
  TextTable table({{.head = "probe", .left = true}, {.head = "question", .left = true}});
  table.add({"latency", "How long does it take, and why?"});
  EXPECT_EQ(table.text(30),
            "  probe    question\n"
            "  latency  How long does it\n"
            "           take, and why?\n");
}

TEST(Table, ALastColumnIsNeverNarrowerThanAWordOfIt) {
  TextTable table({{.head = "memory", .left = true}, {.head = "seen by loads", .left = true}});
  table.add({"alloc-host-ptr", "like-device-memory 298 ns"});
  EXPECT_EQ(table.text(36),
            "  memory          seen by loads\n"
            "  alloc-host-ptr  like-device-memory\n"
            "                  298 ns\n");
  EXPECT_EQ(table.text(35),
            "  memory          seen by loads\n"
            "  alloc-host-ptr  like-device-memory 298 ns\n")
      << "too wide whatever is done";
}

TEST(Table, WhatIsTooWideIsPrintedInBlocksThatNameTheirRows) {
  TextTable table({{.head = "engine", .left = true}, {.head = "to device"}, {.head = "to host"}});
  table.add({"driver", "84.0", "45.0"});
  table.add({"transfer", "", "46.0"});
  EXPECT_EQ(table.text(24),
            "  engine    to device\n"
            "  driver         84.0\n"
            "  engine    to host\n"
            "  driver       45.0\n"
            "  transfer     46.0\n");
}

}  // namespace
}  // namespace sonde::summary
