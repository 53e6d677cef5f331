#include "session/selection.hpp"

#include <gtest/gtest.h>

#include "support/seen_devices.hpp"

namespace sonde::session {
namespace {

using device::Api;
using device::DeviceType;
using records::DeviceRecord;
using test::seen;

constexpr const char* uuid = "00112233445566778899aabbccddeeff";

/// 0: a discrete GPU, 1: an integrated one, 2: the CPU.
std::vector<DeviceRecord> machine() {
  return merge({seen(Api::vulkan, "NVIDIA GeForce RTX 4090", {.uuid = uuid, .pci = "0000:01:00.0"}),
                seen(Api::vulkan, "AMD Radeon 8060S", {.type = DeviceType::integrated, .pci = "0000:c5:00.0"}),
                seen(Api::vulkan, "llvmpipe", {.type = DeviceType::cpu})});
}

std::vector<DeviceRecord> machine_without_gpu() {
  return merge({seen(Api::vulkan, "llvmpipe", {.type = DeviceType::cpu})});
}

std::vector<std::string> names(const std::vector<std::string>& selectors,
                               const std::vector<DeviceRecord>& devices = machine()) {
  std::vector<std::string> names;
  for (const TargetDevice& target : select(devices, selectors)) names.push_back(target.record.name);
  return names;
}

using Names = std::vector<std::string>;
const std::string nvidia = "NVIDIA GeForce RTX 4090";
const std::string radeon = "AMD Radeon 8060S";
const std::string cpu = "llvmpipe";

TEST(Select, ByIndex) { EXPECT_EQ(names({"1"}), Names{radeon}); }

TEST(Select, ByPartOfTheNameInAnyCase) {
  EXPECT_EQ(names({"radeon"}), Names{radeon});
  EXPECT_EQ(names({"GeForce rtx"}), Names{nvidia});
}

TEST(Select, ByDigitsOfTheNameThatAreNoIndex) {
  EXPECT_EQ(names({"4090"}), Names{nvidia});
  EXPECT_EQ(names({"8060"}), Names{radeon});
}

TEST(Select, ByUuidWithAndWithoutDashes) {
  EXPECT_EQ(names({uuid}), Names{nvidia});
  EXPECT_EQ(names({"00112233-4455-6677-8899-AABBCCDDEEFF"}), Names{nvidia});
}

TEST(Select, ByPciAddressAndById) {
  EXPECT_EQ(names({"0000:C5:00.0"}), Names{radeon});
  EXPECT_EQ(names({"gpu-0000:c5:00.0"}), Names{radeon});
}

TEST(Select, ByKind) {
  EXPECT_EQ(names({"cpu"}), Names{cpu});
  EXPECT_EQ(names({"gpu"}), (Names{nvidia, radeon}));
  EXPECT_EQ(names({"all"}), (Names{nvidia, radeon, cpu}));
  EXPECT_EQ(names({"GPU"}), (Names{nvidia, radeon}));
}

TEST(Select, EachDeviceOnceInTheOrderAskedFor) {
  EXPECT_EQ(names({"radeon", "gpu", "1", "all"}), (Names{radeon, nvidia, cpu}));
}

TEST(Select, NothingAskedForMeansEveryGpu) { EXPECT_EQ(names({}), (Names{nvidia, radeon})); }

TEST(Select, NothingAskedForMeansTheCpuWhereThereIsNoGpu) { EXPECT_EQ(names({}, machine_without_gpu()), Names{cpu}); }

TEST(Select, NothingAskedForOnAMachineWithoutDevicesIsLeftToTheCaller) { EXPECT_TRUE(names({}, {}).empty()); }

TEST(Select, WhatMatchesNothingIsAnErrorThatNamesIt) {
  for (const char* selector : {"intel", "3", "99999", "0000:02:00.0", ""}) {
    try {
      (void)select(machine(), {"0", selector});
      ADD_FAILURE() << selector;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + std::string(selector) + "'"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW((void)select(machine_without_gpu(), {"gpu"}), UsageError);
}

TEST(Select, AModelNeedsNoDevice) {
  const auto targets = select({}, {"model:h200", "model:h200"});
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_FALSE(targets[0].model_text.empty());
  EXPECT_EQ(targets[0].record.type, DeviceType::model);
  EXPECT_TRUE(targets[0].record.drivers.contains(device::Api::model));
}

TEST(Select, AModelThatDoesNotExistIsAnErrorThatNamesIt) {
  for (const char* selector : {"model:nothing", "model:/no/such/file.json"}) {
    try {
      (void)select(machine(), {selector});
      ADD_FAILURE() << selector;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(std::string(selector).substr(6)), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sonde::session
