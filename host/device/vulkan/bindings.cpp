#include "device/vulkan/bindings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "device/vulkan/memory.hpp"

namespace sonde::device::vulkan {
namespace {

// The layout of shaders/arguments.glsl.
constexpr std::uint32_t most_buffers = 4;
constexpr std::uint32_t constant_binding = 4;
constexpr std::uint32_t texels_binding = 5;
constexpr std::uint32_t push_constant_bytes = 128;  // every Vulkan device has as many

VkDescriptorType type_of(std::uint32_t binding) {
  if (binding == constant_binding) return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  if (binding == texels_binding) return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

bool has_bound(const Launch& launch) {
  return std::ranges::any_of(launch.buffers,
                             [](Buffer* buffer) { return static_cast<VulkanBuffer*>(buffer)->use() == Use::bound; });
}

using Representation = VkPipelineExecutableInternalRepresentationKHR;

/// Whether this is the compiled code: drivers show their intermediate forms as well.
bool is_assembler(const Representation& representation) {
  return representation.isText == VK_TRUE &&
         std::string_view(representation.name).find("ssembl") != std::string_view::npos;
}

std::string assembler_of(VkDevice device, const VkPipelineExecutableInfoKHR& executable) {
  std::uint32_t count = 0;
  vkGetPipelineExecutableInternalRepresentationsKHR(device, &executable, &count, nullptr);
  const Representation unasked{.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
  std::vector<Representation> all(count, unasked);
  // The first call returns the sizes, the second the texts.
  if (vkGetPipelineExecutableInternalRepresentationsKHR(device, &executable, &count, all.data()) != VK_SUCCESS)
    return {};
  std::vector<std::vector<char>> texts(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    texts[i].resize(all[i].dataSize);
    all[i].pData = texts[i].data();
  }
  if (vkGetPipelineExecutableInternalRepresentationsKHR(device, &executable, &count, all.data()) != VK_SUCCESS)
    return {};
  std::string found;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_assembler(all[i])) found += std::string(texts[i].data(), all[i].dataSize);
  }
  return found;
}

}  // namespace

std::string VulkanKernel::listing() const { return bindings_.listing(*this); }

Bindings::Bindings(const Queue& queue, bool addresses) : queue_(queue), addresses_(addresses) {
  make_layouts();
  make_descriptor_pool();
}

Binding Bindings::bind(const VulkanKernel& kernel, const Launch& launch) {
  const VkPipeline pipeline = pipeline_of(kernel, !addresses_ || has_bound(launch));
  return {.pipeline = pipeline, .arguments = arguments_of(launch), .has_descriptors = bind_buffers(launch)};
}

void Bindings::record(VkCommandBuffer commands, const Binding& binding) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, binding.pipeline);
  if (binding.has_descriptors) {
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &descriptors_, 0, nullptr);
  }
  vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                     static_cast<std::uint32_t>(binding.arguments.size()), binding.arguments.data());
}

std::vector<std::byte> Bindings::arguments_of(const Launch& launch) const {
  std::vector<std::byte> bytes;
  const auto append = [&bytes](const auto& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  };
  if (addresses_) {
    for (Buffer* buffer : launch.buffers) {
      const auto& own = static_cast<const VulkanBuffer&>(*buffer);
      if (own.use() == Use::storage) append(own.address());
    }
  }
  for (const std::uint32_t scalar : launch.scalars) append(scalar);
  return bytes;
}

VkPipeline Bindings::pipeline_of(const VulkanKernel& kernel, bool by_binding) {
  VkPipeline& known = kernel.pipelines[by_binding ? 1 : 0];
  if (known != VK_NULL_HANDLE) return known;
  const auto spirv = by_binding ? kernel.by_binding : kernel.by_address;
  Pipeline& pipeline = pipelines_[{{spirv.begin(), spirv.end()}, kernel.constants}];
  if (pipeline.get() == VK_NULL_HANDLE) pipeline = make_pipeline(spirv, kernel.constants);
  return known = pipeline.get();
}

std::string Bindings::listing(const VulkanKernel& kernel) {
  if (!queue_.has_listings()) return {};
  const VkDevice device = queue_.device();
  const VkPipeline pipeline = pipeline_of(kernel, !addresses_);
  const VkPipelineInfoKHR which{.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pNext = nullptr, .pipeline = pipeline};
  std::uint32_t count = 0;
  if (vkGetPipelineExecutablePropertiesKHR(device, &which, &count, nullptr) != VK_SUCCESS) return {};
  std::string found;
  for (std::uint32_t executable = 0; executable < count; ++executable) {
    const VkPipelineExecutableInfoKHR info{.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                           .pNext = nullptr,
                                           .pipeline = pipeline,
                                           .executableIndex = executable};
    found += assembler_of(device, info);
  }
  return found;
}

