// Question: how much longer does a load of the CPU itself take while its other cores keep the memory busy?
// docs/method/loaded-latency.md explains it.

#include "probes/cpu_loaded_latency/cpu_loaded_latency.hpp"

#include "cpu/device.hpp"
#include "cpu/pinned.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_loaded_latency/loading_team.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::probes {
namespace {

using device::ChaseWindow;
using device::Nanoseconds;

/// The bytes of the line that each load of the walk takes.
constexpr std::uint32_t walked_line_bytes = 64;
/// A window counts where its load, all threads together, was absent for no more of it.
constexpr double most_absent = 0.05;
/// Stretches in which no window counts are made again, up to so many for each that is wanted.
constexpr int most_attempts_a_stretch = 5;
/// Fewer stretches would say nothing about their scatter.
constexpr int least_stretches = 3;
constexpr int stretches_of_a_visit = 4;
constexpr Nanoseconds stretch_in_memory{10e6};

/// In a cache as many windows as in memory take less time.
constexpr double times_shorter_in_a_cache = 6;
constexpr Nanoseconds settling_time{6e6};

/// The cycle that is walked through, and where the walk stands.
struct WalkedCycle {
  workloads::PointerCycle cycle;
  std::uint32_t place = 0;  ///< where it must stand
  const std::byte* at = cycle.start();

  WalkedCycle(std::uint32_t count, std::uint64_t seed) : cycle(count, walked_line_bytes, cpu::widest_pages(), seed) {}
};

/// The cycle in memory is the same for all points of a process: making it takes longer than a point, and each goes on
/// where the one before has stopped.
std::shared_ptr<WalkedCycle> cycle_of(const WalkedSet& set, std::uint64_t seed, int cpu) {
  const auto count = static_cast<std::uint32_t>(set.bytes / walked_line_bytes);
  const auto make = [&] {
    const cpu::Pinned on_its_node(cpu);
    return std::make_shared<WalkedCycle>(count, seed);
  };
  if (set.within != Within::memory) return make();
  static std::shared_ptr<WalkedCycle> in_memory;
  if (!in_memory || in_memory->cycle.size() != count) {
    in_memory.reset();
    in_memory = make();
  }
  return in_memory;
}

/// The same curve in cycles: the windows know the clock of their core, which nobody could tell from their times.
constexpr Curve walk_in_cycles = [] {
  Curve curve = cpu_loaded_latency_probe::walk;
  curve.unit.name = "cycles";
  return curve;
}();

/// The windows in which nothing took the walk's core, nor those of its load for long, and what the load then moved.
class UndisturbedWindows {
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
      all.extra.push_back(cycles_);
      all.extra.back().visits = windows_.visits;
    }
    if (loaded) all.extra.push_back(moved_);
    return all;
  }

 private:
  ExtraValues windows_{.curve = &cpu_loaded_latency_probe::walk};
  ExtraValues cycles_{.curve = &walk_in_cycles};
  ExtraValues moved_{.curve = &cpu_loaded_latency_probe::load};
  std::size_t seen_ = 0;
};

/// One point's walk and its load, which runs from the start of `repeat` to its end.
struct WalkBesideCpuLoad {
  std::shared_ptr<WalkedCycle> walked;
  std::unique_ptr<device::Companion> companion;
  std::vector<const cpu::Core*> cores;  ///< that load; none at no load
  LoadWork work;
  std::byte* load_memory = nullptr;
  Nanoseconds stretch = stretch_in_memory;

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

  Repetitions repeat(const std::function<void()>& alive) {
    std::optional<LoadingTeam> load;
    if (!cores.empty()) load.emplace(cores, work, load_memory);
    (void)chase(settling_time, alive);  // wakes the core, fills caches and translation buffers
    UndisturbedWindows found;
    const int most_attempts = most_attempts_a_stretch * stretches_of_a_visit;
    for (int attempt = 0; found.stretches() < stretches_of_a_visit && attempt < most_attempts; ++attempt) {
      const auto windows = chase(stretch, alive);
      if (load) load->look();
      found.add(windows, load ? &*load : nullptr);
    }
    if (load) {
      load->end();
      if (const auto failure = load->proof_failure()) throw device::Error(*failure);
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

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.api != device::Api::cpu) return "this is asked of the CPU itself, not through a driver";
  const std::string reason = why_not_at_once(cpu::machine());
  return reason.empty() ? std::nullopt : std::optional(reason);
}

std::vector<Point> next(const device::DeviceInfo&, const Request& request, std::span<const Measurement> known) {
  return cpu_load_points(cpu::machine(), request, known);
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  return cpu_load_conclusion(cpu::machine(), request, measurements);
}

}  // namespace

Workload cpu_loaded_latency_probe::prepare_walk(device::Device&, const Point& point, const Request& request) {
  const cpu::Topology& machine = cpu::machine();
  const int threads = static_cast<int>(point.x.cpu_threads.value());
  const std::vector<WalkedSet> sets = walked_sets(machine, request);
  const auto set = std::ranges::find(sets, point.x.bytes.value(), &WalkedSet::bytes);
  if (set == sets.end()) throw device::Unsupported("this machine has no such working set");
  const cpu::Core& walking = quiet_core(machine, 0);
  const auto work = std::make_shared<WalkBesideCpuLoad>();
  if (set->within != Within::memory) work->stretch /= times_shorter_in_a_cache;
  work->walked = cycle_of(*set, request.seed, walking.cpu);
  work->companion = cpu::chase_on(walking.cpu, work->walked->at);
  if (threads > 0) {
    const Placement placement = point.words.placement.value();
    work->cores = loading_cores(machine, placement);
    work->cores.resize(std::min(work->cores.size(), static_cast<std::size_t>(threads)));
    const Pattern pattern = point.words.pattern.value_or(Pattern::read);
    work->work = {
        .stream = pattern == Pattern::write               ? cpu::Stream::write
                  : pattern == Pattern::read_modify_write ? cpu::Stream::read_modify_write
                                                          : cpu::Stream::read,
        .stores = point.words.stores == Stores::non_temporal ? cpu::StoreKind::non_temporal : cpu::StoreKind::ordinary,
        .thread_bytes = static_cast<std::uint64_t>(load_bytes_of(machine, *set, placement, threads)),
        .delay = static_cast<std::uint64_t>(point.x.delay.value())};
    work->load_memory = memory_for_loads(work->work.thread_bytes * work->cores.size(), walking.cpu);
  }
  const bool pinned = cpu::Pinned(walking.cpu).holds();
  const auto repeat = [work](const Limits&, const std::function<void()>& alive) { return work->repeat(alive); };
  return {.work = SelfTimedWork{.repeat = repeat},
          .has_cycles = false,
          .shape = {{"cpu", walking.cpu},
                    {"pinned", pinned ? 1 : 0},
                    {"huge_pages", cpu::has_huge_pages() ? 1 : 0},
                    {"thread_bytes", static_cast<double>(work->work.thread_bytes)}}};
}

const Probe cpu_loaded_latency{
    .name = "loaded-latency",
    .id = "cpu-loaded-latency",
    .question = "How much longer does a load of the CPU itself take while its other cores keep the memory busy?",
    .target = Target::host_cpu,
    .curves = cpu_loaded_latency_probe::curves,
    .finding_kinds = cpu_loaded_latency_probe::finding_kinds,
    .obstacle = obstacle,
    .next = next,
    .conclude = conclude};

}  // namespace sonde::probes
