#include <algorithm>

#include "device/driver_clock.hpp"
#include "device/vulkan/bindings.hpp"
#include "device/vulkan/memory.hpp"
#include "device/vulkan/vulkan.hpp"
#include "os/machine.hpp"

namespace sonde::device::vulkan {
namespace {

class VulkanDevice final : public Device {
 public:
  VulkanDevice(std::size_t index, BufferAccess access)
      : physical_(nth(index)),
        addresses_(access == BufferAccess::best && Features(physical_).has_addresses()),
        info_(describe(physical_, addresses_)),
        queue_(physical_, addresses_),
        staging_(queue_),
        bindings_(queue_, addresses_),
        timestamps_(make_timestamps(queue_.device(), 2 * (1 + dispatches_ahead))) {}

  const DeviceInfo& info() const override { return info_; }

  std::uint64_t available_bytes() override {
    const std::uint64_t share = budget_bytes(physical_, {.flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT}) / 5 * 4;
    return info_.unified_memory ? std::min(share, os::available_memory_bytes() / 5 * 4) : share;
  }

  std::unique_ptr<Buffer> make_buffer(std::uint64_t size_bytes, Use use) override {
    check_fits(info_, available_bytes(), size_bytes, use);
    // A uniform block is bound as a whole, however much of it is used.
    const std::uint64_t bytes = use == Use::constant ? std::max(size_bytes, uniform_block_bytes) : size_bytes;
    return owned(
        allocate(queue_, bytes, usage_of(use, addresses_),
                 {.flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, .avoided = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT}),
        use);
  }

  std::unique_ptr<Buffer> make_buffer_in(const MemoryKind& kind, std::uint64_t size_bytes, Use use) override {
    const VkMemoryPropertyFlags flags = flags_of(memory_kind(info_, kind.name));
    if (flags == 0) {
      check_fits(info_, available_bytes(), size_bytes, use);
      return owned(import_host(queue_, size_bytes, usage_of(use, addresses_)), use);
    }
    check_fits(info_, budget_bytes(physical_, {.flags = flags, .exactly = true}) / 5 * 4, size_bytes, use);
    if (info_.unified_memory || (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0) check_host_can_spare(size_bytes);
    return owned(allocate(queue_, size_bytes, usage_of(use, addresses_), {.flags = flags, .exactly = true}), use);
  }

  std::unique_ptr<Kernel> make_kernel(const KernelSource& source, std::uint32_t group_size,
                                      std::span<const Constant> constants) override {
    std::vector<std::uint32_t> values{group_size};
    for (const Constant& one : constants) values.push_back(one.value);
    return std::make_unique<VulkanKernel>(source, std::move(values), bindings_);
  }

  std::vector<Nanoseconds> round_trips(std::uint32_t count) override { return vulkan::round_trips(queue_, count); }

  Nanoseconds run(Kernel& kernel, const Launch& launch) override {
    const PreparedLaunch prepared = prepare(kernel, launch);
    const Nanoseconds before = host_time();
    queue_.run(prepared.record);
    const Nanoseconds waited = host_time() - before;
    return plausible_time(nonzero_time(prepared.time(), info_.timer_step_ns), waited);
  }

  BusyTimes keep_busy(Kernel& kernel, const std::function<Launch(std::size_t)>& launch,
                      const std::function<bool(Nanoseconds)>& enough) override {
    while (ahead_.size() < dispatches_ahead) ahead_.emplace_back(queue_.device(), queue_.raw(), queue_.family().index);
    const Launch first_launch = launch(0);
    Binding binding = bindings_.bind(static_cast<VulkanKernel&>(kernel), first_launch);
    ClockRelation clocks;
    std::optional<std::uint64_t> first;
    const auto since_first = [&](std::uint64_t ticks) { return between(*first, ticks); };
    const auto relate = [&] {
      for (int bracket = 0; bracket <= ClockRelation::brackets; ++bracket) {
        const Nanoseconds before = host_time();
        queue_.run([&](VkCommandBuffer commands) {
          vkCmdResetQueryPool(commands, timestamps_.get(), 0, 2);
          vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timestamps_.get(), 0);
          vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timestamps_.get(), 1);
        });
        const Nanoseconds after = host_time();
        const std::uint64_t ticks = stamps(0)[0];
        if (!first) first = ticks;
        if (bracket > 0) clocks.bracket(before, since_first(ticks), after);
      }
    };
    relate();
    std::vector<BusyInterval> times;
    std::size_t enqueued = 0;
    for (bool done = false; !done || times.size() < enqueued;) {
      for (; !done && enqueued < times.size() + dispatches_ahead; ++enqueued) {
        const std::size_t slot = enqueued % dispatches_ahead;
        const Launch next = enqueued == 0 ? first_launch : launch(enqueued);
        binding.arguments = bindings_.arguments_of(next);
        ahead_[slot].start(
            [&](VkCommandBuffer commands) { record_dispatch(commands, binding, next.groups, 1 + slot); });
      }
      const std::size_t slot = times.size() % dispatches_ahead;
      ahead_[slot].wait();
      const auto [begin, end] = stamps(1 + slot);
      (void)nonzero_time(between(begin, end), info_.timer_step_ns);
      times.push_back({since_first(begin), since_first(end)});
      done = done || enough(clocks.just_over(times.back().end, host_time()));
    }
    clocks.begin_second_set();
    relate();
    return clocks.on_host(times);
  }

