#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/clock_relation.hpp"
#include "gpu/error.hpp"
#include "gpu/host_memory.hpp"
#include "gpu/limits.hpp"
#include "gpu/vulkan/buffer.hpp"
#include "gpu/vulkan/copies.hpp"
#include "gpu/vulkan/handle.hpp"
#include "gpu/vulkan/instance.hpp"
#include "gpu/vulkan/list.hpp"
#include "gpu/vulkan/listing.hpp"
#include "gpu/vulkan/memory.hpp"
#include "gpu/vulkan/memory_kinds.hpp"
#include "gpu/vulkan/queue.hpp"
#include "gpu/vulkan/round_trip.hpp"
#include "gpu/vulkan/staging.hpp"
#include "gpu/vulkan/submission_ring.hpp"
#include "gpu/vulkan/vulkan.hpp"

namespace sonde::gpu::vulkan {
namespace {

// As shaders/arguments.glsl has them.
constexpr std::uint32_t most_buffers = 4;
constexpr std::uint32_t constant_binding = 4;
constexpr std::uint32_t texels_binding = 5;
constexpr std::uint32_t push_constant_bytes = 128;  // what every Vulkan device has

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

class VulkanDevice final : public Device {
 public:
  VulkanDevice(std::size_t index, BufferAccess access)
      : physical_(nth(index)),
        addresses_(access == BufferAccess::best && has_buffer_addresses(physical_)),
        info_(describe(physical_, addresses_)),
        queue_(physical_, addresses_),
        staging_(queue_) {
    make_layouts();
    make_descriptor_pool();
    VkQueryPoolCreateInfo queries{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2 * (1 + SubmissionRing::slots);
    VkQueryPool raw_queries = VK_NULL_HANDLE;
    check(vkCreateQueryPool(queue_.device(), &queries, nullptr, &raw_queries), "vkCreateQueryPool");
    queries_ = {queue_.device(), raw_queries};
  }

  const DeviceInfo& info() const override { return info_; }

  std::uint64_t available_bytes() override {
    const std::uint64_t share = device_local_budget_bytes(physical_) / 5 * 4;
    return info_.unified_memory ? std::min(share, available_host_bytes() / 5 * 4) : share;
  }

  std::unique_ptr<Buffer> make_buffer(std::uint64_t size_bytes, Use use) override {
    check_fits(info_, available_bytes(), size_bytes, use);
    // A uniform block is bound whole, however much of it is used.
    const std::uint64_t bytes = use == Use::constant ? std::max(size_bytes, uniform_block_bytes) : size_bytes;
    return owned(
        allocate(physical_, queue_.device(), bytes, usage_of(use, addresses_),
                 {.flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, .avoided = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
                 queue_.families()),
        use);
  }

  std::unique_ptr<Buffer> make_buffer_in(const MemoryKind& kind, std::uint64_t size_bytes, Use use) override {
    const VkMemoryPropertyFlags flags = flags_of(memory_kind(info_, kind.name));
    if (flags == 0) {
      check_fits(info_, available_bytes(), size_bytes, use);
      return owned(import_host(physical_, queue_.device(), size_bytes, usage_of(use, addresses_), queue_.families()),
                   use);
    }
    check_fits(info_, budget_bytes(physical_, flags) / 5 * 4, size_bytes, use);
    if (info_.unified_memory || (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0) check_host_can_spare(size_bytes);
    return owned(allocate(physical_, queue_.device(), size_bytes, usage_of(use, addresses_),
                          {.flags = flags, .exactly = true}, queue_.families()),
                 use);
  }

  std::unique_ptr<Kernel> make_kernel(const KernelSource& source, std::uint32_t group_size,
                                      std::span<const Constant> constants) override {
    std::vector<std::uint32_t> values{group_size};
    for (const Constant& one : constants) values.push_back(one.value);
    auto kernel = std::make_unique<VulkanKernel>(source, std::move(values));
    if (queue_.has_listings()) {
      kernel->shown = [this](const VulkanKernel& one) {
        return listing_of(queue_.device(), pipeline_of(one, !addresses_));
      };
    }
    return kernel;
  }

  std::vector<Nanoseconds> round_trips(std::uint32_t count) override { return vulkan::round_trips(queue_, count); }

  Nanoseconds run(Kernel& kernel, const Launch& launch) override {
    const PreparedLaunch prepared = prepare(kernel, launch);
    queue_.run(prepared.record);
    return prepared.time();
  }

  BusyTimes keep_busy(Kernel& kernel, const std::function<Launch(std::size_t)>& launch,
                      const std::function<bool(Nanoseconds)>& enough) override {
    if (!submission_ring_) submission_ring_.emplace(queue_);
    const Launch first_launch = launch(0);
    const VkPipeline pipeline = pipeline_of(static_cast<VulkanKernel&>(kernel), !addresses_ || has_bound(first_launch));
    const bool bound = bind_buffers(first_launch);
    ClockRelation clocks;
    std::optional<std::uint64_t> first;
    const auto since_first = [&](std::uint64_t ticks) { return between(*first, ticks); };
    const auto relate = [&] {
      for (int bracket = 0; bracket <= ClockRelation::brackets; ++bracket) {
        const Nanoseconds before = host_time();
        queue_.run([&](VkCommandBuffer commands) {
          vkCmdResetQueryPool(commands, queries_.get(), 0, 2);
          vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), 0);
          vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), 1);
        });
        const Nanoseconds after = host_time();
        const std::uint64_t ticks = stamps(0)[0];
        if (!first) first = ticks;
        if (bracket > 0) clocks.bracket(before, since_first(ticks), after);
      }
    };
    relate();
    std::vector<Busy> times;
    std::size_t enqueued = 0;
    for (bool done = false; !done || times.size() < enqueued;) {
      for (; !done && enqueued < times.size() + SubmissionRing::slots; ++enqueued) {
        const std::size_t slot = enqueued % SubmissionRing::slots;
        const Launch next = enqueued == 0 ? first_launch : launch(enqueued);
        submission_ring_->submit(slot, [&](VkCommandBuffer commands) {
          record_dispatch(commands, pipeline, push_constants(next), bound, next.groups, 1 + slot);
        });
      }
      const std::size_t slot = times.size() % SubmissionRing::slots;
      submission_ring_->wait(slot);
      const auto [begin, end] = stamps(1 + slot);
      times.push_back({since_first(begin), since_first(end)});
      done = done || enough(clocks.on_host(times.back().end));
    }
    clocks.again();
    relate();
    return clocks.on_host(times);
  }

