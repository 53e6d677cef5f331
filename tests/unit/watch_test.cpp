#include "session/watch.hpp"

#include <gtest/gtest.h>

#include "summary/live_traffic.hpp"

namespace sonde::session {
namespace {

using counters::Role;
using counters::Traffic;

Traffic interval(double begin_seconds, double fabric_gb, double memory_gb) {
  Traffic traffic;
  traffic.begin_seconds = begin_seconds;
  traffic.seconds = 0.1;
  traffic.amounts[Role::fabric_read] = fabric_gb * 1e9;
  traffic.amounts[Role::fabric_write] = 0;
  traffic.amounts[Role::memory_read] = memory_gb * 1e9;
  traffic.amounts[Role::memory_write] = 0;
  return traffic;
}

TEST(Watched, IntervalsFillWindows) {
  Watched watched(1, {});
  for (int window = 0; window < 3; ++window) {
    for (int step = 0; step < 10; ++step) {
      const auto filled = watched.add(interval(window + step * 0.1, 1 + window, 0.5 * (3 - window)));
      ASSERT_EQ(filled.has_value(), step == 9) << step;
      if (filled) {
        EXPECT_NEAR(filled->fabric_gbps.value(), 10.0 * (1 + window), 1e-6);
      }
    }
  }
  EXPECT_NEAR(watched.busiest_at_fabric.value().begin_seconds, 2, 1e-9);
  EXPECT_NEAR(watched.busiest_at_memory.value().begin_seconds, 0, 1e-9);
  EXPECT_NEAR(watched.whole().hit_rate.reads_and_writes.value(), 1 - 30.0 / 60, 1e-9);
  EXPECT_NEAR(watched.whole().seconds, 3, 1e-9);
  EXPECT_EQ(watched.hit_rates.size(), 30u);
  EXPECT_NEAR(watched.hit_rate_quantile(0.5).value(), 1 - 1.0 / 2, 1e-9);
}

TEST(Watched, WhatFillsNoWindowIsInTheWhole) {
  Watched watched(1, {});
  EXPECT_FALSE(watched.add(interval(0, 2, 1)));
  EXPECT_FALSE(watched.busiest_at_memory);
  EXPECT_NEAR(watched.whole().memory_gbps.value(), 10, 1e-9);
}

TEST(Watched, ASourceWithoutAHitRateSaysWhy) {
  Watched watched(1, {.hit_rate = "nothing is calibrated", .cpu_latency = "in cycles"});
  watched.add(interval(0, 2, 1));
  EXPECT_FALSE(watched.whole().hit_rate.reads_and_writes);
  EXPECT_EQ(watched.whole().hit_rate.why_not, "nothing is calibrated");
  EXPECT_EQ(watched.whole().cpu_latency.why_not, "in cycles");
  EXPECT_FALSE(watched.hit_rate_quantile(0.5));
}

TEST(Watched, LatencyIsThatOfAllSamplesTogether) {
  Watched watched(1, {});
  for (const double samples : {100.0, 300.0}) {
    Traffic one = interval(samples, 2, 1);
    one.amounts[Role::l3_samples] = samples;
    one.amounts[Role::l3_latency_ns] = samples * (samples > 200 ? 140 : 100);
    watched.add(one);
  }
  EXPECT_NEAR(watched.whole().cpu_latency.ns.value(), 130, 1e-9);
}

TEST(Watched, WhoAskedIsToldAsFarAsItIsKnown) {
  Traffic amd = interval(0, 2, 1);
  EXPECT_FALSE(part_of(amd, {}).cpu_gbps);
  EXPECT_FALSE(part_of(amd, {}).gpu_and_devices_gbps);
  amd.amounts[Role::cpu_read] = 0.5e9;
  amd.amounts[Role::cpu_write] = 0.1e9;
  EXPECT_NEAR(part_of(amd, {}).cpu_gbps.value(), 6, 1e-9);
  EXPECT_NEAR(part_of(amd, {}).gpu_and_devices_gbps.value(), 14, 1e-9);
  EXPECT_FALSE(part_of(amd, {}).gpu_gbps);
  Traffic intel = interval(0, 0, 1);
  intel.amounts[Role::fabric_read] = std::nullopt;
  intel.amounts[Role::cpu_requests] = 0.3e9;
  intel.amounts[Role::gpu_requests] = 0.6e9;
  EXPECT_NEAR(part_of(intel, {}).cpu_gbps.value(), 3, 1e-9);
  EXPECT_NEAR(part_of(intel, {}).gpu_gbps.value(), 6, 1e-9);
  EXPECT_FALSE(part_of(intel, {}).devices_gbps);
  EXPECT_FALSE(part_of(intel, {}).gpu_and_devices_gbps);
}

TEST(LiveTraffic, LatencyIsShownWhereItIsKnown) {
  summary::LiveTraffic live(true, 80);
  const auto window = [](std::optional<double> ns) {
    return summary::LiveWindow{
        .seconds = 1, .fabric_gbps = 210.5, .memory_gbps = 57.12, .hit_rate = 0.7286, .cpu_latency_ns = ns};
  };
  EXPECT_EQ(live.next(window({})).find("latency"), std::string::npos);
  std::string last;
  for (int second = 0; second < 9; ++second) last = live.next(window(98.46));
  EXPECT_NE(last.find("hit rate ▆▆▆ 72.9 %  CPU latency 98.5 ns"), std::string::npos) << last;
}

TEST(LiveTraffic, BarsRollWithinTheTerminal) {
  summary::LiveTraffic live(true, 80);
  std::string last;
  for (int second = 1; second <= 30; ++second)
    last = live.next({.seconds = 1.0 * second, .fabric_gbps = 10.0 * second, .memory_gbps = 5.0, .hit_rate = {}});
  EXPECT_TRUE(last.starts_with("\r\033[Kfabric "));
  EXPECT_NE(last.find("█ 300 GB/s"), std::string::npos) << last;
  EXPECT_NE(last.find("unknown"), std::string::npos);
  EXPECT_EQ(live.end(), "\r\033[K");
}

TEST(LiveTraffic, ElsewhereLinesAreWhole) {
  summary::LiveTraffic live(false, 80);
  EXPECT_EQ(live.next({.seconds = 1, .fabric_gbps = 210.5, .memory_gbps = 57.12, .hit_rate = 0.7286}),
            "    1.00 s  fabric 210 GB/s  memory 57.1 GB/s  hit rate 72.9 %\n");
  EXPECT_EQ(live.end(), "");
}

}  // namespace
}  // namespace sonde::session
