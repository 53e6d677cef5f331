#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sonde::device {

/// One device program in every form that a backend may need; an empty form is not available on that API.
/// Buffer n is argument n, 32-bit scalars follow in order; GROUP_SIZE (OpenCL) and specialization
/// constant 0 (Vulkan) are the work-group's size; further constants are macros and constants 1, 2, ….
struct KernelSource {
  std::string_view name;
  std::string_view opencl_c;
  std::span<const std::uint32_t> spirv_addresses;    ///< buffers as 64-bit addresses in push constants
  std::span<const std::uint32_t> spirv_descriptors;  ///< buffers as bindings 0, 1, … of set 0
};

}  // namespace sonde::device
