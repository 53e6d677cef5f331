#include "counters/state/device_state.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sonde::counters {
namespace {

using Reasons = std::set<std::string>;

TEST(DeviceState, OneForAllIsMedianClocksHighestTemperatureMeanPower) {
  const std::vector<DeviceState> readings{{.gpu_clock_mhz = 500,
                                           .memory_clock_mhz = 96,
                                           .temperature_celsius = 60,
                                           .power_watts = 50,
                                           .cpu_clock_mhz = 4000},
                                          {.gpu_clock_mhz = 2500,
                                           .memory_clock_mhz = 1249,
                                           .temperature_celsius = 71,
                                           .power_watts = 100,
                                           .cpu_clock_mhz = 5000},
                                          {.gpu_clock_mhz = 2480,
                                           .memory_clock_mhz = 1249,
                                           .temperature_celsius = 70,
                                           .power_watts = 120,
                                           .cpu_clock_mhz = 4900}};
  const DeviceState all = summarize(readings);
  EXPECT_EQ(all.gpu_clock_mhz, 2480);
  EXPECT_EQ(all.memory_clock_mhz, 1249);
  EXPECT_EQ(all.temperature_celsius, 71);
  EXPECT_EQ(all.power_watts, 90);
  EXPECT_EQ(all.cpu_clock_mhz, 4900);
  EXPECT_FALSE(all.throttle_reasons);
}

TEST(DeviceState, EveryReasonThatWasSeenCounts) {
  const std::vector<DeviceState> readings{{.throttle_reasons = Reasons{"power"}},
                                          {},
                                          {.throttle_reasons = Reasons{}},
                                          {.throttle_reasons = Reasons{"temperature", "power"}}};
  EXPECT_EQ(summarize(readings).throttle_reasons, (Reasons{"power", "temperature"}));
}

TEST(DeviceState, NotThrottledIsAnotherThingThanNotKnown) {
  EXPECT_EQ(summarize(std::vector<DeviceState>{{.throttle_reasons = Reasons{}}, {}}).throttle_reasons, Reasons{});
  EXPECT_EQ(summarize(std::vector<DeviceState>{{}, {}}).throttle_reasons, std::nullopt);
}

TEST(DeviceState, WhatSomeReadingsLackComesFromTheOthers) {
  const std::vector<DeviceState> readings{{}, {.power_watts = 30}, {.gpu_clock_mhz = 700}, {.power_watts = 10}};
  const DeviceState all = summarize(readings);
  EXPECT_EQ(all.power_watts, 20);
  EXPECT_EQ(all.gpu_clock_mhz, 700);
}

TEST(DeviceState, OfNothingIsNothing) {
  const DeviceState all = summarize({});
  EXPECT_FALSE(all.gpu_clock_mhz || all.memory_clock_mhz || all.temperature_celsius || all.power_watts);
  EXPECT_FALSE(all.throttle_reasons || all.cpu_clock_mhz);
}

}  // namespace
}  // namespace sonde::counters
