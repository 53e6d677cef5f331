// Question: how much longer does the CPU wait for memory while the GPU uses it?
//
// Experiment: a thread on a core of its own follows pointers through memory beyond every cache, in windows of 1024
// loads, while the GPU runs C = A + B over large arrays, dispatch behind dispatch. Arithmetic on the sum before it is
// written dials how much of its bandwidth the GPU uses. Only windows count that lie wholly inside one dispatch, by the
// device's own timestamps laid on the host's clock; the bandwidth is that of the dispatches in which they lie. Idle and
// loaded stretches alternate at every load, so that no slow change of the machine can be taken for contention. The
// control is the same arithmetic on arrays so small that the GPU's first cache holds them: what is left of the effect
// there is power or heat, not memory. After every window the CPU tells its own clock by a chain of additions: the
// windows are there in cycles too.
//
// The reverse: the GPU's own latency and bandwidth while threads of the CPU read, write or do both.
//
// How to read the curve: flat while memory has room for both, then a knee. On a CPU that is measured as a device the
// GPU and the CPU are the same silicon: the driver's threads have the other cores, and the curve shows what cores do to
// each other.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/statistics.hpp"
#include "cpu/companion.hpp"
#include "cpu/topology.hpp"
#include "gpu/error.hpp"
#include "probes/catalog.hpp"
#include "probes/contention/cpu_load.hpp"
#include "probes/contention/number_text.hpp"
#include "probes/contention/plan.hpp"
#include "probes/contention/reverse.hpp"
#include "probes/contention/windows.hpp"
#include "workloads/cpu_walk.hpp"
#include "workloads/shape_search.hpp"
#include "workloads/throttled_add.hpp"

namespace sonde::probes {
namespace {

using gpu::ChaseWindow;
using gpu::Nanoseconds;
using measure::Effort;
using measure::Measurement;
using measure::Point;
using measure::Repetitions;
using measure::Request;
using workloads::PointerCycle;
using workloads::Shape;

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr std::uint64_t least_chased_bytes = 256 * mebibyte;
constexpr std::uint64_t most_chased_bytes = 512 * mebibyte;
constexpr std::uint64_t array_bytes =
    64 * mebibyte;  ///< of a CPU device and of a simulation: large ones take time to fill
constexpr std::uint64_t array_bytes_of_gpus = 256 * mebibyte;

bool is_gpu(const gpu::DeviceInfo& info) {
  return info.type == gpu::DeviceType::discrete || info.type == gpu::DeviceType::integrated;
}

std::optional<std::string> obstacle(const gpu::DeviceInfo&) { return std::nullopt; }

/// Cores on which threads may read: not the chasing one's, nor the last, which the driver needs.
std::vector<cpu::Core> readers_of(const gpu::DeviceInfo& device) {
  if (device.type == gpu::DeviceType::model) return {};
  const cpu::Topology& machine = cpu::machine();
  std::vector<cpu::Core> others = beside(machine, quiet_core(machine, 0));
  if (!others.empty()) others.pop_back();
  // A CPU device's own threads have these cores.
  if (!is_gpu(device)) others.clear();
  return others;
}

/// Cores on which threads may move memory while nothing walks: all but the last, which the driver needs, and of a CPU
/// device the one that was taken from it.
std::vector<cpu::Core> movers_of(const gpu::DeviceInfo& device) {
  const cpu::Topology& machine = cpu::machine();
  std::vector<cpu::Core> cores{quiet_core(machine, 0)};
  if (machine.cores.size() < 2) return {};
  const std::vector<cpu::Core> readers = readers_of(device);
  cores.insert(cores.end(), readers.begin(), readers.end());
  return cores;
}

/// Whether the user's --sizes have room for arrays beyond every cache.
bool allows_large_arrays(const Request& request) {
  return request.largest_bytes.value_or(~0ull) >= array_bytes && request.smallest_bytes.value_or(0) <= 3 * array_bytes;
}

const Measurement* at_load(std::span<const Measurement> measurements, const std::map<std::string, std::string>& series,
                           const std::string& unit, double load) {
  for (const Measurement& one : measurements) {
    const bool here = one.unit == unit && one.point.series == series && one.point.x.at("load") == load;
    if (here && one.point.x.at("cpu_threads") == 0) return &one;
  }
  return nullptr;
}

std::vector<Point> next(const gpu::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  // One point says why nothing is measured.
  if (!allows_large_arrays(request))
    return known.empty() ? std::vector{contention_points(request, {}, 0u).back()} : std::vector<Point>{};
  if (device.type == gpu::DeviceType::model) return contention_points(request, known, std::nullopt);
  std::vector<Point> points = contention_points(request, known, static_cast<std::uint32_t>(readers_of(device).size()));
  const Measurement* full = at_load(known, series_of_load(), "ns", 1);
  if (full == nullptr) return points;
  for (Point& point :
       reverse_points(request, static_cast<std::uint32_t>(movers_of(device).size()), full->state.shape)) {
    points.push_back(std::move(point));
  }
  return points;
}

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
    const cpu::Pages pages = cpu::has_huge_pages() ? cpu::Pages::huge : cpu::Pages::small;
    constexpr std::uint32_t line_bytes = 64;
    return ChasedMemory{PointerCycle(static_cast<std::uint32_t>(bytes / line_bytes), line_bytes, pages, seed)};
  }();
  return memory;
}

