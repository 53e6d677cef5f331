#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace sonde::test {

/// Opens the device that stands for "opencl", "vulkan", "vulkan_descriptors" or "model": the CPU, which is the same
/// everywhere, or the first device where there is no driver for the CPU. SONDE_TEST_DEVICE=INDEX asks for another, as
/// the API counts them. Throws device::Unsupported where the API has no driver.
std::unique_ptr<device::Device> open_device(const std::string& how);

/// All words of a buffer.
inline std::vector<std::uint32_t> words_in(device::Buffer& buffer) {
  std::vector<std::uint32_t> words(buffer.size_bytes() / sizeof(std::uint32_t));
  buffer.read(0, std::as_writable_bytes(std::span(words)));
  return words;
}

/// One device, opened anew for each test; the test is skipped where its API has no driver here.
class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      device = open_device(GetParam());
    } catch (const device::Unsupported& reason) {
      GTEST_SKIP() << "No driver: " << reason.what();
    }
    // rusticl before Mesa 23.1 has no event times, and states so.
    if (device->info().timer_step_ns <= 0) GTEST_SKIP() << "No driver: this one has no clock";
  }

  std::unique_ptr<device::Buffer> buffer_of(std::span<const std::uint32_t> words,
                                            device::Use use = device::Use::storage) {
    auto buffer = device->make_buffer(words.size_bytes(), use);
    buffer->write(0, std::as_bytes(words));
    return buffer;
  }

  /// The largest group size that this device has, up to `group_size`.
  std::uint32_t allowed(std::uint32_t group_size) const {
    return std::min(group_size, device->info().largest_group_size);
  }

  std::unique_ptr<device::Device> device;
};

inline const auto every_device = testing::Values("opencl", "vulkan", "vulkan_descriptors", "model");
inline const auto name_of_device = [](const testing::TestParamInfo<std::string>& how) { return how.param; };

}  // namespace sonde::test
