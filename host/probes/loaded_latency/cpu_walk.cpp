#include "probes/loaded_latency/cpu_walk.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/device.hpp"
#include "cpu/pinned.hpp"
#include "device/error.hpp"
#include "probes/loaded_latency/cpu_load.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::probes {
namespace {

using device::ChaseWindow;
using device::Nanoseconds;
using workloads::PointerCycle;

/// Of the line that each load of the walk takes.
constexpr std::uint32_t walked_line_bytes = 64;
/// A window counts where its load, all threads together, was absent for no more of it.
constexpr double most_absent = 0.05;
/// Stretches that something else hides are made again, so many times as are wanted at most.
constexpr int most_attempts_a_stretch = 5;
/// What fewer say of their scatter is nothing.
constexpr int least_stretches = 3;

/// How long a point is walked.
struct WalkTimes {
  int stretches;
  Nanoseconds stretch;  ///< in memory; in a cache there are as many windows in less
};

WalkTimes walk_times_of(Effort effort) {
  switch (effort) {
    case Effort::quick: return {.stretches = 4, .stretch = Nanoseconds(10e6)};
    case Effort::normal: return {.stretches = 8, .stretch = Nanoseconds(25e6)};
    case Effort::thorough: break;
  }
  return {.stretches = 16, .stretch = Nanoseconds(50e6)};
}
constexpr double times_shorter_in_a_cache = 6;
constexpr Nanoseconds settling_time{6e6};

/// What is walked through, and where the walk stands.
struct WalkedCycle {
  PointerCycle cycle;
  std::uint32_t place = 0;  ///< where it must stand
  const std::byte* at = cycle.start();

  WalkedCycle(std::uint32_t count, cpu::PageKind pages, std::uint64_t seed)
      : cycle(count, walked_line_bytes, pages, seed) {}
};

std::shared_ptr<WalkedCycle> make_cycle(double bytes, std::uint64_t seed, int cpu) {
  const cpu::Pinned on_its_node(cpu);
  const cpu::PageKind pages = cpu::has_huge_pages() ? cpu::PageKind::huge : cpu::PageKind::small;
  const auto count = static_cast<std::uint32_t>(bytes / walked_line_bytes);
  return std::make_shared<WalkedCycle>(count, pages, seed);
}

/// In memory the same for all points of a process: making it takes longer than a point, and each goes on where the one
/// before has stopped.
std::shared_ptr<WalkedCycle> cycle_of(const WalkedSet& set, std::uint64_t seed, int cpu) {
  if (set.within != Within::memory) return make_cycle(set.bytes, seed, cpu);
  static std::shared_ptr<WalkedCycle> in_memory;
  const auto count = static_cast<std::uint32_t>(set.bytes / walked_line_bytes);
  if (!in_memory || in_memory->cycle.size() != count) {
    in_memory.reset();
    in_memory = make_cycle(set.bytes, seed, cpu);
  }
  return in_memory;
}

/// The windows in which nothing took the walk's core, nor those of its load for long, and what the load then moved.
class Undisturbed {
 public:
  /// Stretches that had such windows.
  [[nodiscard]] int stretches() const { return static_cast<int>(moved_.values.size()); }

  void add(const std::vector<ChaseWindow>& stretch, const LoadingTeam* load) {
    std::size_t kept = 0;
    double bytes = 0;
    Nanoseconds time{0};
    seen_ += stretch.size();
    for (const ChaseWindow& window : stretch) {
      if (window.interrupted) continue;
      if (load != nullptr && load->absent_between(window.begin, window.end) > most_absent) continue;
      ++kept;
      windows_.values.push_back(window.ns_per_load);
      if (window.clock_mhz > 0) cycles_.values.push_back(six_digits(window.ns_per_load * window.clock_mhz / 1e3));
      time += window.end - window.begin;
      if (load != nullptr) bytes += load->bytes_between(window.begin, window.end);
    }
    if (kept == 0) return;
    windows_.visits.push_back(kept);
    moved_.values.push_back(bytes / time.count());
    moved_.visits.push_back(1);
  }

  [[nodiscard]] Repetitions repetitions(bool loaded) const {
    Repetitions all{.values = windows_.values, .steps = cpu::loads_in_a_window, .visits = windows_.visits};
    all.interrupted = 1 - static_cast<double>(windows_.values.size()) / static_cast<double>(seen_);
    if (cycles_.values.size() == windows_.values.size()) {
      all.further.push_back(cycles_);
      all.further.back().visits = windows_.visits;
    }
    if (loaded) all.further.push_back(moved_);
    return all;
  }

