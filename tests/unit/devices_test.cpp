#include "session/selection.hpp"

#include <gtest/gtest.h>

#include "support/seen_devices.hpp"

namespace sonde::session {
namespace {

using device::Api;
using device::DeviceType;
using records::ApiDevice;
using test::seen;

TEST(Merge, OneUuidIsOneDevice) {
  const auto devices = merge({seen(Api::opencl, "NVIDIA H200", {.uuid = "aa11"}),
                              seen(Api::vulkan, "NVIDIA H200 (NVK)", {.uuid = "aa11", .pci = "0000:3b:00.0"})});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].drivers.at(device::Api::opencl).info.name, "NVIDIA H200");
  EXPECT_EQ(devices[0].drivers.at(device::Api::vulkan).info.name, "NVIDIA H200 (NVK)");
  EXPECT_EQ(devices[0].uuid, "aa11");
  EXPECT_EQ(devices[0].pci, "0000:3b:00.0");
}

TEST(Merge, OnePciAddressIsOneDeviceThoughItsUuidsDiffer) {
  const auto devices = merge({seen(Api::opencl, "gfx1151", {.uuid = "aa", .pci = "0000:c5:00.0"}),
                              seen(Api::vulkan, "Radeon 8060S", {.uuid = "bb", .pci = "0000:c5:00.0"})});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_TRUE(through(devices[0], device::Api::opencl) && through(devices[0], device::Api::vulkan));
}

TEST(Merge, TwoPciAddressesAreTwoDevicesOfOneName) {
  const auto devices = merge({seen(Api::vulkan, "H200", {.uuid = "aa", .pci = "0000:3b:00.0"}),
                              seen(Api::vulkan, "H200", {.uuid = "bb", .pci = "0000:5e:00.0"})});
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_NE(devices[0].id, devices[1].id);
}

TEST(Merge, WhatOneDriverListsSideBySideIsDifferentWhateverItStates) {
  for (const auto& [first, second] :
       {std::pair(test::Facts{.uuid = "aa", .pci = "0000:00:00.0"}, test::Facts{.uuid = "bb", .pci = "0000:00:00.0"}),
        std::pair(test::Facts{.uuid = "aa"}, test::Facts{.uuid = "aa"}),
        std::pair(test::Facts{.uuid = "aa", .pci = "0000:01:00.0"},
                  test::Facts{.uuid = "aa", .pci = "0000:02:00.0"})}) {
    const auto devices = merge({seen(Api::opencl, "Example GPU", first), seen(Api::opencl, "Example GPU", second),
                                seen(Api::vulkan, "Example", first), seen(Api::vulkan, "Example", second)});
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_NE(devices[0].id, devices[1].id);
    for (const records::DeviceRecord& device : devices) EXPECT_EQ(device.drivers.size(), 2u);
    EXPECT_TRUE(devices[0].further.empty() && devices[1].further.empty());
  }
}

TEST(Merge, ADriverThatIsListedTwiceIsOne) {
  const auto one = seen(Api::vulkan, "H200", {.uuid = "aa", .pci = "0000:3b:00.0"});
  EXPECT_EQ(merge({one, one}).size(), 1u);
}

TEST(Merge, EqualNamesWithoutAnIdentityStayTwo) {
  const auto devices = merge({seen(Api::opencl, "Some GPU", {}), seen(Api::vulkan, "Some GPU", {})});
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_NE(devices[0].id, devices[1].id);
}

TEST(Merge, PoclAndLlvmpipeAreTheCpu) {
  const auto devices = merge({seen(Api::opencl, "pthread-Intel", {.type = DeviceType::cpu, .line_bytes = 64}),
                              seen(Api::vulkan, "llvmpipe", {.type = DeviceType::cpu, .uuid = "6d65"})});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].id, "cpu");
  EXPECT_EQ(devices[0].type, DeviceType::cpu);
  EXPECT_TRUE(through(devices[0], device::Api::opencl) && through(devices[0], device::Api::vulkan));
}