  CopyEngines& copy_engines() override {
    if (!copy_engines_) {
      copy_engines_ = make_copy_engines(queue_, info_.timer_step_ns, [this](Kernel& kernel, const Launch& launch) {
        return prepare(kernel, launch);
      });
    }
    return *copy_engines_;
  }

 private:
  static constexpr std::uint32_t dispatches_ahead = 3;

  PreparedLaunch prepare(Kernel& kernel, const Launch& launch) {
    const auto record = [this, binding = bindings_.bind(static_cast<VulkanKernel&>(kernel), launch),
                         groups = launch.groups](VkCommandBuffer commands) {
      record_dispatch(commands, binding, groups, 0);
    };
    return {.record = record, .time = [this] {
              const auto [begin, end] = stamps(0);
              return between(begin, end);
            }};
  }

  /// Records one dispatch between two timestamps, number 2 * `pair` and the next one.
  void record_dispatch(VkCommandBuffer commands, const Binding& binding, std::uint32_t groups, std::size_t pair) const {
    const auto query = static_cast<std::uint32_t>(2 * pair);
    vkCmdResetQueryPool(commands, timestamps_.get(), query, 2);
    bindings_.record(commands, binding);
    // Both timestamps are of the bottom of the pipe: the first is taken once all earlier work is done, the second once
    // the dispatch is.
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timestamps_.get(), query);
    vkCmdDispatch(commands, groups, 1, 1);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timestamps_.get(), query + 1);
  }

  std::array<std::uint64_t, 2> stamps(std::size_t pair) const {
    std::array<std::uint64_t, 2> ticks{};
    read_timestamps(queue_.device(), timestamps_, static_cast<std::uint32_t>(2 * pair), ticks);
    return ticks;
  }

  Nanoseconds between(std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t ticks = ticks_between(begin, end, queue_.family().timestamp_bits);
    return Nanoseconds(static_cast<double>(ticks) * info_.timer_step_ns);
  }

  std::unique_ptr<Buffer> owned(Allocation allocation, Use use) {
    return std::make_unique<VulkanBuffer>(queue_, staging_, std::move(allocation), use, addresses_);
  }

  VkPhysicalDevice nth(std::size_t index) const {
    const auto all = instance_.physical_devices();
    if (index >= all.size()) throw Error("the Vulkan device has gone since the devices were listed");
    return all[index];
  }

  Instance instance_;
  VkPhysicalDevice physical_;
  bool addresses_;
  DeviceInfo info_;
  Queue queue_;
  Staging staging_;
  Bindings bindings_;
  QueryPool timestamps_;
  std::vector<Submission> ahead_;              ///< made when first asked for
  std::unique_ptr<CopyEngines> copy_engines_;  ///< made when first asked for
};

}  // namespace

std::unique_ptr<Device> open(std::size_t index, BufferAccess access) {
  return std::make_unique<VulkanDevice>(index, access);
}

}  // namespace sonde::device::vulkan
