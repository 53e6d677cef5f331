// Counters that misbehave in known ways: each gives its label and never a wrong number.
#include "counters/traffic/rates.hpp"

#include <gtest/gtest.h>

#include <array>

namespace sonde::counters {
namespace {

constexpr std::int64_t millisecond = 1'000'000;
/// Counts in a millisecond, of 64 bytes each.
constexpr std::uint64_t fabric_counts = 40'000;
constexpr std::uint64_t memory_counts = 10'000;

/// A fabric and a memory controller, a group each: reads, writes.
Layout two_groups() {
  return {.name = "scripted",
          .counters = {{Role::fabric_read, 64, 0},
                       {Role::fabric_write, 64, 0},
                       {Role::memory_read, 64, 1},
                       {Role::memory_write, 64, 1},
                       {Role::memory_clock, 1, 1}},
          .groups = 2,
          .is_rotated = {false, false}};
}

CounterSnapshot start(const Layout& layout) {
  CounterSnapshot reading = layout.empty_snapshot();
  for (std::size_t place = 0; place < reading.values.size(); ++place) reading.values[place] = 1000 * (place + 1);
  for (GroupState& group : reading.groups) group = {.enabled_ns = 5 * millisecond, .running_ns = 5 * millisecond};
  return reading;
}

/// The snapshot a millisecond later.
CounterSnapshot after(const CounterSnapshot& reading) {
  CounterSnapshot next = reading;
  next.before_ns += millisecond;
  next.after_ns += millisecond;
  const std::array counts{fabric_counts, fabric_counts / 2, memory_counts, memory_counts / 2, std::uint64_t{2'400'000}};
  for (std::size_t place = 0; place < next.values.size(); ++place) next.values[place] += counts[place];
  for (GroupState& group : next.groups) {
    group.enabled_ns += millisecond;
    group.running_ns += millisecond;
  }
  return next;
}

using Labels = std::set<Label>;

TEST(Rates, BytesAreCountsTimesBytes) {
  const Layout layout = two_groups();
  const CounterSnapshot before = start(layout);
  const Traffic traffic = traffic_between(before, after(before), layout);
  EXPECT_DOUBLE_EQ(traffic.seconds, 1e-3);
  EXPECT_EQ(traffic.amounts[Role::fabric_read], 64.0 * fabric_counts);
  EXPECT_EQ(traffic.amounts[Role::memory_write], 64.0 * memory_counts / 2);
  EXPECT_FALSE(traffic.amounts[Role::cpu_read]);
  EXPECT_EQ(traffic.labels, Labels{});
  EXPECT_EQ(traffic.scale, 1);
  const HitRate rate = hit_rate(traffic, "");
  EXPECT_DOUBLE_EQ(rate.reads_and_writes.value(), 0.75);
  EXPECT_DOUBLE_EQ(rate.reads.value(), 0.75);
  EXPECT_FALSE(rate.without_cpu);
}

TEST(Rates, ACountThatWentBackIsUnknown) {
  const Layout layout = two_groups();
  const CounterSnapshot before = start(layout);
  CounterSnapshot now = after(before);
  now.values[2] = 3;
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_FALSE(traffic.amounts[Role::memory_read]);
  EXPECT_TRUE(traffic.amounts[Role::memory_write]);
  EXPECT_EQ(traffic.labels, Labels{Label::reset});
  EXPECT_FALSE(hit_rate(traffic, "").reads_and_writes);
  EXPECT_NE(hit_rate(traffic, "").why_not.find("reset"), std::string::npos);
}

TEST(Rates, ACounterThatWrapsGoesOn) {
  Layout layout = two_groups();
  layout.width_bits = 48;
  CounterSnapshot before = start(layout);
  before.values[0] = (std::uint64_t{1} << 48) - 10'000;
  CounterSnapshot now = after(before);
  now.values[0] = fabric_counts - 10'000;
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_EQ(traffic.amounts[Role::fabric_read], 64.0 * fabric_counts);
  EXPECT_EQ(traffic.labels, Labels{});
}

TEST(Rates, ResetNearTheEndIsNoWrap) {
  Layout layout = two_groups();
  layout.width_bits = 48;
  CounterSnapshot before = start(layout);
  before.values[0] = (std::uint64_t{1} << 48) - 1'000'000'000'000;
  CounterSnapshot now = after(before);
  now.values[0] = 0;
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_FALSE(traffic.amounts[Role::fabric_read]);
  EXPECT_EQ(traffic.labels, Labels{Label::reset});
}

TEST(Rates, ACounterAtItsEndIsUnknown) {
  Layout layout = two_groups();
  layout.width_bits = 48;
  layout.saturates = true;
  CounterSnapshot before = start(layout);
  before.values[3] = (std::uint64_t{1} << 48) - 10;
  CounterSnapshot now = after(before);
  now.values[3] = (std::uint64_t{1} << 48) - 1;
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_FALSE(traffic.amounts[Role::memory_write]);
  EXPECT_EQ(traffic.labels, Labels{Label::saturated});
}

TEST(Rates, AGroupThatVanishedIsUnknown) {
  const Layout layout = two_groups();
  const CounterSnapshot before = start(layout);
  CounterSnapshot now = after(before);
  now.groups[1].status = GroupStatus::vanished;
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_TRUE(traffic.amounts[Role::fabric_read]);
  EXPECT_FALSE(traffic.amounts[Role::memory_read]);
  EXPECT_EQ(traffic.labels, Labels{Label::vanished});
}

TEST(Rates, WhatTheKernelNeverPlacedIsUnknownAndNotZero) {
  const Layout layout = two_groups();
  const CounterSnapshot before = start(layout);
  CounterSnapshot now = after(before);
  now.values = before.values;
  now.groups[1].running_ns = before.groups[1].running_ns;
  Traffic traffic = traffic_between(before, now, layout);
  EXPECT_FALSE(traffic.amounts[Role::memory_read]);
  EXPECT_EQ(traffic.labels, Labels{Label::not_counted});
  now.groups[1].running_ns += millisecond;
  now.groups[1].status = GroupStatus::unplaced;
  traffic = traffic_between(before, now, layout);
  EXPECT_FALSE(traffic.amounts[Role::memory_read]);
}

TEST(Rates, SharedCountersAreScaledAndSaidToBe) {
  const Layout layout = two_groups();
  const CounterSnapshot before = start(layout);
  CounterSnapshot now = after(before);
  now.groups[0].running_ns -= millisecond / 2;
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_DOUBLE_EQ(traffic.amounts[Role::fabric_read].value(), 128.0 * fabric_counts);
  EXPECT_DOUBLE_EQ(traffic.amounts[Role::memory_read].value(), 64.0 * memory_counts);
  EXPECT_EQ(traffic.labels, Labels{Label::multiplexed});
}

TEST(Rates, MemoryCountersThatStandStillUnderLoadAreUnknown) {
  const Layout layout = two_groups();
  const CounterSnapshot before = start(layout);
  CounterSnapshot now = after(before);
  for (const std::size_t place : {2u, 3u, 4u}) now.values[place] = before.values[place];
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_FALSE(traffic.amounts[Role::memory_read]);
  EXPECT_EQ(traffic.labels, Labels{Label::reads_zero});
  EXPECT_NE(hit_rate(traffic, "").why_not.find("read zero"), std::string::npos);
}

TEST(Rates, NothingAtMemoryIsNothingWhereItsClockCounts) {
  const Layout layout = two_groups();
  const CounterSnapshot before = start(layout);
  CounterSnapshot now = after(before);
  for (const std::size_t place : {2u, 3u}) now.values[place] = before.values[place];
  const Traffic traffic = traffic_between(before, now, layout);
  EXPECT_EQ(traffic.amounts[Role::memory_read], 0.0);
  EXPECT_EQ(hit_rate(traffic, "").reads_and_writes, 1.0);
}

/// Two rotated groups of one station each, of which each counts for half of two milliseconds.
struct Turns {
  Layout layout{.name = "turns",
                .counters = {{Role::fabric_read, 64, 0},
                             {Role::fabric_write, 64, 0},
                             {Role::fabric_read, 64, 1},
                             {Role::fabric_write, 64, 1}},
                .groups = 2,
                .rotations = 2,
                .is_rotated = {true, true}};