std::unique_ptr<gpu::Companion> companion_of(gpu::Device& device, std::uint64_t seed) {
  if (auto simulated = device.companion()) return simulated;
  const cpu::Topology& machine = cpu::machine();
  if (machine.cores.size() < 2 && !is_gpu(device.info())) {
    throw gpu::Unsupported("this process may use one core only, which the driver's threads need; allow it two");
  }
  return cpu::chase_on(quiet_core(machine, 0).cpu, chased_memory(seed).at);
}

std::uint64_t array_bytes_of(gpu::Device& device) {
  const std::uint64_t wanted = is_gpu(device.info()) ? array_bytes_of_gpus : array_bytes;
  return std::min(wanted, device.available_bytes() / 8);
}

Shape usual_shape(const gpu::DeviceInfo& info) {
  const std::uint32_t units = workloads::compute_units_of(info);
  return {
      .group_size = std::min(256u, info.largest_group_size), .groups = 8 * units, .in_flight = 2, .interleaved = true};
}

/// One group a compute unit, and so little for each that three arrays stay in the smallest first cache.
Shape shape_in_first_cache(const gpu::DeviceInfo& info, Shape shape) {
  shape.groups = workloads::compute_units_of(info);
  shape.in_flight = 1;
  shape.spread = false;
  shape.group_size = std::min(shape.group_size, 128u);
  return shape;
}

