#include "device/vulkan/bindings.hpp"

#include <algorithm>
#include <utility>

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

std::string assembler_of(VkDevice device, const VkPipelineExecutableInfoKHR& executable) {
  using Representation = VkPipelineExecutableInternalRepresentationKHR;
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
    // Drivers show their intermediate forms as well.
    const bool is_assembler = std::string_view(all[i].name).find("ssembl") != std::string_view::npos;
    if (all[i].isText == VK_TRUE && is_assembler) found += std::string(texts[i].data(), all[i].dataSize);
  }
  return found;
}

}  // namespace

std::string VulkanKernel::listing() const { return bindings_.listing(*this); }

Bindings::Bindings(const Queue& queue, bool addresses) : queue_(queue), addresses_(addresses) {
  std::array<VkDescriptorSetLayoutBinding, most_buffers + 2> bindings{};
  for (std::uint32_t binding = 0; binding < bindings.size(); ++binding) {
    bindings[binding] = {.binding = binding,
                         .descriptorType = type_of(binding),
                         .descriptorCount = 1,
                         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  }
  set_layout_ = create<DescriptorSetLayout>(queue.device(), vkCreateDescriptorSetLayout,
                                            {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                             .bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                             .pBindings = bindings.data()},
                                            "vkCreateDescriptorSetLayout");
  const VkDescriptorSetLayout layout = set_layout_.get();
  const VkPushConstantRange range{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = push_constant_bytes};
  layout_ = create<PipelineLayout>(queue.device(), vkCreatePipelineLayout,
                                   {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                    .setLayoutCount = 1,
                                    .pSetLayouts = &layout,
                                    .pushConstantRangeCount = 1,
                                    .pPushConstantRanges = &range},
                                   "vkCreatePipelineLayout");
  const std::array<VkDescriptorPoolSize, 3> sizes{
      {{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = most_buffers},
       {.type = type_of(constant_binding), .descriptorCount = 1},
       {.type = type_of(texels_binding), .descriptorCount = 1}}};
  descriptor_pool_ = create<DescriptorPool>(queue.device(), vkCreateDescriptorPool,
                                            {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
                                             .pPoolSizes = sizes.data()},
                                            "vkCreateDescriptorPool");
}

Binding Bindings::bind(const VulkanKernel& kernel, const Launch& launch) {
  const bool has_bound = std::ranges::any_of(
      launch.buffers, [](Buffer* buffer) { return static_cast<VulkanBuffer*>(buffer)->use() == Use::bound; });
  const VkPipeline pipeline = pipeline_of(kernel, !addresses_ || has_bound);
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
  for (Buffer* buffer : launch.buffers) {
    const auto& own = static_cast<const VulkanBuffer&>(*buffer);
    if (addresses_ && own.use() == Use::storage) append(own.address());
  }
  for (const std::uint32_t scalar : launch.scalars) append(scalar);
  return bytes;
}

VkPipeline Bindings::pipeline_of(const VulkanKernel& kernel, bool by_binding) {
  VkPipeline& known = kernel.pipelines[by_binding ? 1 : 0];
  if (known != VK_NULL_HANDLE) return known;
  const auto spirv = by_binding ? kernel.source.spirv_descriptors : kernel.source.spirv_addresses;
  Pipeline& pipeline = pipelines_[{{spirv.begin(), spirv.end()}, kernel.constants}];
  if (!pipeline) pipeline = make_pipeline(spirv, kernel.constants);
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

bool Bindings::bind_buffers(const Launch& launch) {
  bool any = false;
  for (std::uint32_t index = 0; index < launch.buffers.size(); ++index) {
    const auto& own = static_cast<const VulkanBuffer&>(*launch.buffers[index]);
    if (own.use() == Use::storage && addresses_) continue;
    if (!std::exchange(any, true)) {
      // An empty set is allocated: a driver may read one that still names a destroyed buffer, although no shader does.
      check(vkResetDescriptorPool(queue_.device(), descriptor_pool_.get(), 0), "vkResetDescriptorPool");
      const VkDescriptorSetLayout layout = set_layout_.get();
      const VkDescriptorSetAllocateInfo wanted{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                               .descriptorPool = descriptor_pool_.get(),
                                               .descriptorSetCount = 1,
                                               .pSetLayouts = &layout};
      check(vkAllocateDescriptorSets(queue_.device(), &wanted, &descriptors_), "vkAllocateDescriptorSets");
    }
    const std::uint32_t binding = own.use() == Use::constant ? constant_binding
                                  : is_texels(own.use())     ? texels_binding
                                                             : index;
    const VkDescriptorBufferInfo buffer{.buffer = own.handle(), .offset = 0, .range = VK_WHOLE_SIZE};
    const VkBufferView view = own.view();
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = descriptors_,
                                     .dstBinding = binding,
                                     .descriptorCount = 1,
                                     .descriptorType = type_of(binding),
                                     .pBufferInfo = &buffer,
                                     .pTexelBufferView = &view};
    vkUpdateDescriptorSets(queue_.device(), 1, &write, 0, nullptr);
  }
  return any;
}

/// Compiles a pipeline in which value n is specialization constant n; a shader need not declare them all.
Pipeline Bindings::make_pipeline(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> values) {
  const VkShaderModuleCreateInfo code{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = spirv.size_bytes(), .pCode = spirv.data()};
  const auto module = create<ShaderModule>(queue_.device(), vkCreateShaderModule, code, "vkCreateShaderModule");
  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t id = 0; id < values.size(); ++id) {
    entries.push_back(
        {.constantID = id, .offset = static_cast<std::uint32_t>(id * sizeof values[0]), .size = sizeof values[0]});
  }
  const VkSpecializationInfo constants{.mapEntryCount = static_cast<std::uint32_t>(entries.size()),
                                       .pMapEntries = entries.data(),
                                       .dataSize = values.size_bytes(),
                                       .pData = values.data()};
  VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                   .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                             .module = module.get(),
                                             .pName = "main",
                                             .pSpecializationInfo = &constants},
                                   .layout = layout_.get()};
  if (queue_.has_listings()) info.flags = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(queue_.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateComputePipelines");
  return Pipeline(pipeline, {queue_.device()});
}

}  // namespace sonde::device::vulkan