  [[nodiscard]] Traffic traffic(std::uint64_t first, std::uint64_t second) const {
    const CounterSnapshot before = layout.empty_snapshot();
    CounterSnapshot now = before;
    now.before_ns = now.after_ns = 2 * millisecond;
    now.values = {first, 0, second, 0};
    for (GroupState& group : now.groups) group = {.enabled_ns = millisecond, .running_ns = millisecond};
    return traffic_between(before, now, layout);
  }
};

TEST(Rates, StationsThatTakeTurnsStandForTheWholeTime) {
  const Traffic traffic = stated(Turns().traffic(1000, 1050));
  EXPECT_DOUBLE_EQ(traffic.amounts[Role::fabric_read].value(), 2 * 64.0 * 2050);
  EXPECT_DOUBLE_EQ(traffic.scale, 2);
  EXPECT_NEAR(traffic.spread.value(), 50 / 1025.0, 1e-9);
  EXPECT_EQ(traffic.labels, Labels{Label::extrapolated});
}

TEST(Rates, UnevenStationsStandForNothing) {
  const Traffic traffic = stated(Turns().traffic(1000, 1200));
  EXPECT_FALSE(traffic.amounts[Role::fabric_read]);
  EXPECT_TRUE(traffic.labels.contains(Label::uneven));
  EXPECT_NE(hit_rate(traffic, "").why_not.find("took turns"), std::string::npos);
}

TEST(Rates, OverAWhileTurnsEvenOut) {
  const Turns turns;
  const std::array pieces{turns.traffic(1000, 1200), turns.traffic(1200, 1000)};
  const Traffic all = stated(total(pieces));
  EXPECT_DOUBLE_EQ(all.amounts[Role::fabric_read].value(), 2 * 64.0 * 4400);
  EXPECT_NEAR(all.spread.value(), 0, 1e-9);
  EXPECT_FALSE(all.labels.contains(Label::uneven));
}

TEST(Rates, ATotalStandsForWhatIsMissingUpToHalf) {
  Traffic known;
  known.seconds = 1;
  known.amounts[Role::memory_read] = 100;
  Traffic unknown;
  unknown.seconds = 0.5;
  const std::array two{known, unknown};
  EXPECT_DOUBLE_EQ(total(two).amounts[Role::memory_read].value(), 150);
  unknown.seconds = 1.5;
  const std::array mostly_unknown{known, unknown};
  EXPECT_FALSE(total(mostly_unknown).amounts[Role::memory_read]);
}

Traffic bytes(double fabric_read, double fabric_write, double memory_read, double memory_write) {
  Traffic traffic;
  traffic.seconds = 1;
  traffic.amounts[Role::fabric_read] = fabric_read;
  traffic.amounts[Role::fabric_write] = fabric_write;
  traffic.amounts[Role::memory_read] = memory_read;
  traffic.amounts[Role::memory_write] = memory_write;
  return traffic;
}

TEST(HitRateByCounters, TheProcessorsOwnRequestsAreNoMisses) {
  Traffic traffic = bytes(1000, 200, 500, 100);
  traffic.amounts[Role::cpu_read] = 400;
  traffic.amounts[Role::cpu_write] = 100;
  const HitRate rate = hit_rate(traffic, "");
  EXPECT_TRUE(rate.without_cpu);
  EXPECT_DOUBLE_EQ(rate.reads_and_writes.value(), 1 - 100.0 / 700);
  EXPECT_DOUBLE_EQ(rate.reads.value(), 1 - 100.0 / 600);
}

TEST(HitRateByCounters, IsNeverBroughtBetweenZeroAndOne) {
  EXPECT_DOUBLE_EQ(hit_rate(bytes(1000, 0, 1100, 50), "").reads_and_writes.value(), -0.15);
}

TEST(HitRateByCounters, IsNullWithItsReason) {
  EXPECT_EQ(hit_rate(bytes(10, 0, 0, 0), "not calibrated").why_not, "not calibrated");
  EXPECT_FALSE(hit_rate(bytes(10, 0, 0, 0), "not calibrated").reads_and_writes);
  EXPECT_NE(hit_rate(bytes(0, 0, 0, 0), "").why_not, "");
  Traffic without_memory = bytes(10, 10, 0, 0);
  without_memory.amounts[Role::memory_read] = std::nullopt;
  EXPECT_NE(hit_rate(without_memory, "").why_not.find("memory"), std::string::npos);
  Traffic all_cpu = bytes(10, 10, 10, 10);
  all_cpu.amounts[Role::cpu_read] = all_cpu.amounts[Role::cpu_write] = 10;
  EXPECT_NE(hit_rate(all_cpu, "").why_not.find("CPU"), std::string::npos);
}

}  // namespace
}  // namespace sonde::counters
