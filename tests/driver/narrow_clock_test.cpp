// The timestamps of many GPUs have 36 valid bits and wrap every few minutes. lavapipe has 64 bits; here two Vulkan
// functions are replaced where volk loads them (linker option --wrap), so that it states 36.

#include <gtest/gtest.h>
#include <volk.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "driver/device_test.hpp"
#include "kernels.hpp"

namespace {

constexpr std::uint32_t valid_bits = 36;
std::array<std::uint64_t, 2> scripted_ticks{};
PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families = nullptr;

VKAPI_ATTR void VKAPI_CALL narrow_families(VkPhysicalDevice device, std::uint32_t* count,
                                           VkQueueFamilyProperties* families) {
  real_families(device, count, families);
  for (std::uint32_t index = 0; families != nullptr && index < *count; ++index) {
    families[index].timestampValidBits = std::min(families[index].timestampValidBits, valid_bits);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL scripted_results(VkDevice, VkQueryPool, std::uint32_t, std::uint32_t, std::size_t bytes,
                                                void* data, VkDeviceSize, VkQueryResultFlags) {
  std::memcpy(data, scripted_ticks.data(), std::min(bytes, sizeof scripted_ticks));
  return VK_SUCCESS;
}

}  // namespace

extern "C" {
void __real_volkLoadInstanceOnly(VkInstance instance);
void __real_volkLoadDevice(VkDevice device);

void __wrap_volkLoadInstanceOnly(VkInstance instance) {
  __real_volkLoadInstanceOnly(instance);
  real_families = vkGetPhysicalDeviceQueueFamilyProperties;
  vkGetPhysicalDeviceQueueFamilyProperties = narrow_families;
}

void __wrap_volkLoadDevice(VkDevice device) {
  __real_volkLoadDevice(device);
  vkGetQueryPoolResults = scripted_results;
}
}

namespace sonde::device {
namespace {

class NarrowClock : public test::DeviceTest {
 protected:
  double ticks_between(std::uint64_t start, std::uint64_t end) {
    scripted_ticks = {start, end};
    const auto kernel = device->make_kernel(kernels::alu_chain, 1);
    const auto state = device->make_buffer(8);
    const Nanoseconds time = device->run(*kernel, {.buffers = {state.get()}, .scalars = {1, 1, 1}, .groups = 1});
    return time.count() / device->info().timer_step_ns;
  }
};

TEST_P(NarrowClock, CountsOnWhenItWraps) {
  EXPECT_DOUBLE_EQ(ticks_between(1000, 1500), 500);
  EXPECT_DOUBLE_EQ(ticks_between((1ull << valid_bits) - 5, 3), 8);
}

INSTANTIATE_TEST_SUITE_P(, NarrowClock, testing::Values("vulkan"), test::name_of_device);

}  // namespace
}  // namespace sonde::device
