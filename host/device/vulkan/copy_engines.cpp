#include "device/vulkan/copy_engines.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "device/driver_clock.hpp"
#include "device/error.hpp"

namespace sonde::device::vulkan {
namespace {

using Clock = std::chrono::steady_clock;
using Part = CopyQueue::Part;

/// The queues of the device's own compute family, or of one that only copies.
struct EngineQueues {
  CopyFamily family;
  std::vector<std::unique_ptr<CopyQueue>> queues;
  std::map<std::size_t, std::deque<CopyTimes>> empty_times = {};  ///< latest times of so many empty lists
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
    for (const CopyFamily& family : copy_families(queue.physical())) {
      if (family.index == queue.family()) driver_ = make_engine(family, timer_step_ns);
      if (family.only_transfers && !transfer_) transfer_ = make_engine(family, timer_step_ns);
    }
  }

  CopyQueues queues(CopyEngine engine) override {
    const EngineQueues& chosen = engine_of(engine);
    return {.name = chosen.family.name, .count = chosen.family.queues, .has_clock = chosen.family.timestamp_bits > 0};
  }

  std::unique_ptr<HostMemory> make_host_memory(HostKind kind, std::uint64_t size_bytes) override {
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
    CopyQueue& copies = *chosen.queues.back();  // the first of the driver's queues runs the kernel
    const TimelinePoint end{copies.ends(), run_};
    const Event running = make_event();
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
    CopyQueue& first = *chosen.queues.front();
    std::vector<TimelinePoint> ends;
    const Clock::time_point opened = behind_gate(gate, [&] {
      // Clocks of different queues are unrelated, so the first queue stamps the begin and the end of all of them.
      if (!alone) first.submit(Part::begin, {}, std::array{gate}, begun);
      for (std::size_t index = 0; index < lists.size(); ++index) {
        ends.push_back({chosen.queues[index]->ends(), run_});
        chosen.queues[index]->submit(Part::copies, lists[index], std::array{alone ? gate : begun}, ends.back());
      }
      if (!alone) first.submit(Part::end, {}, ends, {done_.get(), run_});
    });
    CopyTimes times = first.has_clock() ? CopyTimes{} : times_by_host(ends, opened);
    wait_for(queue_.device(), alone ? ends.front() : TimelinePoint{done_.get(), run_});
    if (!first.has_clock()) return times;
    for (std::size_t index = 0; index < lists.size(); ++index)
      times.each.push_back(chosen.queues[index]->time(Part::copies, Part::copies));
    times.all = alone ? times.each.front() : first.time(Part::begin, Part::end);
    return times;
  }

  /// The time of the timestamps and of the hand-over between queues: up to tens of microseconds. It is the median of
  /// the latest runs, as it changes with what else the machine does.
  CopyTimes time_of_empty_lists(EngineQueues& engine, std::size_t lists) {
    constexpr std::size_t newest = 9;
    const std::vector<CopyList> empty_lists(lists);
    std::deque<CopyTimes>& recent = engine.empty_times[lists];
    do {
      if (recent.size() == newest) recent.pop_front();
      recent.push_back(run_once(engine, empty_lists));
    } while (recent.size() < newest);
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

  EngineQueues make_engine(const CopyFamily& family, double timer_step_ns) {
    EngineQueues engine{.family = family, .queues = {}};
    for (std::uint32_t index = 0; index < family.queues; ++index) {
      engine.queues.push_back(std::make_unique<CopyQueue>(queue_, family, index, timer_step_ns));
    }
    return engine;
  }

  EngineQueues& engine_of(CopyEngine engine) {
    if (engine == CopyEngine::driver) return *driver_;
    if (!transfer_)
      throw Unsupported("the driver shows no queue family that only transfers, so no copy engine can be chosen");
    return *transfer_;
  }

  Event make_event() {
    const VkEventCreateInfo create{.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    return Event::create(queue_.device(), vkCreateEvent, create, "vkCreateEvent");
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
