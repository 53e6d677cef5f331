#include <gtest/gtest.h>

#include "measure/probe.hpp"
#include "probes/catalog.hpp"
#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

TEST(SizeText, HasPowersOf1024AndThreeDigitsAtMost) {
  EXPECT_EQ(size_text(64), "64 B");
  EXPECT_EQ(size_text(1000), "1000 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(1216), "1.19 KiB");
  EXPECT_EQ(size_text(1536), "1.50 KiB");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(11.4 * 1024), "11.4 KiB");
  EXPECT_EQ(size_text(181.0 * 1024), "181 KiB");
  EXPECT_EQ(size_text(181.4 * 1024), "181 KiB");
  EXPECT_EQ(size_text(64.0 * 1024 * 1024), "64 MiB");
  EXPECT_EQ(size_text(0x1p30), "1 GiB");
  EXPECT_EQ(size_text(0x1p40), "1 TiB");
}

TEST(SizeText, NeverRoundsUpIntoAUnitThatItDoesNotPrint) {
  EXPECT_EQ(size_text(1023.7 * 1024), "1.00 MiB");
  EXPECT_EQ(size_text(99.97 * 1024), "100 KiB");
  EXPECT_EQ(size_text(9.999 * 1024), "10.0 KiB");
  EXPECT_EQ(size_text(0x1p51), "2048 TiB");
}

TEST(NameOf, SaysProbeSeriesAndSize) {
  const std::string name = name_of(probes::latency, test::point_of(4096));
  EXPECT_EQ(name.rfind("latency ", 0), 0u) << name;
  EXPECT_NE(name.find("vector"), std::string::npos) << name;
  EXPECT_NE(name.find("4 KiB"), std::string::npos) << name;
}

}  // namespace
}  // namespace sonde::measure