struct Contention {
  std::unique_ptr<gpu::Companion> companion;
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
      const gpu::Busy last = sum->keep_busy(stretch).dispatches.back();
      alive();
      const double ns = (last.end - last.begin).count();
      if (number > 0 && ns > faster * before_ns) return;
      before_ns = ns;
    }
  }

  Repetitions observe(const std::function<void()>& alive) {
    if (readers) readers->begin();
    const int pairs = quick ? 3 : 8;  // of 8 no pair is left out of the interval that holds the median 95 times of 100
    const Nanoseconds busy_time(quick ? 40e6 : 50e6);
    const Nanoseconds idle_time(quick ? 15e6 : 25e6);
    Repetitions all;
    measure::Reading cycles{.series = {}, .unit = "cycles", .values = {}};
    measure::Reading ratio{.series = {}, .unit = "ratio", .values = {}};
    measure::Reading moved{.series = {{"side", "gpu"}}, .unit = "GB/s", .values = {}};
    const auto add = [&](const std::vector<ChaseWindow>& windows) {
      for (const ChaseWindow& one : windows) {
        all.values.push_back(one.ns_per_load);
        if (one.clock_mhz > 0) cycles.values.push_back(measure::six_digits(one.ns_per_load * one.clock_mhz / 1e3));
      }
    };
    (void)companion->chase_for(idle_time);  // wakes the core and fills its translations
    if (sum) warm_up(busy_time, alive);
    for (int pair = 0; pair < pairs; ++pair) {
      const std::vector<ChaseWindow> idle = companion->chase_for(idle_time);
      alive();
      if (!sum) {
        add(idle);
        continue;
      }
      gpu::BusyTimes busy;
      const std::vector<ChaseWindow> windows = companion->chase_during([&] { busy = sum->keep_busy(busy_time); });
      if (const auto flaw = sum->flaw()) throw gpu::Error(*flaw);
      alive();
      const std::vector<ChaseWindow> counted = inside(windows, busy);
      if (counted.empty() || idle.empty()) continue;
      add(counted);
      ratio.values.push_back(median_of(counted) / median_of(idle));
      for (const double gbps : bandwidths(counted, busy, sum->bytes_per_dispatch())) moved.values.push_back(gbps);
    }
    constexpr std::size_t fewest_windows = 3;
    if (all.values.size() < fewest_windows) {
      const std::string stretches = all.values.empty() ? "no stretch" : "hardly a stretch";
      throw gpu::Unsupported(stretches +
                             " of the CPU's walk lay wholly inside a dispatch, so nothing is known of its time then; "
                             "where other programs have the cores, measure again when those are idle");
    }
    if (readers) (void)readers->gbps();  // they did run
    all.steps = 1024;
    all.reached["gpu_gbps"] = sum && !is_control ? analysis::quantile(moved.values, 0.5) : 0;
    if (cycles.values.size() == all.values.size()) all.further.push_back(cycles);
    if (sum) all.further.push_back(ratio);
    if (sum) all.further.push_back(moved);
    return all;
  }
};

measure::Workload prepare(gpu::Device& device, const Point& point, const Request& request) {
  const gpu::DeviceInfo& info = device.info();
  if (!allows_large_arrays(request)) {
    throw gpu::Unsupported("its arrays have to lie beyond every cache, and --sizes leaves such out; include 64 MiB");
  }
  if (is_reverse(point)) {
    // Of a walk a lap of one array is long enough.
    const std::uint64_t arrays = point.x.at("load") == 0 ? 1 : 3;
    return reverse_workload(device, point, request, arrays * array_bytes_of(device), movers_of(info));
  }
  const auto work = std::make_shared<Contention>();
  work->quick = request.effort == Effort::quick;
  work->is_control = point.series == series_of_control();
  const auto threads = static_cast<std::size_t>(point.x.at("cpu_threads"));
  if (threads > 0) {
    const std::vector<cpu::Core> cores = readers_of(info);
    if (cores.size() < threads) {
      throw gpu::Unsupported(
          "of the " + std::to_string(cpu::machine().cores.size()) +
          " cores that this process may use one walks and the others are the device's, so that none is left "
          "to read");
    }
    work->readers = std::make_unique<CpuLoad>(std::span(cores).first(threads), cpu::Traffic::read);
  }
  work->companion = companion_of(device, request.seed);
  std::map<std::string, double> shape;
  const double load = point.x.at("load");
  if (load > 0) {
    const std::uint64_t bytes = array_bytes_of(device);
    Shape chosen = usual_shape(info);
    if (point.shape.contains("groups")) {
      chosen = workloads::shape_of(point.shape);
    } else if (info.type != gpu::DeviceType::model) {
      chosen = workloads::search_shape(device, workloads::Pattern::add, workloads::Sharing::apart, 3 * bytes,
                                       workloads::Thoroughness::once);
    }
    shape = workloads::named(chosen);
    if (work->is_control) {
      chosen = shape_in_first_cache(info, chosen);
      work->sum.emplace(device, chosen, std::uint64_t{chosen.groups} * chosen.block_words() * sizeof(std::uint32_t),
                        request.seed);
    } else {
      work->sum.emplace(device, chosen, bytes, request.seed);
    }
    if (info.type == gpu::DeviceType::model) {
      // Its clock has no noise of short times, and the host works for all that it writes.
      work->sum->throttle(load, Nanoseconds(20e6), Nanoseconds(0.2e6));
    } else {
      // Long beside a launch and a timer's step, short beside a busy time, of which the first dispatch does not count.
      work->sum->throttle(load);
    }
    shape["rounds"] = work->sum->rounds();
  }
  shape["same_silicon"] = info.type == gpu::DeviceType::cpu ? 1 : 0;
  return {
      .unit = "ns",
      .has_cycles = false,
      .run = {},
      .flaw = {},
      .value = {},
      .shape = shape,
      .observe = [work](const measure::Limits&, const std::function<void()>& alive) { return work->observe(alive); }};
}

