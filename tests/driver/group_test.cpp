// The device contract, groups: as many as asked for, of the size asked for, with a kernel that is the tests'
// own.

#include <algorithm>
#include <span>
#include <vector>

#include "driver/device_test.hpp"
#include "item_numbers_addresses.spv.h"
#include "item_numbers_descriptors.spv.h"

namespace sonde::device {
namespace {

const KernelSource item_numbers{.name = "item_numbers",
                                .opencl_c = R"(
kernel void item_numbers(global uint* numbers, uint factor) {
  numbers[get_global_id(0)] = get_group_id(0) * factor + get_local_id(0);
})",
                                .spirv_addresses = item_numbers_addresses,
                                .spirv_descriptors = item_numbers_descriptors};

class DeviceGroups : public test::DeviceTest {};

TEST_P(DeviceGroups, AreAsManyAndAsLargeAsAskedFor) {
  constexpr std::uint32_t untouched = 0xABCDABCD;
  constexpr std::uint32_t factor = 1000;
  for (const std::uint32_t wanted_size : {1u, 8u, 32u}) {
    const std::uint32_t group_size = std::min(wanted_size, device->info().largest_group_size);
    const auto kernel = device->make_kernel(item_numbers, group_size);
    for (const std::uint32_t groups : {1u, 3u, 7u}) {
      std::vector<std::uint32_t> expected(7 * 32 + 1, untouched);
      const auto buffer = device->make_buffer(expected.size() * 4);
      buffer->write(0, std::as_bytes(std::span(expected)));
      (void)device->run(*kernel, {.buffers = {buffer.get()}, .scalars = {factor}, .groups = groups});
      for (std::uint32_t item = 0; item < groups * group_size; ++item) {
        expected[item] = item / group_size * factor + item % group_size;
      }
      std::vector<std::uint32_t> found(expected.size());
      buffer->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, expected) << groups << " groups of " << group_size;
    }
  }
}

// The model runs the probes' kernels only.
INSTANTIATE_TEST_SUITE_P(, DeviceGroups, testing::Values("opencl", "vulkan", "vulkan_descriptors"),
                         test::name_of_device);

}  // namespace
}  // namespace sonde::device