TEST(Merge, ASecondDriverIsNotedButNotMeasured) {
  const auto devices = merge({seen(Api::opencl, "gfx1151", {.pci = "0000:c5:00.0", .driver_version = "rocm 6"}),
                              seen(Api::opencl, "rusticl", {.pci = "0000:c5:00.0", .driver_version = "mesa 25"})});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].drivers.at(device::Api::opencl).info.driver_version, "rocm 6");
  ASSERT_EQ(devices[0].further.size(), 1u);
  EXPECT_EQ(devices[0].further[0].info.driver_version, "mesa 25");
}

TEST(Merge, GpusComeFirstInTheOrderSeen) {
  const auto devices =
      merge({seen(Api::opencl, "pocl", {.type = DeviceType::cpu}), seen(Api::opencl, "first", {.pci = "0000:01:00.0"}),
             seen(Api::opencl, "second", {.pci = "0000:02:00.0"})});
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].name, "first");
  EXPECT_EQ(devices[1].name, "second");
  EXPECT_EQ(devices[2].id, "cpu");
}

TEST(Merge, VulkanKnowsAnIntegratedGpuWhereOpenclDoesNotSay) {
  const auto devices = merge({seen(Api::opencl, "gfx1151", {.pci = "0000:c5:00.0"}),
                              seen(Api::vulkan, "Radeon 8060S",
                                   {.type = DeviceType::integrated, .pci = "0000:c5:00.0", .unified_memory = true})});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].type, DeviceType::integrated);
  EXPECT_TRUE(devices[0].unified_memory);
}

TEST(Merge, IdsStayTheSameUnderAnotherDriverVersion) {
  const auto before = merge({seen(Api::vulkan, "AMD Radeon 8060S (RADV GFX1151)",
                                  {.uuid = "aa", .pci = "0000:c5:00.0", .driver_version = "25.0"})});
  const auto after = merge({seen(Api::vulkan, "Radeon 8060S Graphics (RADV STRIX_HALO)",
                                 {.uuid = "bb", .pci = "0000:c5:00.0", .driver_version = "25.3"})});
  EXPECT_EQ(before[0].id, after[0].id);
}

TEST(Merge, IdsDoNotDependOnWhichApiSawTheDeviceFirst) {
  const ApiDevice opencl = seen(Api::opencl, "gfx1151", {.uuid = "aa", .pci = "0000:c5:00.0"});
  const ApiDevice vulkan = seen(Api::vulkan, "Radeon", {.uuid = "aa", .pci = "0000:c5:00.0"});
  EXPECT_EQ(merge({opencl, vulkan})[0].id, merge({vulkan, opencl})[0].id);
}

TEST(Merge, OneLineSizeForAllApis) {
  const auto told =
      merge({seen(Api::opencl, "a", {.pci = "1", .line_bytes = 128}), seen(Api::vulkan, "a", {.pci = "1"})});
  EXPECT_EQ(told[0].line_bytes, 128u);
  const device::StatedCache one{.level = 0, .bytes = 4096, .source = "OpenCL"};
  const device::StatedCache two{.level = 2, .bytes = 1 << 20, .source = "system"};
  ApiDevice opencl = seen(Api::opencl, "c", {.type = DeviceType::cpu});
  ApiDevice vulkan = seen(Api::vulkan, "c", {.type = DeviceType::cpu});
  opencl.info.stated_caches = {one};
  vulkan.info.stated_caches = {one, two};
  const auto stated = merge({opencl, vulkan});
  EXPECT_EQ(stated[0].stated_caches, (std::vector<device::StatedCache>{one, two}));
  EXPECT_EQ(merge({seen(Api::vulkan, "gpu", {})})[0].line_bytes, 128u);
  EXPECT_EQ(merge({seen(Api::vulkan, "llvmpipe", {.type = DeviceType::cpu})})[0].line_bytes, 64u);
}

TEST(Merge, OfNothingIsNothing) { EXPECT_TRUE(merge({}).empty()); }

}  // namespace
}  // namespace sonde::session