 private:
  Reading windows_{.series = {}, .unit = "ns", .values = {}};
  Reading cycles_{.series = {}, .unit = "cycles", .values = {}};
  Reading moved_{.series = {}, .unit = "GB/s", .values = {}};
  std::size_t seen_ = 0;
};

/// One point's walk and its load, which runs from the start of `observe` to its end.
struct WalkBesideCpuLoad {
  std::shared_ptr<WalkedCycle> walked;
  std::unique_ptr<device::Companion> companion;
  std::vector<const cpu::Core*> cores;  ///< that load; none at no load
  LoadWork work;
  std::byte* load_memory = nullptr;
  WalkTimes times{};
  bool in_memory = false;

  std::vector<ChaseWindow> chase(Nanoseconds time, const std::function<void()>& alive) {
    std::vector<ChaseWindow> windows = companion->chase_for(time);
    alive();
    const std::uint64_t hops = (windows.size() + 1) * cpu::loads_in_a_window;
    walked->place = static_cast<std::uint32_t>((walked->place + hops) % walked->cycle.size());
    if (!walked->cycle.is_at(walked->place, walked->at)) {
      throw device::Error("the walk did not end where its cycle leads to, so memory lost or changed a word");
    }
    return windows;
  }

  Repetitions observe(const std::function<void()>& alive) {
    std::optional<LoadingTeam> load;
    if (!cores.empty()) load.emplace(cores, work, load_memory);
    (void)chase(settling_time, alive);  // wakes the core, fills caches and translations
    Undisturbed found;
    const int most_attempts = most_attempts_a_stretch * times.stretches;
    for (int attempt = 0; found.stretches() < times.stretches && attempt < most_attempts; ++attempt) {
      const auto windows = chase(in_memory ? times.stretch : times.stretch / times_shorter_in_a_cache, alive);
      if (load) load->look();
      found.add(windows, load ? &*load : nullptr);
    }
    if (load) {
      load->end();
      if (const auto flaw = load->flaw()) throw device::Error(*flaw);
    }
    if (found.stretches() < least_stretches) {
      throw device::TooShort(
          "other programs had the core of the walk or of a thread of its load in nearly every window, so that neither "
          "is "
          "known: measure again when those are idle");
    }
    return found.repetitions(load.has_value());
  }
};

}  // namespace

Workload walk_beside_cpu_load(const cpu::Topology& machine, const Point& point, const Request& request) {
  const CpuLoadChoice choice = load_choice_of(point);
  const std::vector<WalkedSet> sets = walked_sets(machine, request);
  const auto set = std::ranges::find(sets, choice.bytes, &WalkedSet::bytes);
  if (set == sets.end()) throw device::Unsupported("this machine has no such working set");
  const cpu::Core& walking = quiet_core(machine, 0);
  const auto work = std::make_shared<WalkBesideCpuLoad>();
  work->in_memory = set->within == Within::memory;
  work->times = walk_times_of(request.effort);
  work->walked = cycle_of(*set, request.seed, walking.cpu);
  work->companion = cpu::chase_on(walking.cpu, work->walked->at);
  if (choice.threads > 0) {
    work->cores = loading_cores(machine, choice.placement);
    work->cores.resize(std::min(work->cores.size(), static_cast<std::size_t>(choice.threads)));
    work->work = {.stream = choice.kind.stream,
                  .stores = choice.kind.stores,
                  .thread_bytes = static_cast<std::uint64_t>(
                      load_bytes_of(machine, *set, choice.placement, choice.threads, request.effort)),
                  .delay = static_cast<std::uint64_t>(choice.delay)};
    work->load_memory = memory_for_loads(work->work.thread_bytes * work->cores.size(), walking.cpu);
  }
  const bool pinned = cpu::Pinned(walking.cpu).holds();
  return {.unit = "ns",
          .has_cycles = false,
          .shape = {{"cpu", walking.cpu},
                    {"pinned", pinned ? 1 : 0},
                    {"huge_pages", cpu::has_huge_pages() ? 1 : 0},
                    {"thread_bytes", static_cast<double>(work->work.thread_bytes)}},
          .observe = [work](const Limits&, const std::function<void()>& alive) { return work->observe(alive); }};
}

}  // namespace sonde::probes
