// A level is called by its number, the last one memory where it surely is.

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "measure/level_findings.hpp"

namespace sonde::measure {
namespace {

std::string name_of(FoundLevel level) {
  name_levels(std::span(&level, 1));
  return level.name;
}

FoundLevel last_by_latency(const analysis::Bracket& latency_ns, Path path = Path::vector) {
  FoundLevel level{.words = {.path = path}, .level = 3};
  level.found.latency_ns = latency_ns;
  return level;
}

FoundLevel last_by_bandwidth(const analysis::Bracket& gbps) {
  FoundLevel level{.words = {.path = Path::buffer}, .level = 3};
  level.gbps = gbps;
  return level;
}

TEST(LevelNames, ACacheHasItsNumber) {
  FoundLevel cache = last_by_latency({47, 52, 80});
  cache.found.bytes = analysis::Bracket{30000, 32768, 33000};
  EXPECT_EQ(name_of(cache), "level 3");
}

TEST(LevelNames, WhatMayBeSoMuchSlowerThatItHoldsOneMoreLevelIsNotCalledMemory) {
  EXPECT_EQ(name_of(last_by_latency({47, 52, 77})), "memory");
  EXPECT_EQ(name_of(last_by_latency({47, 52, 80})), "beyond");
  EXPECT_EQ(name_of(last_by_latency({27, 52, 55})), "memory");
  EXPECT_EQ(name_of(last_by_latency({25, 52, 55})), "beyond");
  EXPECT_EQ(name_of(last_by_bandwidth({41, 60, 100})), "memory");
  EXPECT_EQ(name_of(last_by_bandwidth({39, 60, 61})), "beyond");
}

TEST(LevelNames, WhatASweepWithinAStatedCacheEndsInIsNotCalledMemory) {
  FoundLevel last = last_by_latency({47, 52, 60});
  last.swept_bytes = 64 << 20;
  const auto beside = [&](std::uint64_t stated_cache_bytes) {
    name_levels(std::span(&last, 1), stated_cache_bytes);
    return last.name;
  };
  EXPECT_EQ(beside(96 << 20), "beyond");
  EXPECT_EQ(beside(32 << 20), "memory");
  EXPECT_EQ(beside(0), "memory");
}

TEST(LevelNames, MemoryWhosePointsScatterIsStillMemory) {
  EXPECT_EQ(name_of(last_by_latency({30, 52, 90})), "memory");
  EXPECT_EQ(name_of(last_by_latency({43, 52, 90})), "beyond");
  EXPECT_EQ(name_of(last_by_latency({20, 52, 120})), "memory");
  EXPECT_EQ(name_of(last_by_latency({20, 52, 90})), "beyond");
  EXPECT_EQ(name_of(last_by_bandwidth({30, 60, 110})), "memory");
  EXPECT_EQ(name_of(last_by_bandwidth({30, 60, 90})), "beyond");
}

TEST(LevelNames, WhatAPathWithLittleRoomEndsInIsNotCalledMemory) {
  EXPECT_EQ(name_of(last_by_latency({4, 4, 4}, Path::constant)), "beyond");
  EXPECT_EQ(name_of(last_by_latency({4, 4, 4}, Path::local)), "beyond");
  EXPECT_EQ(name_of(last_by_latency({4, 4, 4}, Path::image)), "memory");
}

TEST(LevelNames, WhatADisturbedEndMayHideIsNotCalledMemory) {
  FoundLevel last = last_by_latency({47, 52, 60});
  last.found.ends_disturbed = true;
  EXPECT_EQ(name_of(last), "beyond");
}

}  // namespace
}  // namespace sonde::measure
