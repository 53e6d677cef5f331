#include <algorithm>
#include <deque>
#include <thread>

#include "device/driver_clock.hpp"
#include "device/vulkan/memory.hpp"

namespace sonde::device::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

Allocation allocate_host_memory(const Queue& queue, HostKind kind, std::uint64_t size_bytes) {
  if (kind == HostKind::pageable) {
    throw Unsupported(
        "Vulkan copies between buffers only, so the CPU would first have to copy ordinary memory into one");
  }
  if (kind == HostKind::imported) {
    if (has_extension(queue.physical(), VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
      return import_host(queue, size_bytes, copy_usage);
    throw Unsupported(
        "the driver lacks VK_EXT_external_memory_host, which imports a program's memory; a newer driver may have it");
  }
  check_host_can_spare(size_bytes);
  const auto pinned = [&](VkMemoryPropertyFlags flags) {
    return allocate(queue, size_bytes, copy_usage, {.flags = flags, .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
  };
  try {
    // Without its caches the host would read copied bytes one by one.
    return pinned(coherent_memory | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  } catch (const Unsupported&) {
    return pinned(coherent_memory);
  }
}

/// Memory of the host behind a buffer, always mapped and always coherent.
class CopyMemory final : public HostBlock {
 public:
  CopyMemory(const Queue& queue, HostKind kind, std::uint64_t size_bytes)
      : allocation_(allocate_host_memory(queue, kind, size_bytes)), bytes_(map_all(queue, allocation_)) {}
  std::span<std::byte> bytes() override { return bytes_; }
  VkBuffer handle() const { return allocation_.buffer.get(); }

 private:
  Allocation allocation_;
  std::span<std::byte> bytes_;
};

VkBuffer buffer_of(const CopyEndpoint& place) {
  if (place.buffer != nullptr) return static_cast<const VulkanBuffer*>(place.buffer)->handle();
  return static_cast<const CopyMemory*>(place.host)->handle();
}

void record_copies(VkCommandBuffer commands, const CopyList& list) {
  for (const Copy& copy : list) {
    const VkBufferCopy region{
        .srcOffset = copy.from.offset_bytes, .dstOffset = copy.to.offset_bytes, .size = copy.bytes};
    vkCmdCopyBuffer(commands, buffer_of(copy.from), buffer_of(copy.to), 1, &region);
    // The next copy waits for this one, as on OpenCL's in-order queues.
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  }
}

/// The submissions of one run: the copies, and timestamps before all queues begin and after all have ended.
enum class Part : std::uint32_t { begin, copies, end };

/// One queue of a family, with what a list of copies needs on it.
class CopyQueue {
 public:
  CopyQueue(const Queue& queue, const CopyFamily& family, std::uint32_t index, double timer_step_ns)
      : device_(queue.device()),
        timestamp_bits_(family.timestamp_bits),
        timer_step_ns_(timer_step_ns),
        ends_(make_timeline(device_)) {
    vkGetDeviceQueue(device_, family.index, index, &queue_);
    for (Commands& commands : commands_) commands = Commands(device_, family.index);
    if (has_clock()) timestamps_ = make_timestamps(device_, 2 * static_cast<std::uint32_t>(commands_.size()));
  }

  /// Submits a part, which begins when all of `after` are reached and reaches `done`.
  void submit(Part part, const CopyList& list, std::span<const TimelinePoint> after, const TimelinePoint& done) {
    const auto which = static_cast<std::uint32_t>(part);
    // The host resets them, as a queue that only transfers cannot.
    if (has_clock()) vkResetQueryPool(device_, timestamps_.get(), 2 * which, 2);
    const VkCommandBuffer commands = commands_[which].begin();
    barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    stamp(commands, 2 * which);
    record_copies(commands, list);
    stamp(commands, 2 * which + 1);
    barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
    commands_[which].end();
    vulkan::submit(queue_, after, {&commands, 1}, done);
  }

  /// The time from the first timestamp of one part to the last of another, once both have run.
  Nanoseconds time(Part from, Part to) const {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    read_timestamps(device_, timestamps_, 2 * static_cast<std::uint32_t>(from), {&begin, 1});
    read_timestamps(device_, timestamps_, 2 * static_cast<std::uint32_t>(to) + 1, {&end, 1});
    return Nanoseconds(static_cast<double>(ticks_between(begin, end, timestamp_bits_)) * timer_step_ns_);
  }

  bool has_clock() const { return timestamp_bits_ > 0; }
  VkSemaphore ends() const { return ends_.get(); }

 private:
  void stamp(VkCommandBuffer commands, std::uint32_t index) const {
    if (has_clock()) vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timestamps_.get(), index);
  }

  VkDevice device_;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t timestamp_bits_;
  double timer_step_ns_;
  std::array<Commands, 3> commands_;
  QueryPool timestamps_;  ///< two for each part
  Semaphore ends_;
};

/// The queues of the device's own compute family, or of one that only copies.
struct EngineQueues {
  EngineQueues(const Queue& queue, const CopyFamily& of, double timer_step_ns) : family(of) {
    for (std::uint32_t index = 0; index < of.queues; ++index) queues.emplace_back(queue, of, index, timer_step_ns);
  }

  CopyFamily family;
  std::vector<CopyQueue> queues;
  std::map<std::size_t, std::deque<CopyTimes>> empty_times;  ///< latest times of so many empty lists
};

Nanoseconds subtracted(Nanoseconds time, Nanoseconds cost) { return std::max(time - cost, Nanoseconds(0)); }

class VulkanCopyEngines final : public CopyEngines {
 public:
  VulkanCopyEngines(Queue& queue, double timer_step_ns, PrepareLaunch prepare_launch)
      : queue_(queue),
        timer_step_ns_(timer_step_ns),
        prepare_launch_(std::move(prepare_launch)),
        gate_(make_timeline(queue.device())),
        begun_(make_timeline(queue.device())),
        done_(make_timeline(queue.device())) {
    for (const CopyFamily& family : queue.families()) {
      if (family.index == queue.family().index) driver_.emplace(queue, family, timer_step_ns);
      if (family.only_transfers && !transfer_) transfer_.emplace(queue, family, timer_step_ns);
    }
  }

  CopyQueues queues(CopyEngine engine) override {
    const EngineQueues& chosen = engine_of(engine);
    return {.name = chosen.family.name, .count = chosen.family.queues, .has_clock = chosen.family.timestamp_bits > 0};
  }

  std::unique_ptr<HostBlock> make_host_memory(HostKind kind, std::uint64_t size_bytes) override {
    return std::make_unique<CopyMemory>(queue_, kind, size_bytes);
  }

  CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) override {
    EngineQueues& chosen = engine_of(engine);
    if (lists.size() > chosen.queues.size())
      throw Unsupported(chosen.family.name + " has no " + std::to_string(lists.size()) + " queues");
    CopyTimes times = run_once(chosen, lists);
    if (chosen.family.timestamp_bits == 0) return times;
    for (const Nanoseconds one : times.each) (void)nonzero_time(one, timer_step_ns_);
    const CopyTimes empty = time_of_empty_lists(chosen, lists.size());
    times.taken_off = empty.all;
    times.all = subtracted(times.all, empty.all);
    for (std::size_t list = 0; list < lists.size(); ++list)
      times.each[list] = subtracted(times.each[list], empty.each[list]);
    return times;
  }

  BesideTimes run_beside(CopyEngine engine, const CopyList& list, Kernel& kernel, const Launch& launch) override {
    EngineQueues& chosen = engine_of(engine);
    if (engine == CopyEngine::driver && chosen.queues.size() < 2) {
      throw Unsupported(chosen.family.name + " has one queue, on which a copy waits for the kernel before it");
    }
    const Nanoseconds empty = time_of_empty_lists(chosen, 1).all;
    const PreparedLaunch prepared = prepare_launch_(kernel, launch);
    ++run_;
    const TimelinePoint gate{gate_.get(), run_};
    CopyQueue& copies = chosen.queues.back();  // the first of the driver's queues runs the kernel
    const TimelinePoint end{copies.ends(), run_};
    const Event running =
        create<Event>(queue_.device(), vkCreateEvent, {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, "vkCreateEvent");
    bool begun = false;
    (void)behind_gate(gate, [&] {
      copies.submit(Part::copies, list, std::array{gate}, end);
      queue_.submission().start([&](VkCommandBuffer commands) {
        vkCmdSetEvent(commands, running.get(), VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
        prepared.record(commands);
      });
      begun = begins_soon([&] { return vkGetEventStatus(queue_.device(), running.get()) == VK_EVENT_SET; });
      // The event is set a moment before the kernel begins: copies that began in between would not run beside it.
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    });
    wait_for(queue_.device(), end);
    const bool outlasted = queue_.submission().is_running();
    queue_.submission().wait();
    if (!begun) throw Unsupported(kernel_waits_reason);
    return {.copies = subtracted(copies.time(Part::copies, Part::copies), empty),
            .kernel = prepared.time(),
            .kernel_outlasted = outlasted};
  }

 private:
  CopyTimes run_once(EngineQueues& chosen, std::span<const CopyList> lists) {
    ++run_;
    const TimelinePoint gate{gate_.get(), run_};
    const TimelinePoint begun{begun_.get(), run_};
    const bool alone = lists.size() == 1;
    CopyQueue& first = chosen.queues.front();
    std::vector<TimelinePoint> ends;
    const Clock::time_point opened = behind_gate(gate, [&] {
      // Clocks of different queues are unrelated, so the first queue stamps the begin and the end of all of them.
      if (!alone) first.submit(Part::begin, {}, std::array{gate}, begun);
      for (std::size_t index = 0; index < lists.size(); ++index) {
        ends.push_back({chosen.queues[index].ends(), run_});
        chosen.queues[index].submit(Part::copies, lists[index], std::array{alone ? gate : begun}, ends.back());
      }
      if (!alone) first.submit(Part::end, {}, ends, {done_.get(), run_});
    });
    CopyTimes times = first.has_clock() ? CopyTimes{} : times_by_host(ends, opened);
    wait_for(queue_.device(), alone ? ends.front() : TimelinePoint{done_.get(), run_});
    if (!first.has_clock()) return times;
    for (std::size_t index = 0; index < lists.size(); ++index)
      times.each.push_back(chosen.queues[index].time(Part::copies, Part::copies));
    times.all = alone ? times.each.front() : first.time(Part::begin, Part::end);
    return times;
  }

  /// The time of the timestamps and of the hand-over between queues: up to tens of microseconds. It is the median of
  /// the latest runs, as it changes with what else the machine does.
  CopyTimes time_of_empty_lists(EngineQueues& engine, std::size_t lists) {
    constexpr std::size_t newest = 9;
    const std::vector<CopyList> empty_lists(lists);
    std::deque<CopyTimes>& recent = engine.empty_times[lists];
    if (recent.size() == newest) recent.pop_front();
    while (recent.size() < newest) recent.push_back(run_once(engine, empty_lists));
    const auto median = [&recent](auto time_of) {
      std::vector<Nanoseconds> times;
      for (const CopyTimes& one : recent) times.push_back(time_of(one));
      std::ranges::nth_element(times, times.begin() + newest / 2);
      return times[newest / 2];
    };
    CopyTimes empty;
    empty.all = median([](const CopyTimes& one) { return one.all; });
    for (std::size_t list = 0; list < lists; ++list) {
      empty.each.push_back(median([list](const CopyTimes& one) { return one.each[list]; }));
    }
    return empty;
  }

  EngineQueues& engine_of(CopyEngine engine) {
    if (engine == CopyEngine::driver) return *driver_;
    if (!transfer_)
      throw Unsupported("the driver shows no queue family that only transfers, so no copy engine can be chosen");
    return *transfer_;
  }

  /// Opens the gate once `enqueue` is through, and also when it fails: what it had enqueued would wait for ever.
  /// Returns the time at which the gate was opened.
  template <typename Enqueue>
  Clock::time_point behind_gate(const TimelinePoint& gate, Enqueue enqueue) {
    try {
      enqueue();
    } catch (...) {
      signal(queue_.device(), gate);
      throw;
    }
    const Clock::time_point opened = Clock::now();
    signal(queue_.device(), gate);
    return opened;
  }

  /// The times at which the host saw each list end, for queues without timestamps.
  CopyTimes times_by_host(const std::vector<TimelinePoint>& ends, Clock::time_point begin) {
    CopyTimes times;
    times.each.resize(ends.size());
    for (std::size_t left = ends.size(); left > 0;) {
      if (Clock::now() - begin > std::chrono::nanoseconds(longest_work_ns))
        check_wait(VK_TIMEOUT, "waiting for copies");
      for (std::size_t index = 0; index < ends.size(); ++index) {
        if (times.each[index].count() > 0) continue;
        std::uint64_t value = 0;
        check(vkGetSemaphoreCounterValue(queue_.device(), ends[index].semaphore, &value), "vkGetSemaphoreCounterValue");
        if (value < ends[index].value) continue;
        times.all = times.each[index] = Clock::now() - begin;
        --left;
      }
    }
    return times;
  }

  Queue& queue_;
  double timer_step_ns_;
  PrepareLaunch prepare_launch_;
  Semaphore gate_;
  Semaphore begun_;
  Semaphore done_;
  std::uint64_t run_ = 0;  ///< the value that the timelines reach in this run
  std::optional<EngineQueues> driver_;
  std::optional<EngineQueues> transfer_;
};

}  // namespace

std::unique_ptr<CopyEngines> make_copy_engines(Queue& queue, double timer_step_ns, PrepareLaunch prepare_launch) {
  return std::make_unique<VulkanCopyEngines>(queue, timer_step_ns, std::move(prepare_launch));
}

}  // namespace sonde::device::vulkan
