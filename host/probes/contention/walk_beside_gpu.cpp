#include "probes/contention/walk_beside_gpu.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "cpu/device.hpp"
#include "device/error.hpp"
#include "probes/contention/cpu_load.hpp"
#include "probes/contention/plan.hpp"
#include "probes/contention/windows.hpp"
#include "workloads/cpu/cpu_walk.hpp"
#include "workloads/stream/shape_search.hpp"
#include "workloads/stream/throttled_add.hpp"

namespace sonde::probes {
namespace {

using device::ChaseWindow;
using device::Nanoseconds;
using workloads::PointerCycle;
using workloads::Shape;

constexpr std::uint64_t least_chased_bytes = 256 << 20;
constexpr std::uint64_t most_chased_bytes = 512 << 20;

/// The memory that is chased through, and where the walk stands.
struct ChasedMemory {
  PointerCycle cycle;
  const std::byte* at = cycle.start();
};

/// Made once for a process: it is the same at every load, and each goes on where the one before has stopped.
ChasedMemory& chased_memory(std::uint64_t seed) {
  static ChasedMemory memory = [seed] {
    const std::uint64_t wanted = 2 * cpu::machine().furthest_cache_bytes;
    const std::uint64_t bytes = std::clamp(wanted, least_chased_bytes, most_chased_bytes);
    const cpu::PageKind pages = cpu::has_huge_pages() ? cpu::PageKind::huge : cpu::PageKind::small;
    constexpr std::uint32_t line_bytes = 64;
    return ChasedMemory{PointerCycle(static_cast<std::uint32_t>(bytes / line_bytes), line_bytes, pages, seed)};
  }();
  return memory;
}

std::unique_ptr<device::Companion> companion_of(device::Device& device, std::uint64_t seed) {
  if (auto simulated = device.companion()) return simulated;
  const cpu::Topology& machine = cpu::machine();
  if (machine.cores.size() < 2 && device.info().type == device::DeviceType::cpu) {
    throw device::Unsupported("this process may use one core only, which the driver's threads need; allow it two");
  }
  return cpu::chase_on(quiet_core(machine, 0).cpu, chased_memory(seed).at);
}

Shape usual_shape(const device::DeviceInfo& info) {
  const std::uint32_t units = workloads::compute_units_of(info);
  return {
      .group_size = std::min(256u, info.largest_group_size), .groups = 8 * units, .in_flight = 2, .interleaved = true};
}

/// One group a compute unit, and so little for each that three arrays stay in the smallest first cache.
Shape shape_in_first_cache(const device::DeviceInfo& info, Shape shape) {
  shape.groups = workloads::compute_units_of(info);
  shape.in_flight = 1;
  shape.spread = false;
  shape.group_size = std::min(shape.group_size, 128u);
  return shape;
}

/// The point's shape, or else the one that is found for large arrays.
Shape shape_of(device::Device& device, const Point& point, std::uint64_t array_bytes) {
  if (point.shape.contains("groups")) return workloads::shape_of(point.shape);
  if (device.info().type == device::DeviceType::model) return usual_shape(device.info());
  return workloads::search_shape(device, workloads::Pattern::add, workloads::Sharing::separate, 3 * array_bytes,
                                 workloads::SearchDepth::once);
}

/// Stretches that something else hides are made again, so many times as are wanted at most.
constexpr int attempts_a_stretch = 3;
/// What fewer say of their scatter is nothing.
constexpr int fewest_stretches = 3;

/// What the stretches of one point have shown.
class Stretches {
 public:
  [[nodiscard]] int made() const { return static_cast<int>(windows_.visits.size()); }

  /// The windows in which nothing took the thread's core.
  std::vector<ChaseWindow> undisturbed(std::vector<ChaseWindow> windows) {
    seen_ += windows.size();
    std::erase_if(windows, [](const ChaseWindow& one) { return one.interrupted; });
    kept_ += windows.size();
    return windows;
  }

  void add(const std::vector<ChaseWindow>& windows) {
    for (const ChaseWindow& one : windows) {
      windows_.values.push_back(one.ns_per_load);
      if (one.clock_mhz > 0) cycles_.values.push_back(six_digits(one.ns_per_load * one.clock_mhz / 1e3));
    }
    windows_.visits.push_back(windows.size());
  }
  void add_ratio(double times_idle) {
    ratio_.values.push_back(times_idle);
    ratio_.visits.push_back(1);
  }
  void add_moved(double gbps) { moved_.values.push_back(gbps); }

  Repetitions repetitions(bool busy, bool reaches_memory) {
    Repetitions all{.values = windows_.values, .steps = cpu::loads_in_a_window, .visits = windows_.visits};
    all.interrupted = 1 - static_cast<double>(kept_) / static_cast<double>(seen_);
    all.reached["gpu_gbps"] = reaches_memory ? analysis::quantile(moved_.values, 0.5) : 0;
    if (cycles_.values.size() == windows_.values.size()) all.further.push_back(cycles_);
    if (busy) all.further.insert(all.further.end(), {ratio_, moved_});
    return all;
  }

