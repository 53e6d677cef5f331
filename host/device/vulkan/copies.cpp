#include "device/vulkan/copies.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "device/copy_engines.hpp"
#include "device/driver_clock.hpp"
#include "device/error.hpp"
#include "device/vulkan/copy_memory.hpp"
#include "device/vulkan/copy_queue.hpp"

namespace sonde::device::vulkan {
namespace {

using Clock = std::chrono::steady_clock;
using Part = CopyQueue::Part;
constexpr std::chrono::seconds longest{20};

/// Of the device's own compute family, or of one that does nothing but copy.
struct Engine {
  CopyFamily family;
  std::vector<std::unique_ptr<CopyQueue>> queues;
  std::map<std::size_t, std::deque<CopyTimes>> nothing = {};  ///< what so many empty lists took lately
};

Nanoseconds less(Nanoseconds time, Nanoseconds cost) { return std::max(time - cost, Nanoseconds(0)); }

class VulkanCopies final : public CopyEngines {
 public:
  VulkanCopies(Queue& queue, double timer_step_ns, PrepareLaunch prepare_launch)
      : queue_(queue),
        timer_step_ns_(timer_step_ns),
        prepare_launch_(std::move(prepare_launch)),
        gate_(make_counter(queue.device())),
        begun_(make_counter(queue.device())),
        done_(make_counter(queue.device())) {
    for (const CopyFamily& family : copy_families(queue.physical())) {
      if (family.index == queue.family()) driver_ = engine_of(family, timer_step_ns);
      if (family.only_transfers && !transfer_) transfer_ = engine_of(family, timer_step_ns);
    }
  }

  CopyQueues queues(CopyEngine engine) override {
    const Engine& chosen = of(engine);
    return {.name = chosen.family.name, .count = chosen.family.queues, .has_clock = chosen.family.timestamp_bits > 0};
  }

  std::unique_ptr<HostMemory> make_host_memory(HostKind kind, std::uint64_t size_bytes) override {
    return std::make_unique<CopyMemory>(queue_, kind, size_bytes);
  }

  CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) override {
    Engine& chosen = of(engine);
    if (lists.size() > chosen.queues.size())
      throw Unsupported(chosen.family.name + " has no " + std::to_string(lists.size()) + " queues");
    CopyTimes times = run_once(chosen, lists);
    if (chosen.family.timestamp_bits == 0) return times;
    for (const Nanoseconds one : times.each) (void)nonzero_time(one, timer_step_ns_);
    const CopyTimes nothing = time_of_nothing(chosen, lists.size());
    times.taken_off = nothing.all;
    times.all = less(times.all, nothing.all);
    for (std::size_t list = 0; list < lists.size(); ++list)
      times.each[list] = less(times.each[list], nothing.each[list]);
    return times;
  }