measure::Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  measure::Conclusion conclusion;
  conclusion.findings = reverse_findings(measurements);
  const std::vector<LoadPoint> curve = load_curve(measurements);
  if (curve.size() < 2) return conclusion;
  const auto add = [&](const char* name, std::optional<double> value, const char* unit, const std::string& evidence) {
    conclusion.findings.push_back(
        {.series = series_of_load(), .name = name, .value = value, .unit = unit, .evidence = evidence});
  };
  const Measurement* full = at_load(measurements, series_of_load(), "ns", 1);
  const bool same_silicon = full != nullptr && full->state.shape.at("same_silicon") != 0;
  const std::string where = same_silicon ? " Here the GPU is a driver on the same CPU's other cores." : "";
  add("idle-latency", curve.front().latency_ns, "ns",
      "With the GPU idle half of the CPU's windows took less than " + number_text(curve.front().latency_ns, "ns") +
          " a load." + where);
  add("full-load-latency", curve.back().latency_ns, "ns",
      "While the GPU moved " + number_text(curve.back().gpu_gbps, "GB/s") +
          ", the most it was brought to, a load took " + number_text(curve.back().latency_ns, "ns") + ".");
  for (const auto& [name, times] : {std::pair("load-for-10-percent", 1.1), std::pair("load-for-50-percent", 1.5)}) {
    const std::optional<double> gbps = load_for(curve, times);
    const std::string percent = times < 1.3 ? "10 %" : "50 %";
    add(name, gbps, "GB/s",
        gbps ? "Latency is " + percent + " above idle from " + number_text(*gbps, "GB/s") + " of the GPU on."
             : "Up to " + number_text(curve.back().gpu_gbps, "GB/s") + " of the GPU latency never rose by " + percent +
                   ".");
  }
  if (const Measurement* pairs = at_load(measurements, series_of_load(), "ratio", 1);
      pairs != nullptr && pairs->values.size() > 1) {
    const double ratio = analysis::quantile(pairs->values, 0.5);
    const analysis::Interval interval = analysis::median_interval(pairs->values);
    std::string evidence = "At full load the CPU's loads took " + number_text(ratio, "times") +
                           " as long as right before, with the GPU idle (" + number_text(interval.low, "to ") +
                           number_text(interval.high, "in pairs of stretches") + ").";
    if (const Measurement* control = at_load(measurements, series_of_control(), "ratio", 1)) {
      evidence +=
          " With arrays in the GPU's first cache: " + number_text(analysis::quantile(control->values, 0.5), "times") +
          ".";
    }
    add("cpu-loss", 1 - 1 / ratio, "ratio", evidence);
  }
  return conclusion;
}

}  // namespace

const measure::Probe contention{
    .name = "contention",
    .question = "How much longer does the CPU wait for memory while the GPU uses it?",
    .obstacle = obstacle,
    .next = next,
    .prepare = prepare,
    .conclude = conclude,
    .all_over_first = [](measure::Effort effort) { return effort == measure::Effort::quick ? 5.0 : 9.0; },
    .spares_a_core = true};

}  // namespace sonde::probes