  Copies& copies() override {
    if (!copies_) {
      copies_ = make_copies(queue_, info_.timer_step_ns,
                            [this](Kernel& kernel, const Launch& launch) { return prepare(kernel, launch); });
    }
    return *copies_;
  }

 private:
  PreparedLaunch prepare(Kernel& kernel, const Launch& launch) {
    const VkPipeline pipeline = pipeline_of(static_cast<VulkanKernel&>(kernel), !addresses_ || has_bound(launch));
    const std::vector<std::byte> arguments = push_constants(launch);
    const bool bound = bind_buffers(launch);
    const auto record = [this, pipeline, arguments, bound, groups = launch.groups](VkCommandBuffer commands) {
      record_dispatch(commands, pipeline, arguments, bound, groups, 0);
    };
    return {.record = record, .time = [this] { return last_dispatch(); }};
  }

  /// One dispatch between two stamps, queries 2 * `pair` and the one after.
  void record_dispatch(VkCommandBuffer commands, VkPipeline pipeline, const std::vector<std::byte>& arguments,
                       bool bound, std::uint32_t groups, std::size_t pair) const {
    const auto query = static_cast<std::uint32_t>(2 * pair);
    vkCmdResetQueryPool(commands, queries_.get(), query, 2);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (bound) {
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &descriptors_, 0, nullptr);
    }
    vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<std::uint32_t>(arguments.size()), arguments.data());
    // Both stamps at the bottom of the pipe: the first once all before is done, the second once the dispatch is.
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), query);
    vkCmdDispatch(commands, groups, 1, 1);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), query + 1);
  }

  std::array<std::uint64_t, 2> stamps(std::size_t pair) const {
    std::array<std::uint64_t, 2> ticks{};
    check(vkGetQueryPoolResults(queue_.device(), queries_.get(), static_cast<std::uint32_t>(2 * pair), 2, sizeof ticks,
                                ticks.data(), sizeof ticks[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    return ticks;
  }

  Nanoseconds between(std::uint64_t begin, std::uint64_t end) const {
    const std::uint32_t bits = queue_.timestamp_bits();
    const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
    return Nanoseconds(static_cast<double>((end - begin) & mask) * info_.timer_step_ns);
  }

  Nanoseconds last_dispatch() const {
    const auto [begin, end] = stamps(0);
    return between(begin, end);
  }

  std::unique_ptr<Buffer> owned(Allocation allocation, Use use) {
    return std::make_unique<VulkanBuffer>(queue_, staging_, std::move(allocation), use, addresses_);
  }

  /// Compiled once: every point makes its kernels anew.
  VkPipeline pipeline_of(const VulkanKernel& kernel, bool by_binding) {
    VkPipeline& known = kernel.pipelines[by_binding ? 1 : 0];
    if (known != VK_NULL_HANDLE) return known;
    const auto spirv = by_binding ? kernel.by_binding : kernel.by_address;
    Pipeline& pipeline = pipelines_[{{spirv.begin(), spirv.end()}, kernel.constants}];
    if (pipeline.get() == VK_NULL_HANDLE) pipeline = make_pipeline(spirv, kernel.constants);
    return known = pipeline.get();
  }

  static bool has_bound(const Launch& launch) {
    return std::ranges::any_of(launch.buffers,
                               [](Buffer* buffer) { return static_cast<VulkanBuffer*>(buffer)->use() == Use::bound; });
  }

  VkPhysicalDevice nth(std::size_t index) const {
    const auto all = instance_.physical_devices();
    if (index >= all.size()) throw Error("the Vulkan device has gone since the devices were listed");
    return all[index];
  }

  void make_layouts() {
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
    VkDescriptorSetLayout raw_set = VK_NULL_HANDLE;
    check(vkCreateDescriptorSetLayout(queue_.device(), &set, nullptr, &raw_set), "vkCreateDescriptorSetLayout");
    set_layout_ = {queue_.device(), raw_set};

    const VkPushConstantRange range{
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = push_constant_bytes};
    VkPipelineLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    create.setLayoutCount = 1;
    create.pSetLayouts = &raw_set;
    create.pushConstantRangeCount = 1;
    create.pPushConstantRanges = &range;
    VkPipelineLayout raw_layout = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(queue_.device(), &create, nullptr, &raw_layout), "vkCreatePipelineLayout");
    layout_ = {queue_.device(), raw_layout};
  }

  void make_descriptor_pool() {
    const std::array<VkDescriptorPoolSize, 3> sizes{
        {{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = most_buffers},
         {.type = type_of(constant_binding), .descriptorCount = 1},
         {.type = type_of(texels_binding), .descriptorCount = 1}}};
    VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    VkDescriptorPool raw_pool = VK_NULL_HANDLE;
    check(vkCreateDescriptorPool(queue_.device(), &pool, nullptr, &raw_pool), "vkCreateDescriptorPool");
    descriptor_pool_ = {queue_.device(), raw_pool};
  }

  /// An empty set: one that still names a buffer which has gone may be read by a driver although no shader does.
  void renew_descriptor_set() {
    check(vkResetDescriptorPool(queue_.device(), descriptor_pool_.get(), 0), "vkResetDescriptorPool");
    const VkDescriptorSetLayout set_layout = set_layout_.get();
    VkDescriptorSetAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate_info.descriptorPool = descriptor_pool_.get();
    allocate_info.descriptorSetCount = 1;
    allocate_info.pSetLayouts = &set_layout;
    check(vkAllocateDescriptorSets(queue_.device(), &allocate_info, &descriptors_), "vkAllocateDescriptorSets");
  }

  static VkDescriptorType type_of(std::uint32_t binding) {
    if (binding == constant_binding) return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    if (binding == texels_binding) return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }

  /// Points the descriptors to the buffers that are reached through one; false where none is.
  bool bind_buffers(const Launch& launch) {
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

  /// Addresses first, then scalars, as shaders/arguments.glsl lays them out.
  std::vector<std::byte> push_constants(const Launch& launch) const {
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

  /// Value n is specialization constant n; a shader need not declare them all.
  Pipeline make_pipeline(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> values) {
    VkShaderModuleCreateInfo module_create{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module_create.codeSize = spirv.size_bytes();
    module_create.pCode = spirv.data();
    VkShaderModule raw_module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(queue_.device(), &module_create, nullptr, &raw_module), "vkCreateShaderModule");
    const ShaderModule module(queue_.device(), raw_module);

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
    create.stage.module = raw_module;
    create.stage.pName = "main";
    create.stage.pSpecializationInfo = &constants;
    create.layout = layout_.get();
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(queue_.device(), VK_NULL_HANDLE, 1, &create, nullptr, &pipeline),
          "vkCreateComputePipelines");
    return {queue_.device(), pipeline};
  }

  Instance instance_;
  VkPhysicalDevice physical_;
  bool addresses_;
  DeviceInfo info_;
  Queue queue_;
  Staging staging_;
  DescriptorSetLayout set_layout_;
  PipelineLayout layout_;
  DescriptorPool descriptor_pool_;
  VkDescriptorSet descriptors_ = VK_NULL_HANDLE;
  QueryPool queries_;
  std::optional<SubmissionRing> submission_ring_;  ///< made when first asked for
  std::unique_ptr<Copies> copies_;                 ///< made when first asked for
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>, Pipeline>
      pipelines_;  ///< by code and constants
};

}  // namespace

std::unique_ptr<Device> open(std::size_t index, BufferAccess access) {
  return std::make_unique<VulkanDevice>(index, access);
}

}  // namespace sonde::gpu::vulkan
