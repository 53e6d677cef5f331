// The sampler on known sources, and on counters of the kernel that runs this test.
#include "counters/traffic/traffic_meter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

#include "counters/traffic/rates.hpp"
#include "counters/traffic/sources.hpp"
#include "os/perf_events.hpp"
#include "os/time.hpp"

namespace sonde::counters {
namespace {

using std::chrono::milliseconds;

/// A counter that goes up by one a reading, each of which may take its time.
class CountingSource final : public CounterSource {
 public:
  explicit CountingSource(milliseconds pause = milliseconds{0}) : pause_(pause) {}
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(CounterSnapshot& into) noexcept override {
    into.before_ns = os::steady_ns();
    if (pause_.count() > 0) std::this_thread::sleep_for(pause_);
    into.values[0] = ++count_;
    into.groups[0] = {};
    into.after_ns = os::steady_ns();
  }

 private:
  Layout layout_{.name = "counting", .counters = {{Role::other, 1, 0}}, .groups = 1, .is_rotated = {false}};
  milliseconds pause_;
  std::uint64_t count_ = 0;
};

std::vector<CounterSnapshot> fetch_all(TrafficSampler& sampler, const Layout& layout) {
  std::vector<CounterSnapshot> readings;
  CounterSnapshot reading = layout.empty_snapshot();
  while (sampler.fetch(reading)) readings.push_back(reading);
  return readings;
}

TEST(TrafficSampler, EveryReadingIsFetchedOnceAndInOrder) {
  CountingSource source;
  TrafficSampler sampler(source, milliseconds(1));
  std::this_thread::sleep_for(milliseconds(100));
  auto readings = fetch_all(sampler, source.layout());
  sampler.stop();
  for (const CounterSnapshot& reading : fetch_all(sampler, source.layout())) readings.push_back(reading);
  const SamplerCounts counts = sampler.counts();
  EXPECT_GE(counts.taken, 10u);
  EXPECT_EQ(counts.lost, 0u);
  ASSERT_EQ(readings.size(), counts.taken);
  for (std::size_t place = 0; place < readings.size(); ++place) {
    EXPECT_EQ(readings[place].values[0], place + 1);
    EXPECT_LE(readings[place].before_ns, readings[place].after_ns);
    if (place > 0) {
      EXPECT_GE(readings[place].before_ns, readings[place - 1].after_ns);
    }
  }
}

TEST(TrafficSampler, WhatItSleptThroughIsCounted) {
  CountingSource source(milliseconds(5));
  TrafficSampler sampler(source, milliseconds(1));
  std::this_thread::sleep_for(milliseconds(100));
  sampler.stop();
  EXPECT_GE(sampler.counts().skipped, 3 * (sampler.counts().taken - 1));
}

TEST(TrafficSampler, WhatNobodyFetchesIsCountedAsLost) {
  CountingSource source;
  TrafficSampler sampler(source, std::chrono::microseconds(5));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (sampler.counts().lost == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(10));
  sampler.stop();
  const SamplerCounts counts = sampler.counts();
  EXPECT_GT(counts.lost, 0u);
  EXPECT_EQ(fetch_all(sampler, source.layout()).size(), counts.taken - counts.lost);
}

TEST(TrafficSampler, ReadsTheTimeStampCounterOfThisMachine) {
  const OpenedSource opened = open_any_machine();
  if (!opened.source) GTEST_SKIP() << opened.why_not;
  TrafficSampler sampler(*opened.source, milliseconds(1));
  std::this_thread::sleep_for(milliseconds(300));
  sampler.stop();
  const auto readings = fetch_all(sampler, opened.source->layout());
  ASSERT_GE(readings.size(), 20u);
  const Traffic whole = traffic_between(readings.front(), readings.back(), opened.source->layout());
  EXPECT_EQ(whole.labels, std::set<Label>{});
  const double ticks_per_second = whole.amounts[Role::other].value() / whole.seconds;
  EXPECT_GT(ticks_per_second, 0.5e9);
  EXPECT_LT(ticks_per_second, 10e9);
  for (std::size_t place = 1; place < readings.size(); ++place)
    EXPECT_GT(readings[place].values[0], readings[place - 1].values[0]);
}

constexpr std::uint32_t software = 1;
constexpr os::PerfEvent page_faults{.type = software, .config = 2};
constexpr os::PerfEvent clock_of_the_cpu{.type = software, .config = 0};  // goes on whatever runs there

TEST(PerfEvents, AGroupCountsThisMachinesSoftwareEvents) {
  std::error_code problem;
  auto group = os::open_event_group(std::array{page_faults, clock_of_the_cpu}, 0, problem);
  if (!group) GTEST_SKIP() << "this kernel lets nobody but root count: " << problem.message();
  std::array<std::uint64_t, 2> before{};
  std::array<std::uint64_t, 2> after{};
  os::PerfTimes times;
  ASSERT_FALSE(group->read(before, times));
  EXPECT_EQ(times.enabled_ns, 0u);  // not before it is enabled
  ASSERT_FALSE(group->enable());
  std::this_thread::sleep_for(milliseconds(100));
  ASSERT_FALSE(group->read(after, times));
  EXPECT_GE(times.enabled_ns, 50'000'000u);
  EXPECT_EQ(times.running_ns, times.enabled_ns);
  EXPECT_GE(after[1] - before[1], 50'000'000u);
  ASSERT_FALSE(group->disable());
  ASSERT_FALSE(group->read(before, times));
  std::this_thread::sleep_for(milliseconds(20));
  ASSERT_FALSE(group->read(after, times));
  EXPECT_EQ(before, after);
}

TEST(PerfEvents, RefusalsAreErrorsThatSayWhy) {
  std::error_code problem;
  constexpr os::PerfEvent of_no_kind{.type = 9999, .config = 0};
  EXPECT_FALSE(os::open_event_group(std::array{of_no_kind}, 0, problem));
  if (problem == std::errc::permission_denied) GTEST_SKIP() << "this kernel lets nobody but root count";
  if (problem == std::errc::function_not_supported) GTEST_SKIP() << "this system has no such counters";
  EXPECT_EQ(problem, std::errc::no_such_file_or_directory);
  constexpr os::PerfEvent no_such_event{.type = software, .config = 0xFFFF};
  EXPECT_FALSE(os::open_event_group(std::array{no_such_event}, 0, problem));
  EXPECT_TRUE(problem);
}

}  // namespace
}  // namespace sonde::counters
