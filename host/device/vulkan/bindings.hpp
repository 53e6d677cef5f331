#pragma once

#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

class Bindings;

/// A kernel that is compiled into a pipeline when it is launched, in the form that its buffers ask for.
class VulkanKernel final : public Kernel {
 public:
  VulkanKernel(const KernelSource& from, std::vector<std::uint32_t> values, Bindings& bindings)
      : source(from), constants(std::move(values)), bindings_(bindings) {}

  std::string listing() const override;

  const KernelSource source;
  const std::vector<std::uint32_t> constants;  ///< value n is specialization constant n
  mutable VkPipeline pipelines[2] = {};        ///< by address, by binding; owned by the Bindings

 private:
  Bindings& bindings_;
};

/// The pipeline of a dispatch, in the form that its buffers ask for, and the kernel's arguments.
struct Binding {
  VkPipeline pipeline = VK_NULL_HANDLE;
  std::vector<std::byte> arguments;  ///< push constants
  bool has_descriptors = false;      ///< some buffer is reached through one
};

/// How kernels reach their buffers, by address or through the descriptors of one set, and the pipelines for both.
class Bindings {
 public:
  Bindings(const Queue& queue, bool addresses);

  /// Points the descriptors to the launch's buffers; earlier bindings become invalid.
  Binding bind(const VulkanKernel& kernel, const Launch& launch);
  /// The push constants: addresses first, then scalars, as shaders/arguments.glsl lays them out.
  std::vector<std::byte> arguments_of(const Launch& launch) const;
  void record(VkCommandBuffer commands, const Binding& binding) const;
  /// The assembler of the kernel's pipeline; empty where the driver shows none as text.
  std::string listing(const VulkanKernel& kernel);

 private:
  /// The kernel's pipeline, compiled once for equal kernels, as every point makes its kernels anew.
  VkPipeline pipeline_of(const VulkanKernel& kernel, bool by_binding);
  /// Points the descriptors to the buffers that are reached through one; returns false where none is.
  bool bind_buffers(const Launch& launch);
  Pipeline make_pipeline(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> values);

  const Queue& queue_;
  bool addresses_;
  DescriptorSetLayout set_layout_;
  PipelineLayout layout_;
  DescriptorPool descriptor_pool_;
  VkDescriptorSet descriptors_ = VK_NULL_HANDLE;
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>, Pipeline> pipelines_;
};

}  // namespace sonde::device::vulkan