 private:
  Reading windows_{.series = {}, .unit = "ns", .values = {}};
  Reading cycles_{.series = {}, .unit = "cycles", .values = {}};
  Reading ratio_{.series = {}, .unit = "ratio", .values = {}};
  Reading moved_{.series = {{"side", "gpu"}}, .unit = "GB/s", .values = {}};
  std::size_t seen_ = 0;
  std::size_t kept_ = 0;
};

/// A walk of the CPU while the GPU adds arrays and CPU threads read, if any do.
struct WalkBesideGpu {
  std::unique_ptr<device::Companion> companion;
  std::optional<workloads::ThrottledAdd> sum;  ///< none at no load
  std::unique_ptr<CpuLoad> readers;
  bool is_control = false;
  bool quick = false;

  static double median_of(const std::vector<ChaseWindow>& windows) {
    std::vector<double> ns;
    for (const ChaseWindow& one : windows) ns.push_back(one.ns_per_load);
    return analysis::quantile(ns, 0.5);
  }

  /// While it gets faster: a GPU's clock climbs for up to half a second.
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

  Repetitions observe(const std::function<void()>& alive) {
    if (readers) readers->begin();
    const Nanoseconds busy_time(quick ? 40e6 : 50e6);
    const Nanoseconds idle_time(quick ? 15e6 : 25e6);
    (void)companion->chase_for(idle_time);  // wakes the core and fills its translations
    if (sum) warm_up(busy_time, alive);
    Stretches all;
    const int wanted = quick ? 3 : 8;
    for (int attempt = 0; all.made() < wanted && attempt < attempts_a_stretch * wanted; ++attempt) {
      const std::vector<ChaseWindow> idle = all.undisturbed(companion->chase_for(idle_time));
      alive();
      if (idle.empty()) continue;
      if (!sum) {
        all.add(idle);
        continue;
      }
      device::BusyTimes busy;
      const std::vector<ChaseWindow> windows = companion->chase_during([&] { busy = sum->keep_busy(busy_time); });
      if (const auto flaw = sum->flaw()) throw device::Error(*flaw);
      alive();
      const std::vector<ChaseWindow> counted = all.undisturbed(inside(windows, busy));
      if (counted.empty()) continue;
      all.add(counted);
      all.add_ratio(median_of(counted) / median_of(idle));
      for (const double gbps : bandwidths(counted, busy, sum->bytes_per_dispatch())) all.add_moved(gbps);
    }
    if (all.made() < fewest_stretches) {
      throw device::Unsupported(
          std::to_string(all.made()) + " of " + std::to_string(wanted) +
          " stretches of the CPU's walk had windows that were not interrupted" +
          (sum ? " and lay wholly inside a dispatch" : "") +
          ", and three are needed; where other programs have the cores, measure again when those are "
          "idle");
    }
    if (readers) (void)readers->gbps();  // they did run
    return all.repetitions(sum.has_value(), sum && !is_control);
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

void throttle(workloads::ThrottledAdd& sum, double load, const device::DeviceInfo& info) {
  if (info.type == device::DeviceType::model) {
    // Its clock has no noise of short times, and the host works for all that it writes.
    sum.throttle(load, Nanoseconds(20e6), Nanoseconds(0.2e6));
  } else {
    // Long beside a launch and a timer's step, short beside a busy time, of which the first dispatch does not count.
    sum.throttle(load);
  }
}

}  // namespace

Workload walk_beside_gpu(device::Device& device, const Point& point, const Request& request, std::uint64_t array_bytes,
                         std::span<const cpu::Core> readers) {
  const device::DeviceInfo& info = device.info();
  const auto work = std::make_shared<WalkBesideGpu>();
  work->quick = request.effort == Effort::quick;
  work->is_control = point.series == series_of_control();
  work->readers = reading_threads(readers, static_cast<std::size_t>(point.x.at("cpu_threads")));
  work->companion = companion_of(device, request.seed);
  std::map<std::string, double> shape;
  if (const double load = point.x.at("load"); load > 0) {
    Shape chosen = shape_of(device, point, array_bytes);
    shape = named(chosen);
    std::uint64_t bytes = array_bytes;
    if (work->is_control) {
      chosen = shape_in_first_cache(info, chosen);
      bytes = std::uint64_t{chosen.groups} * chosen.block_words() * sizeof(std::uint32_t);
    }
    work->sum.emplace(device, chosen, bytes, request.seed);
    throttle(*work->sum, load, info);
    shape["rounds"] = work->sum->rounds();
  }
  shape["same_silicon"] = info.type == device::DeviceType::cpu ? 1 : 0;
  return {.unit = "ns",
          .has_cycles = false,
          .run = {},
          .flaw = {},
          .value = {},
          .shape = shape,
          .observe = [work](const Limits&, const std::function<void()>& alive) { return work->observe(alive); }};
}

}  // namespace sonde::probes
