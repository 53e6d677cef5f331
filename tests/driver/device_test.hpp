#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "driver/devices_under_test.hpp"
#include "device/error.hpp"

namespace sonde::test {

/// One device, opened anew for each test; the test is skipped where its API has no driver here.
class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      device = open_device(GetParam());
    } catch (const device::Unsupported& reason) {
      GTEST_SKIP() << "No driver: " << reason.what();
    }
    // rusticl before Mesa 23.1 says so itself, and its events tell no times.
    if (device->info().timer_step_ns <= 0) GTEST_SKIP() << "No driver: this one has no clock";
  }

  std::unique_ptr<device::Device> device;
};

inline const auto every_device = testing::Values("opencl", "vulkan", "vulkan_descriptors", "model");
inline const auto name_of_device = [](const testing::TestParamInfo<std::string>& how) { return how.param; };

}  // namespace sonde::test
