// Split locks: what is planned and said, and what is concluded. To make them is the user's own choice.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "probes/catalog.hpp"
#include "probes/split_locks/split_locks.hpp"
#include "support/made_up_machine.hpp"

namespace sonde::probes {
namespace {

TEST(SplitLocks, AreAskedForByAnOptionAlone) {
  EXPECT_EQ(split_locks.needs_option, "allow-split-locks");
  const std::vector<Point> points = core_to_core.next({.api = device::Api::cpu}, {.look = Look::closest}, {});
  EXPECT_TRUE(std::ranges::none_of(points, [](const Point& point) { return point.x.address.has_value(); }));
  EXPECT_GE(split_lock_points(cpu::machine(), {.look = Look::closest}).size(), 2u);
}

TEST(SplitLocks, AreMeasuredInEachCacheAndInMemoryBesideTwoCoresThatLock) {
  const cpu::Topology machine =
      cpu::read(test::machine_xml("package:1 l3:1(size=33554432) core:4 l2:1(size=1048576) l1d:1(size=32768) pu:2"));
  const SplitLockCores cores = split_lock_cores(machine);
  ASSERT_EQ(cores.locking.size(), 2u);
  EXPECT_EQ(cores.slowed, &machine.cores.back());
  std::map<double, int> sizes;
  for (const Point& point : split_lock_points(machine, {})) {
    EXPECT_TRUE(point.x.address == 0.0 || point.x.address == 60.0);
    if (point.x.bytes) ++sizes[*point.x.bytes];
  }
  EXPECT_EQ(sizes, (std::map<double, int>{{16 << 10, 4}, {512 << 10, 4}, {16 << 20, 4}, {128 << 20, 4}}));
  const cpu::Topology lonely = cpu::read(test::machine_xml("core:1 pu:1"));
  EXPECT_EQ(split_lock_points(lonely, {}).size(), 2u);
}

TEST(SplitLocks, WhatTheyDoIsSaidFirst) {
  const std::string slowed = split_lock_notice({.slowed = true});
  EXPECT_NE(slowed.find("every core of this machine"), std::string::npos);
  EXPECT_NE(slowed.find("echo 0 > /proc/sys/kernel/split_lock_mitigate"), std::string::npos);
  EXPECT_NE(split_lock_notice({.slowed = false}).find("processor's own"), std::string::npos);
  EXPECT_NE(split_lock_notice({}).find("does not say"), std::string::npos);
}

TEST(SplitLocks, AreRefusedWhereTheKernelWouldEndTheProgram) {
  EXPECT_TRUE(why_no_split_locks({.ended = true}));
  EXPECT_EQ(why_no_split_locks({}).has_value(), !cpu::has_split_locks);
}

TEST(SplitLocks, ALockedWordWithinALineCountsItsOperations) {
  if (!cpu::has_split_locks) GTEST_SKIP() << "x86 alone";
  LockedWord word(0, 64);
  EXPECT_EQ(locked_operations(cpu::machine().cores.back().cpu, word, 3).size(), 3u);
}

/// It slows the whole machine down: SONDE_TEST_SPLIT_LOCKS=1 has it run.
TEST(SplitLocks, AreMade) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  if (std::getenv("SONDE_TEST_SPLIT_LOCKS") == nullptr) GTEST_SKIP() << "only with SONDE_TEST_SPLIT_LOCKS=1";
  if (cpu::machine().cores.size() < 2) GTEST_SKIP() << "this process may use one core only";
  if (why_no_split_locks(cpu::split_lock_rule())) GTEST_SKIP() << *why_no_split_locks(cpu::split_lock_rule());
  LockedWord word(60, 64);
  EXPECT_EQ(locked_operations(cpu::machine().cores.back().cpu, word, 1).size(), 1u);
  const ValuesBesideLocks values =
      values_beside_locks(split_lock_cores(cpu::machine()), word, SlowedWork::load, 16 << 10, {}, 3, [] {});
  EXPECT_EQ(values.beside_nothing.size(), values.beside_locks.size());
}

TEST(SplitLocks, WorkBesideCoresThatLockWithinALineHasItsValuesWithAndWithoutThem) {
  if (!cpu::has_split_locks) GTEST_SKIP() << "x86 alone";
  if (cpu::machine().cores.size() < 2) GTEST_SKIP() << "this process may use one core only";
  LockedWord word(0, 64);
  for (const SlowedWork work : {SlowedWork::load, SlowedWork::read}) {
    try {
      const ValuesBesideLocks values =
          values_beside_locks(split_lock_cores(cpu::machine()), word, work, 16 << 10, {}, 3, [] {});
      EXPECT_EQ(values.beside_nothing.size(), values.beside_locks.size());
      EXPECT_GT(std::ranges::min(values.beside_locks), 0);
    } catch (const device::TooShort& reason) {
      EXPECT_NE(std::string(reason.what()).find("measure again"), std::string::npos);  // this machine runs much else
    }
  }
}

Measurement locked(const Curve& curve, double address, double bytes, double value) {
  Coordinates x{.address = address, .cpu_threads = 2, .from = 1, .to = 2};
  if (bytes > 0) x.bytes = bytes;
  return {.point = point_on(curve, x), .unit = std::string(curve.unit.name), .values = {value, value, value}};
}

TEST(SplitLocks, SayWhatTheyTakeAndWhatTheyTakeFromOthers) {
  using namespace split_locks_probe;
  const std::vector<Measurement> all{
      locked(locked_operation, 0, 0, 10),       locked(locked_operation, 60, 0, 800),
      locked(load_beside_locks, 0, 4096, 2),    locked(load_beside_locks, 60, 4096, 50),
      locked(load_beside_nothing, 0, 4096, 2),  locked(load_beside_nothing, 60, 4096, 2),
      locked(read_beside_locks, 0, 4096, 40),   locked(read_beside_locks, 60, 4096, 4),
      locked(read_beside_nothing, 0, 4096, 40), locked(read_beside_nothing, 60, 4096, 40)};
  std::map<std::string_view, std::vector<double>> found;
  for (const Finding& one : split_locks.conclude({}, all).findings) found[one.kind->name].push_back(*one.value);
  EXPECT_EQ(found.at("split-lock-latency"), std::vector<double>{800});
  std::ranges::sort(found.at("split-lock-loss"));
  EXPECT_EQ(found.at("split-lock-loss"), (std::vector<double>{10, 25}));
  EXPECT_EQ(found.size(), 2u);
  EXPECT_TRUE(core_to_core.conclude({}, all).findings.empty());
}

}  // namespace
}  // namespace sonde::probes
