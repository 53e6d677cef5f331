// The CPU's walk in windows, of which those count that lie wholly inside one dispatch of the GPU.

#include "cpu/device.hpp"
#include "probes/contention/contention.hpp"
#include "workloads/cpu/cpu_walk.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes::contention_probe {
namespace {

using device::ChaseWindow;
using device::Nanoseconds;
using workloads::StreamShape;

bool holds(const device::BusyInterval& dispatch, device::Nanoseconds uncertainty, const device::ChaseWindow& window) {
  return window.begin >= dispatch.begin + uncertainty && window.end <= dispatch.end - uncertainty;
}

/// The dispatches that count: all but the first.
std::span<const device::BusyInterval> counted(const device::BusyTimes& busy) {
  return std::span(busy.dispatches).subspan(std::min<std::size_t>(1, busy.dispatches.size()));
}

constexpr std::uint64_t least_chased_bytes = 256 << 20;
constexpr std::uint64_t most_chased_bytes = 512 << 20;

/// Where the walk stands in memory that is made once for a process: it is the same at every load, and each goes on
/// where the one before has stopped.
const std::byte*& place_in_chased_memory(std::uint64_t seed) {
  constexpr std::uint32_t line_bytes = 64;
  static const workloads::PointerCycle cycle(
      static_cast<std::uint32_t>(
          std::clamp(2 * cpu::machine().furthest_cache_bytes, least_chased_bytes, most_chased_bytes) / line_bytes),
      line_bytes, cpu::widest_pages(), seed);
  static const std::byte* at = cycle.start();
  return at;
}

std::unique_ptr<device::Companion> companion_of(device::Device& device, std::uint64_t seed) {
  if (auto simulated = device.companion()) return simulated;
  return cpu::chase_on(quiet_core(cpu::machine(), 0).cpu, place_in_chased_memory(seed));
}

/// One group a compute unit, and so little for each that three arrays stay in the smallest first cache.
StreamShape shape_in_first_cache(const device::DeviceInfo& info, StreamShape shape) {
  shape.groups = workloads::compute_units_of(info);
  shape.in_flight = 1;
  shape.spread = false;
  shape.group_size = std::min(shape.group_size, 128u);
  return shape;
}

/// The point's shape, or else the one that is found for large arrays.
StreamShape shape_at(device::Device& device, const Point& point, std::uint64_t array_bytes) {
  if (point.shape.contains("groups")) return workloads::shape_of(point.shape);
  const device::DeviceInfo& info = device.info();
  if (info.type == device::DeviceType::model) {
    return {.group_size = std::min(256u, info.largest_group_size),
            .groups = 8 * workloads::compute_units_of(info),
            .in_flight = 2,
            .interleaved = true};
  }
  // A CPU's driver compiles slowly.
  const bool on_cpu = info.type == device::DeviceType::cpu;
  return workloads::search_shape(device, Pattern::add, Sharing::separate, 3 * array_bytes,
                                 on_cpu ? workloads::SearchDepth::usual : workloads::SearchDepth::once);
}

/// Stretches in which nothing counts are made again, up to so many times as many as are wanted.
constexpr int attempts_a_stretch = 3;
/// Fewer stretches tell nothing of their scatter; further visits tell more than further stretches.
constexpr int stretches = 3;
constexpr Nanoseconds busy_time(24e6);
constexpr Nanoseconds idle_time(8e6);

/// The values from all stretches of one point.
struct Stretches {
  Repetitions all{.steps = cpu::loads_in_a_window};
  ExtraValues cycles{.curve = &walk_in_cycles};
  ExtraValues ratio;
  ExtraValues moved{.curve = &gpu_beside_walk};
  std::size_t seen = 0;
  std::size_t kept = 0;

  [[nodiscard]] int made() const { return static_cast<int>(all.visits.size()); }

  /// The windows in which nothing took the thread's core.
  std::vector<ChaseWindow> undisturbed(std::vector<ChaseWindow> windows) {
    seen += windows.size();
    std::erase_if(windows, [](const ChaseWindow& one) { return one.interrupted; });
    kept += windows.size();
    return windows;
  }

  void add(const std::vector<ChaseWindow>& windows) {
    for (const ChaseWindow& one : windows) {
      all.values.push_back(one.ns_per_load);
      if (one.clock_mhz > 0) cycles.values.push_back(six_digits(one.ns_per_load * one.clock_mhz / 1e3));
    }
    all.visits.push_back(windows.size());
  }
};

/// A walk of the CPU while the GPU adds arrays and CPU threads read, if any do.
struct WalkBesideGpu {
  std::unique_ptr<device::Companion> companion;
  std::optional<workloads::ThrottledAdd> sum;  ///< none at no load
  std::unique_ptr<CpuLoad> readers;
  bool is_control = false;

  static double median_of(const std::vector<ChaseWindow>& windows) {
    std::vector<double> ns;
    for (const ChaseWindow& one : windows) ns.push_back(one.ns_per_load);
    return analysis::quantile(ns, 0.5);
  }

  /// Keeps the GPU busy while it gets faster: its clock climbs for up to half a second.
  void warm_up(Nanoseconds stretch, const std::function<void()>& alive) {
    constexpr int most_stretches = 12;
    constexpr double faster = 0.95;
    double before_ns = 0;
    for (int number = 0; number < most_stretches; ++number) {
      const device::BusyInterval last = sum->keep_busy(stretch).dispatches.back();
      alive();
      const double ns = (last.end - last.begin).count();
      if (number > 0 && ns > faster * before_ns) return;
      before_ns = ns;
    }
  }