void Bindings::make_layouts() {
  std::array<VkDescriptorSetLayoutBinding, most_buffers + 2> bindings{};
  for (std::uint32_t binding = 0; binding < bindings.size(); ++binding) {
    bindings[binding].binding = binding;
    bindings[binding].descriptorType = type_of(binding);
    bindings[binding].descriptorCount = 1;
    bindings[binding].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.bindingCount = static_cast<std::uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  set_layout_ =
      DescriptorSetLayout::create(queue_.device(), vkCreateDescriptorSetLayout, set, "vkCreateDescriptorSetLayout");

  const VkPushConstantRange range{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = push_constant_bytes};
  VkPipelineLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  create.setLayoutCount = 1;
  create.pSetLayouts = &set_layout_.get();
  create.pushConstantRangeCount = 1;
  create.pPushConstantRanges = &range;
  layout_ = PipelineLayout::create(queue_.device(), vkCreatePipelineLayout, create, "vkCreatePipelineLayout");
}

void Bindings::make_descriptor_pool() {
  const std::array<VkDescriptorPoolSize, 3> sizes{
      {{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = most_buffers},
       {.type = type_of(constant_binding), .descriptorCount = 1},
       {.type = type_of(texels_binding), .descriptorCount = 1}}};
  VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = 1;
  pool.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  descriptor_pool_ = DescriptorPool::create(queue_.device(), vkCreateDescriptorPool, pool, "vkCreateDescriptorPool");
}

/// Allocates an empty set: a driver may read one that still names a destroyed buffer, although no shader does.
void Bindings::renew_descriptor_set() {
  check(vkResetDescriptorPool(queue_.device(), descriptor_pool_.get(), 0), "vkResetDescriptorPool");
  VkDescriptorSetAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate_info.descriptorPool = descriptor_pool_.get();
  allocate_info.descriptorSetCount = 1;
  allocate_info.pSetLayouts = &set_layout_.get();
  check(vkAllocateDescriptorSets(queue_.device(), &allocate_info, &descriptors_), "vkAllocateDescriptorSets");
}

/// Points the descriptors to the buffers that are reached through one; returns false where none is.
bool Bindings::bind_buffers(const Launch& launch) {
  bool any = false;
  for (std::uint32_t index = 0; index < launch.buffers.size(); ++index) {
    const auto& own = static_cast<const VulkanBuffer&>(*launch.buffers[index]);
    if (own.use() == Use::storage && addresses_) continue;
    if (!any) renew_descriptor_set();
    const VkDescriptorBufferInfo buffer{.buffer = own.handle(), .offset = 0, .range = VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = descriptors_;
    write.dstBinding = own.use() == Use::constant ? constant_binding : is_texels(own.use()) ? texels_binding : index;
    write.descriptorCount = 1;
    write.descriptorType = type_of(write.dstBinding);
    write.pBufferInfo = &buffer;
    write.pTexelBufferView = &own.view();
    vkUpdateDescriptorSets(queue_.device(), 1, &write, 0, nullptr);
    any = true;
  }
  return any;
}

/// Compiles a pipeline in which value n is specialization constant n; a shader need not declare them all.
Pipeline Bindings::make_pipeline(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> values) {
  VkShaderModuleCreateInfo module_create{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_create.codeSize = spirv.size_bytes();
  module_create.pCode = spirv.data();
  const auto module =
      ShaderModule::create(queue_.device(), vkCreateShaderModule, module_create, "vkCreateShaderModule");

  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t id = 0; id < values.size(); ++id) {
    entries.push_back(
        {.constantID = id, .offset = static_cast<std::uint32_t>(id * sizeof values[0]), .size = sizeof values[0]});
  }
  const VkSpecializationInfo constants{.mapEntryCount = static_cast<std::uint32_t>(entries.size()),
                                       .pMapEntries = entries.data(),
                                       .dataSize = values.size_bytes(),
                                       .pData = values.data()};
  VkComputePipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  if (queue_.has_listings()) create.flags = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = module.get();
  create.stage.pName = "main";
  create.stage.pSpecializationInfo = &constants;
  create.layout = layout_.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(queue_.device(), VK_NULL_HANDLE, 1, &create, nullptr, &pipeline),
        "vkCreateComputePipelines");
  return {queue_.device(), pipeline};
}

}  // namespace sonde::device::vulkan