  BesideTimes run_beside(CopyEngine engine, const CopyList& list, Kernel& kernel, const Launch& launch) override {
    Engine& chosen = of(engine);
    if (engine == CopyEngine::driver && chosen.queues.size() < 2) {
      throw Unsupported(chosen.family.name + " has one queue, on which a copy waits for the kernel before it");
    }
    const Nanoseconds nothing = time_of_nothing(chosen, 1).all;
    const PreparedLaunch prepared = prepare_launch_(kernel, launch);
    ++turn_;
    const Count gate{gate_.get(), turn_};
    CopyQueue& copies = *chosen.queues.back();  // the first one of the driver's is the kernel's
    const Count end{copies.ends(), turn_};
    const Event running = make_event();
    bool begun = false;
    (void)behind(gate, [&] {
      copies.submit(Part::copies, list, std::array{gate}, end);
      queue_.start([&](VkCommandBuffer commands) {
        vkCmdSetEvent(commands, running.get(), VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
        prepared.record(commands);
      });
      begun = begins_soon([&] { return vkGetEventStatus(queue_.device(), running.get()) == VK_EVENT_SET; });
      // The event comes a moment before the kernel: copies that came between would not run beside it.
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    });
    wait_for(end);
    const bool outlasted = queue_.is_running();
    queue_.wait();
    if (!begun) throw Unsupported(kernel_waits_reason);
    return {.copies = less(copies.time(Part::copies, Part::copies), nothing),
            .kernel = prepared.time(),
            .kernel_outlasted = outlasted};
  }

 private:
  CopyTimes run_once(Engine& chosen, std::span<const CopyList> lists) {
    ++turn_;
    const Count gate{gate_.get(), turn_};
    const Count begun{begun_.get(), turn_};
    const bool alone = lists.size() == 1;
    CopyQueue& first = *chosen.queues.front();
    std::vector<Count> ends;
    const Clock::time_point opened = behind(gate, [&] {
      // A queue's clock tells nothing about another queue, so the first one sees all of them begin and end.
      if (!alone) first.submit(Part::begin, {}, std::array{gate}, begun);
      for (std::size_t index = 0; index < lists.size(); ++index) {
        ends.push_back({chosen.queues[index]->ends(), turn_});
        chosen.queues[index]->submit(Part::copies, lists[index], std::array{alone ? gate : begun}, ends.back());
      }
      if (!alone) first.submit(Part::end, {}, ends, {done_.get(), turn_});
    });
    CopyTimes times = first.has_clock() ? CopyTimes{} : times_by_host(ends, opened);
    wait_for(alone ? ends.front() : Count{done_.get(), turn_});
    if (!first.has_clock()) return times;
    for (std::size_t index = 0; index < lists.size(); ++index)
      times.each.push_back(chosen.queues[index]->time(Part::copies, Part::copies));
    times.all = alone ? times.each.front() : first.time(Part::begin, Part::end);
    return times;
  }

  /// What stamps, and the hand-over between queues, take themselves: up to tens of microseconds. The median of the
  /// newest ones, as what they take changes with what else the machine does.
  CopyTimes time_of_nothing(Engine& engine, std::size_t lists) {
    constexpr std::size_t newest = 9;
    const std::vector<CopyList> empty(lists);
    std::deque<CopyTimes>& recent = engine.nothing[lists];
    do {
      if (recent.size() == newest) recent.pop_front();
      recent.push_back(run_once(engine, empty));
    } while (recent.size() < newest);
    const auto median = [&recent](auto time_of) {
      std::vector<Nanoseconds> times;
      for (const CopyTimes& one : recent) times.push_back(time_of(one));
      std::ranges::nth_element(times, times.begin() + newest / 2);
      return times[newest / 2];
    };
    CopyTimes nothing;
    nothing.all = median([](const CopyTimes& one) { return one.all; });
    for (std::size_t list = 0; list < lists; ++list) {
      nothing.each.push_back(median([list](const CopyTimes& one) { return one.each[list]; }));
    }
    return nothing;
  }

  Engine engine_of(const CopyFamily& family, double timer_step_ns) {
    Engine engine{.family = family, .queues = {}};
    for (std::uint32_t index = 0; index < family.queues; ++index) {
      engine.queues.push_back(std::make_unique<CopyQueue>(queue_, family, index, timer_step_ns));
    }
    return engine;
  }

  Engine& of(CopyEngine engine) {
    if (engine == CopyEngine::driver) return *driver_;
    if (!transfer_)
      throw Unsupported("the driver shows no queue family that only transfers, so no copy engine can be chosen");
    return *transfer_;
  }

  Event make_event() {
    const VkEventCreateInfo create{.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent raw = VK_NULL_HANDLE;
    check(vkCreateEvent(queue_.device(), &create, nullptr, &raw), "vkCreateEvent");
    return {queue_.device(), raw};
  }

  /// Opens the gate once `enqueue` is through, and when it fails too: what it had enqueued would wait for
  /// ever. Returns when that was.
  template <typename Enqueue>
  Clock::time_point behind(const Count& gate, Enqueue enqueue) {
    try {
      enqueue();
    } catch (...) {
      signal(gate);
      throw;
    }
    const Clock::time_point opened = Clock::now();
    signal(gate);
    return opened;
  }

  void signal(const Count& count) {
    VkSemaphoreSignalInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = count.semaphore;
    info.value = count.value;
    check(vkSignalSemaphore(queue_.device(), &info), "vkSignalSemaphore");
  }

  void wait_for(const Count& count) {
    VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &count.semaphore;
    info.pValues = &count.value;
    const auto timeout_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(longest).count();
    check_wait(vkWaitSemaphores(queue_.device(), &info, static_cast<std::uint64_t>(timeout_ns)), "vkWaitSemaphores");
  }

  /// For queues without timestamps: when each was seen to have ended.
  CopyTimes times_by_host(const std::vector<Count>& ends, Clock::time_point begin) {
    CopyTimes times;
    times.each.resize(ends.size());
    for (std::size_t left = ends.size(); left > 0;) {
      if (Clock::now() - begin > longest) check_wait(VK_TIMEOUT, "waiting for copies");
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
  std::uint64_t turn_ = 0;
  std::optional<Engine> driver_;
  std::optional<Engine> transfer_;
};

}  // namespace

std::unique_ptr<CopyEngines> make_copy_engines(Queue& queue, double timer_step_ns, PrepareLaunch prepare_launch) {
  return std::make_unique<VulkanCopies>(queue, timer_step_ns, std::move(prepare_launch));
}

}  // namespace sonde::device::vulkan