  Repetitions repeat(const std::function<void()>& alive) {
    if (readers) readers->begin();
    (void)companion->chase_for(idle_time);  // wakes the core and fills its translations
    if (sum) warm_up(busy_time, alive);
    Stretches found{.ratio = {.curve = is_control ? &times_idle_in_control : &times_idle_under_load}};
    for (int attempt = 0; found.made() < stretches && attempt < attempts_a_stretch * stretches; ++attempt) {
      const std::vector<ChaseWindow> idle = found.undisturbed(companion->chase_for(idle_time));
      alive();
      if (idle.empty()) continue;
      if (!sum) {
        found.add(idle);
        continue;
      }
      device::BusyTimes busy;
      const std::vector<ChaseWindow> windows = companion->chase_during([&] { busy = sum->keep_busy(busy_time); });
      if (const auto failure = sum->proof_failure()) throw device::Error(*failure);
      alive();
      const std::vector<ChaseWindow> counted = found.undisturbed(inside(windows, busy));
      if (counted.empty()) continue;
      found.add(counted);
      found.ratio.values.push_back(median_of(counted) / median_of(idle));
      found.ratio.visits.push_back(1);
      for (const double gbps : bandwidths(counted, busy, sum->bytes_per_dispatch())) found.moved.values.push_back(gbps);
    }
    if (found.made() < stretches) {
      throw device::Unsupported(
          std::to_string(found.made()) + " of " + std::to_string(stretches) +
          " stretches of the CPU's walk had windows that were not interrupted" +
          (sum ? " and lay wholly inside a dispatch" : "") +
          ", and all are needed; where other programs have the cores, measure again when those are "
          "idle");
    }
    if (readers) (void)readers->gbps();  // they did run
    Repetitions all = found.all;
    all.interrupted = 1 - static_cast<double>(found.kept) / static_cast<double>(found.seen);
    // In the control the GPU's traffic does not reach memory.
    all.reached.gpu_gbps = sum && !is_control ? analysis::quantile(found.moved.values, 0.5) : 0;
    if (found.cycles.values.size() == all.values.size()) all.extra.push_back(found.cycles);
    if (sum) all.extra.insert(all.extra.end(), {found.ratio, found.moved});
    return all;
  }
};

std::unique_ptr<CpuLoad> reading_threads(std::span<const cpu::Core> cores, std::size_t threads) {
  if (threads == 0) return nullptr;
  if (cores.size() < threads) {
    throw device::Unsupported(
        "of the " + std::to_string(cpu::machine().cores.size()) +
        " cores that this process may use one walks and the others are the device's, so that none is left to read");
  }
  return std::make_unique<CpuLoad>(cores.first(threads), cpu::StreamDirection::read);
}

}  // namespace

std::vector<device::ChaseWindow> inside(std::span<const device::ChaseWindow> windows, const device::BusyTimes& busy) {
  std::vector<device::ChaseWindow> kept;
  auto dispatch = counted(busy).begin();
  for (const device::ChaseWindow& window : windows) {
    while (dispatch != counted(busy).end() && dispatch->end < window.end) ++dispatch;
    if (dispatch != counted(busy).end() && holds(*dispatch, busy.uncertainty, window)) kept.push_back(window);
  }
  return kept;
}

std::vector<double> bandwidths(std::span<const device::ChaseWindow> inside, const device::BusyTimes& busy,
                               double bytes_per_dispatch) {
  std::vector<double> gbps;
  for (const device::BusyInterval& dispatch : counted(busy)) {
    const bool any = std::ranges::any_of(
        inside, [&](const device::ChaseWindow& one) { return holds(dispatch, busy.uncertainty, one); });
    if (any) gbps.push_back(bytes_per_dispatch / (dispatch.end - dispatch.begin).count());
  }
  return gbps;
}

Workload walk_beside_gpu(device::Device& device, const Point& point, const Request& request, std::uint64_t array_bytes,
                         std::span<const cpu::Core> readers) {
  const device::DeviceInfo& info = device.info();
  const auto work = std::make_shared<WalkBesideGpu>();
  work->is_control = point.words.beside == Beside::nothing;
  work->readers = reading_threads(readers, static_cast<std::size_t>(point.x.cpu_threads.value()));
  work->companion = companion_of(device, request.seed);
  Shape shape;
  if (const double load = point.x.load.value(); load > 0) {
    StreamShape chosen = shape_at(device, point, array_bytes);
    shape = named(chosen);
    std::uint64_t bytes = array_bytes;
    if (work->is_control) {
      chosen = shape_in_first_cache(info, chosen);
      bytes = std::uint64_t{chosen.groups} * chosen.block_words() * sizeof(std::uint32_t);
    }
    work->sum.emplace(device, chosen, bytes, request.seed);
    if (info.type == device::DeviceType::model) {
      // Its clock has no noise of short times, and the host works for all that it writes.
      work->sum->throttle(load, Nanoseconds(20e6), Nanoseconds(0.2e6));
    } else {
      // Long beside a launch and a timer's step, short beside a busy time, of which the first dispatch does not count.
      work->sum->throttle(load);
    }
    shape["rounds"] = work->sum->rounds();
  }
  shape["same_silicon"] = info.type == device::DeviceType::cpu ? 1 : 0;
  return {
      .work = SelfTimedWork{[work](const Limits&, const std::function<void()>& alive) { return work->repeat(alive); }},
      .has_cycles = false,
      .shape = shape};
}

}  // namespace sonde::probes::contention_probe
