#include "counters/state/sources.hpp"

#include <gtest/gtest.h>

#include "fake_nvml.hpp"
#include "os/library.hpp"

namespace sonde::counters {
namespace {

using Reasons = std::set<std::string>;

constexpr const char* pci = "0000:41:00.0";
#if defined(_WIN32)
constexpr const char* other_library = "kernel32.dll";
#else
constexpr const char* other_library = "libm.so.6";
#endif

/// A fake library that is loaded for as long as a test lasts, so that what it says can be set before.
class NvmlTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(library) << library.why_not();
    library.find("fake_nvml", says);
    *says = {};
  }

  DeviceState read() {
    DeviceState reading;
    const Source source = nvml_source(pci, GetParam());
    EXPECT_TRUE(source);
    if (source) source(reading);
    return reading;
  }
  Reasons reasons(long long bits) {
    says->reasons = bits;
    return read().throttle_reasons.value();
  }

  os::Library library{GetParam()};
  FakeNvml* says = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Library, NvmlTest, testing::Values(FAKE_NVML, FAKE_OLD_NVML),
                         [](const auto& about) { return about.index == 0 ? "new_driver" : "old_driver"; });

TEST_P(NvmlTest, SaysAll) {
  const DeviceState reading = read();
  EXPECT_EQ(reading.gpu_clock_mhz, 1980);
  EXPECT_EQ(reading.memory_clock_mhz, 3201);
  EXPECT_NEAR(reading.memory_peak_gbps.value(), 4918.3, 0.1);  // 2 x 3202 MHz x 768 bytes
  EXPECT_EQ(reading.temperature_celsius, 44);
  // An old driver has only the average power.
  EXPECT_EQ(reading.power_watts, std::string(GetParam()) == FAKE_NVML ? 512.5 : 300);
  EXPECT_EQ(reading.throttle_reasons, Reasons{});
  EXPECT_FALSE(reading.cpu_clock_mhz);
}

TEST_P(NvmlTest, WithoutItsWidthMemoryHasNoPeak) {
  says->bus_bits = -1;
  EXPECT_FALSE(read().memory_peak_gbps);
  says->bus_bits = 384;
  says->highest_memory_clock_mhz = 0;
  EXPECT_FALSE(read().memory_peak_gbps);
}

TEST_P(NvmlTest, ReasonsHaveThisHousesWords) {
  EXPECT_EQ(reasons(0x4), Reasons{"power"});
  EXPECT_EQ(reasons(0x80), Reasons{"power"});
  EXPECT_EQ(reasons(0x20), Reasons{"temperature"});
  EXPECT_EQ(reasons(0x48), Reasons{"temperature"});
  EXPECT_EQ(reasons(0x8), Reasons{"other"});
  EXPECT_EQ(reasons(0x10), Reasons{"other"});
  EXPECT_EQ(reasons(0x64), (Reasons{"power", "temperature"}));
  EXPECT_EQ(reasons(0x1 | 0x2 | 0x100 | 0x400), Reasons{});  // idle, set by the user, by a display, not known
}

TEST_P(NvmlTest, WhatIsNotSupportedIsNotKnown) {
  says->graphics_clock_mhz = says->memory_clock_mhz = says->temperature_celsius = -1;
  says->average_milliwatts = says->present_milliwatts = -1;
  says->reasons = -1;
  const DeviceState reading = read();
  EXPECT_FALSE(reading.gpu_clock_mhz || reading.memory_clock_mhz || reading.temperature_celsius || reading.power_watts);
  EXPECT_FALSE(reading.throttle_reasons);
}

TEST_P(NvmlTest, TheAverageStandsInForThePresentPower) {
  says->present_milliwatts = -1;
  EXPECT_EQ(read().power_watts, 300);
}

TEST_P(NvmlTest, AnotherGpuIsNone) {
  EXPECT_FALSE(nvml_source("0000:42:00.0", GetParam()));
  EXPECT_EQ(says->initialised, 0);
}

TEST_P(NvmlTest, IsShutDownWithItsLastSource) {
  {
    Source source = nvml_source(pci, GetParam());
    EXPECT_EQ(says->initialised, 1);
    const Source copy = source;
    source = {};
    EXPECT_EQ(says->initialised, 1);
  }
  EXPECT_EQ(says->initialised, 0);
}

TEST(Nvml, WithoutTheLibraryThereIsNoSource) {
  EXPECT_FALSE(nvml_source(pci, "libno-such-library.so.1"));
  EXPECT_FALSE(nvml_source(pci, other_library));  // a library without its functions
}

}  // namespace
}  // namespace sonde::counters
