#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/kernel_source.hpp"
#include "device/vulkan/handle.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// Made into a pipeline when it is launched, as its buffers decide in which form.
class VulkanKernel final : public Kernel {
 public:
  VulkanKernel(const KernelSource& source, std::vector<std::uint32_t> values)
      : by_address(source.spirv_addresses), by_binding(source.spirv_descriptors), constants(std::move(values)) {}

  std::string listing() const override { return shown ? shown(*this) : std::string(); }

  const std::span<const std::uint32_t> by_address;
  const std::span<const std::uint32_t> by_binding;
  const std::vector<std::uint32_t> constants;  ///< value n is specialization constant n
  mutable VkPipeline pipelines[2] = {};        ///< by address, by binding; the device's, once they were asked for
  std::function<std::string(const VulkanKernel&)> shown;  ///< what the driver made of it; empty where it does not say
};

/// What a dispatch is recorded with: the pipeline in the form that its buffers ask for, and the kernel's arguments.
struct Binding {
  VkPipeline pipeline = VK_NULL_HANDLE;
  std::vector<std::byte> arguments;  ///< push constants
  bool has_descriptors = false;      ///< some buffer is reached through one
};

/// How kernels reach their buffers, by address or through the descriptors of one set, and the pipelines for both.
class Bindings {
 public:
  Bindings(const Queue& queue, bool addresses);

  /// Points the descriptors to the launch's buffers; the binding before is none any more.
  Binding bind(const VulkanKernel& kernel, const Launch& launch);
  /// Addresses first, then scalars, as shaders/arguments.glsl lays them out.
  std::vector<std::byte> arguments_of(const Launch& launch) const;
  void record(VkCommandBuffer commands, const Binding& binding) const;
  /// Compiled once: every point makes its kernels anew.
  VkPipeline pipeline_of(const VulkanKernel& kernel, bool by_binding);

 private:
  void make_layouts();
  void make_descriptor_pool();
  void renew_descriptor_set();
  bool bind_buffers(const Launch& launch);
  Pipeline make_pipeline(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> values);

  const Queue& queue_;
  bool addresses_;
  DescriptorSetLayout set_layout_;
  PipelineLayout layout_;
  DescriptorPool descriptor_pool_;
  VkDescriptorSet descriptors_ = VK_NULL_HANDLE;
  /// By code and constants.
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>, Pipeline> pipelines_;
};

}  // namespace sonde::device::vulkan
