// Two probes' levels beside each other: which are one, and where they contradict each other.

#include "measure/level_agreement.hpp"

#include <gtest/gtest.h>

namespace sonde::measure {
namespace {

using measure::FoundLevel;
using Levels = std::vector<FoundLevel>;

FoundLevel cache(double bytes, double known_to = 1.05) {
  FoundLevel level{.series = {}, .level = 1, .found = {}};
  level.found.bytes = analysis::Bracket{bytes / known_to, bytes, bytes * known_to};
  return level;
}

FoundLevel memory() { return {.series = {}, .level = 1, .found = {}}; }

/// "32K|33K -|2M m|m": sizes in KiB.
std::string rows(const Levels& latency, const Levels& bandwidth) {
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

TEST(LevelsSideBySide, SizesWhoseBracketsDoNotTouchDisagree) {
  const Levels latency{cache(32 * kib), cache(2048 * kib), memory()};
  const auto against = [&](const Levels& bandwidth) { return size_disagreement(latency, bandwidth); };
  EXPECT_FALSE(against({cache(33 * kib), cache(2200 * kib), memory()}));
  EXPECT_FALSE(against({cache(2048 * kib), memory()}));  // a level less is no size
  EXPECT_FALSE(against({}));
  const auto finding = against({cache(33 * kib), cache(3072 * kib), memory()});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->name, "probes-disagree");
  EXPECT_NE(finding->evidence.find("2 MiB (1.90 MiB to 2.10 MiB) by latency, 3 MiB"), std::string::npos)
      << finding->evidence;
  EXPECT_EQ(finding->evidence.find("32 KiB"), std::string::npos) << finding->evidence;
}

}  // namespace
}  // namespace sonde::measure
