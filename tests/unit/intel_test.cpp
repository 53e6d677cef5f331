// Intel's GPUs as i915 and xe show them.

#include "counters/state/sources.hpp"

#include <gtest/gtest.h>

#include "support/fake_tree.hpp"

namespace sonde::counters {
namespace {

using Reasons = std::set<std::string>;

constexpr const char* pci = "0000:00:02.0";
const std::filesystem::path device = std::filesystem::path("sys/bus/pci/devices") / pci;

TEST(I915, ClockAndReasonsStandWithTheCard) {
  const test::FakeTree tree;
  tree.write(device / "drm/card0/gt_act_freq_mhz", "1200\n");
  tree.write(device / "drm/card0/gt/gt0/rps_act_freq_mhz", "1250\n");
  tree.write(device / "drm/card0/gt/gt0/throttle_reason_status", "1\n");
  tree.write(device / "drm/card0/gt/gt0/throttle_reason_pl1", "1\n");
  tree.write(device / "drm/card0/gt/gt0/throttle_reason_vr_tdc", "0\n");
  tree.write(device / "drm/card0/gt/gt0/throttle_reason_vr_thermalert", "1\n");
  const DeviceState reading = reader_of(tree.root(), pci)();
  EXPECT_EQ(reading.gpu_clock_mhz, 1250);
  EXPECT_EQ(reading.throttle_reasons, (Reasons{"power", "temperature"}));
  EXPECT_FALSE(reading.memory_clock_mhz || reading.temperature_celsius || reading.power_watts);
}

TEST(I915, AnOldKernelHasOnlyTheClock) {
  const test::FakeTree tree;
  tree.write(device / "drm/card1/gt_act_freq_mhz", "900\n");
  const DeviceState reading = reader_of(tree.root(), pci)();
  EXPECT_EQ(reading.gpu_clock_mhz, 900);
  EXPECT_FALSE(reading.throttle_reasons);
}

TEST(I915, IsFoundThroughTheCardToo) {
  const test::FakeTree tree;
  tree.write("sys/devices/pci0000:00/0000:00:02.0/vendor", "0x8086\n");
  tree.write("sys/class/drm/card0/gt_act_freq_mhz", "300\n");
  tree.write("sys/class/drm/card1/gt_act_freq_mhz", "800\n");
  std::filesystem::create_symlink("../../../devices/pci0000:00/0000:03:00.0",
                                  tree.root() / "sys/class/drm/card0/device");
  std::filesystem::create_symlink("../../../devices/pci0000:00/0000:00:02.0",
                                  tree.root() / "sys/class/drm/card1/device");
  EXPECT_EQ(reader_of(tree.root(), pci)().gpu_clock_mhz, 800);
}

TEST(I915, AnEngineThatSleepsHasNoClock) {
  const test::FakeTree tree;
  tree.write(device / "drm/card0/gt_act_freq_mhz", "0\n");
  EXPECT_FALSE(reader_of(tree.root(), pci)().gpu_clock_mhz);
}

TEST(Xe, ClockAndReasonsStandWithTheTile) {
  const test::FakeTree tree;
  tree.write(device / "tile0/gt0/freq0/act_freq", "2400\n");
  tree.write(device / "tile0/gt1/freq0/act_freq", "1100\n");  // the media engine
  tree.write(device / "tile0/gt0/freq0/throttle/status", "1\n");
  tree.write(device / "tile0/gt0/freq0/throttle/reason_pl4", "1\n");
  tree.write(device / "tile0/gt0/freq0/throttle/reason_iccmax", "1\n");
  tree.write(device / "tile0/gt0/freq0/throttle/reason_thermal", "0\n");
  tree.write(device / "hwmon/hwmon3/temp2_input", "57000\n");
  const DeviceState reading = reader_of(tree.root(), pci)();
  EXPECT_EQ(reading.gpu_clock_mhz, 2400);
  EXPECT_EQ(reading.throttle_reasons, (Reasons{"current", "power"}));
  EXPECT_EQ(reading.temperature_celsius, 57);
}

TEST(Xe, ReasonsThatCannotBeReadAreNotKnown) {
  const test::FakeTree tree;
  tree.write(device / "tile0/gt0/freq0/act_freq", "fast\n");
  tree.write(device / "tile0/gt0/freq0/throttle/reason_pl1", "maybe\n");
  const DeviceState reading = reader_of(tree.root(), pci)();
  EXPECT_FALSE(reading.gpu_clock_mhz);
  EXPECT_FALSE(reading.throttle_reasons);
}

TEST(Hwmon, PowerIsWhatTheEnergyCounterRoseBy) {
  const test::FakeTree tree;
  const auto energy = [&tree](const char* microjoules) {
    tree.write(device / "hwmon/hwmon0/energy1_input", microjoules);
  };
  energy("1000000\n");
  const auto reader = reader_of(tree.root(), pci);
  EXPECT_FALSE(reader().power_watts);
  energy("3000000\n");
  const DeviceState second = reader();
  ASSERT_TRUE(second.power_watts);
  EXPECT_GT(*second.power_watts, 0);
  energy("5\n");  // it wrapped
  EXPECT_FALSE(reader().power_watts);
}

TEST(Intel, ReasonsHaveThisHousesWords) {
  const std::pair<const char*, const char*> words[] = {
      {"pl1", "power"},        {"psys_pl2", "power"}, {"thermal", "temperature"}, {"prochot", "temperature"},
      {"ratl", "temperature"}, {"vr_tdc", "current"}, {"fastvmode", "other"}};
  for (const auto& [intels, ours] : words) {
    const test::FakeTree tree;
    tree.write(device / "tile0/gt0/freq0/act_freq", "2400\n");
    tree.write(device / "tile0/gt0/freq0/throttle" / (std::string("reason_") + intels), "1\n");
    EXPECT_EQ(reader_of(tree.root(), pci)().throttle_reasons, Reasons{ours}) << intels;
  }
}

}  // namespace
}  // namespace sonde::counters
