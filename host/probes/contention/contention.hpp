#pragma once

#include <array>
#include <chrono>

#include "cpu/movers.hpp"
#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// The CPU's latency while the GPU uses memory, and the reverse.
namespace sonde::probes::contention_probe {

Workload prepare_walk(device::Device& device, const Point& point, const Request& request);
Workload prepare_reverse(device::Device& device, const Point& point, const Request& request);

inline constexpr Table cpu_table{"Latency of the CPU while the GPU works", "cpu_threads, gpu_gbps", "title"};
inline constexpr Table gpu_table{"What threads of the CPU cost the GPU", "pattern, cpu_threads", "title"};

inline constexpr Curve walk_under_load{
    .name = "walk-under-load",
    .words = {.beside = Beside::gpu_load, .pattern = Pattern::add, .side = Side::cpu},
    .title = "Latency of the CPU while the GPU uses memory",
    .unit = units::ns,
    .axis = axes::gpu_gbps,
    .table = &cpu_table,
    .prepare = prepare_walk};
/// The control: the GPU computes as much in its first cache, so that a longer latency is the machine's power or heat.
inline constexpr Curve walk_in_control{.name = "walk-in-control",
                                       .words = {.beside = Beside::nothing, .pattern = Pattern::add, .side = Side::cpu},
                                       .title = "Latency of the CPU while the GPU computes in its first cache",
                                       .unit = units::ns,
                                       .axis = axes::load,
                                       .prepare = prepare_walk};
/// The three that follow are seen at the points of both. A stretch of the walk is compared with the idle one before it.
inline constexpr Curve times_idle_under_load{.name = "times-idle-under-load",
                                             .words = walk_under_load.words,
                                             .title = "Latency as a multiple of that with the GPU idle",
                                             .unit = units::ratio_of_loss,
                                             .axis = axes::load,
                                             .table = &cpu_table};
inline constexpr Curve times_idle_in_control{.name = "times-idle-in-control",
                                             .words = walk_in_control.words,
                                             .title = "Latency in the control as a multiple of that with the GPU idle",
                                             .unit = units::ratio_of_loss,
                                             .axis = axes::load};
inline constexpr Curve gpu_beside_walk{.name = "gpu-beside-walk",
                                       .words = {.pattern = Pattern::add, .side = Side::gpu},
                                       .varies = "beside",
                                       .title = "Bandwidth of the GPU beside the CPU's walk",
                                       .unit = units::gbps,
                                       .axis = axes::load};
/// The windows in cycles of the CPU's own clock, which is read after each. `find_curve` declares them by the curve in
/// ns.
inline constexpr Curve walk_in_cycles{.name = "walk-in-cycles",
                                      .words = {.side = Side::cpu},
                                      .varies = "beside, pattern",
                                      .title = "Latency of the CPU",
                                      .unit = units::cycles};

inline constexpr Curve gpu_latency{.name = "gpu-latency",
                                   .words = {.side = Side::gpu},
                                   .varies = "pattern",
                                   .title = "Latency of the GPU while threads of the CPU use memory",
                                   .unit = units::ns,
                                   .axis = axes::cpu_threads,
                                   .table = &gpu_table,
                                   .prepare = prepare_reverse};
inline constexpr Curve gpu_bandwidth{.name = "gpu-bandwidth",
                                     .words = {.side = Side::gpu},
                                     .varies = "pattern",
                                     .title = "Bandwidth of the GPU while threads of the CPU use memory",
                                     .unit = units::gbps,
                                     .axis = axes::cpu_threads,
                                     .table = &gpu_table,
                                     .prepare = prepare_reverse};
/// Seen at the points of both.
inline constexpr Curve cpu_bandwidth{.name = "cpu-bandwidth",
                                     .words = {.side = Side::cpu},
                                     .varies = "pattern",
                                     .title = "Bandwidth of threads of the CPU beside the GPU",
                                     .unit = units::gbps,
                                     .axis = axes::cpu_threads};

/// The GPU alone stands before the GPU beside a walk, which always says what is `beside`: both may have the same other
/// words, and the first that matches is taken.
inline constexpr std::array curves{&walk_under_load, &walk_in_control, &times_idle_under_load, &times_idle_in_control,
                                   &gpu_latency,     &gpu_bandwidth,   &gpu_beside_walk,       &cpu_bandwidth};

inline constexpr FindingKind idle_latency{.name = "idle-latency",
                                          .heading = "Latency without load",
                                          .meaning = "The time of a load of the CPU with the GPU idle.",
                                          .unit = units::ns,
                                          .feature = "CPU latency without load"};
inline constexpr FindingKind full_load_latency{
    .name = "full-load-latency",
    .heading = "Latency under full load",
    .meaning = "The time of a load of the CPU while the GPU moves as much as it can.",
    .unit = units::ns,
    .feature = "CPU latency under full load"};
inline constexpr FindingKind load_for_10_percent{
    .name = "load-for-10-percent",
    .heading = "Load that adds 10 % to the latency",
    .meaning = "The bandwidth of the GPU from which on a load of the CPU takes 10 % longer; no value if it never does.",
    .unit = units::gbps};
inline constexpr FindingKind load_for_50_percent{
    .name = "load-for-50-percent",
    .heading = "Load that adds 50 % to the latency",
    .meaning = "The bandwidth of the GPU from which on a load of the CPU takes 50 % longer; no value if it never does.",
    .unit = units::gbps};
inline constexpr FindingKind cpu_loss{
    .name = "cpu-loss",
    .heading = "What the CPU loses",
    .meaning = "The share of its loads that the CPU loses while the GPU moves as much as it can.",
    .unit = units::ratio_of_loss,
    .feature = "CPU loss",
    .compared = Comparison::by_difference};
inline constexpr FindingKind gpu_loss{
    .name = "gpu-loss",
    .heading = "What the GPU loses",
    .meaning = "The share of its bandwidth that the GPU loses while the most threads of the CPU use memory.",
    .unit = units::ratio_of_loss,
    .named_by = "pattern",
    .feature = "GPU loss",
    .compared = Comparison::by_difference};

inline constexpr std::array finding_kinds{&idle_latency,        &full_load_latency, &load_for_10_percent,
                                          &load_for_50_percent, &cpu_loss,          &gpu_loss};

// --- the plan ---

/// One load that was reached: medians.
struct LoadPoint {
  double load = 0;  ///< as it was asked for
  double gpu_gbps = 0;
  double latency_ns = 0;
  /// The latency as a multiple of that right before with the GPU idle: free of what the machine does slowly meanwhile.
  double times_idle = 1;
  const Measurement* measurement = nullptr;
  const Measurement* pairs = nullptr;  ///< what `times_idle` is the median of, where it is
};
/// The walk under load with no CPU threads reading, by bandwidth.
std::vector<LoadPoint> load_curve(std::span<const Measurement> known);

/// The bandwidth from which on latency is so many times the idle one at every load, on the line between the points
/// about it; nothing where it is not at the highest.
std::optional<double> load_for(std::span<const LoadPoint> curve, double times);

/// The next new points: idle and full load first, as the shape is searched there; then loads evenly between and the
/// control, loads about those where latency has risen by 10 and 50 %, and CPU threads that read (up to `most_threads`;
/// where none can, one point is asked for, so that the record says why).
std::vector<Point> contention_points(const Request& request, std::span<const Measurement> known,
                                     std::optional<std::uint32_t> most_threads);

// --- the reverse: what threads of the CPU cost the GPU ---

/// All points at once: each traffic (both, read, write), with no thread, `most_threads`, and 1, 2, 4 … between; at the
/// first look both ways and most threads alone; a `load` of 0 is
/// a lone walk on the GPU, 1 its full bandwidth. `shape` is that of the stream at full load.
std::vector<Point> reverse_points(const Request& request, std::uint32_t most_threads, const Shape& shape);

/// Works over `bytes`, while as many of the cores as the point says move memory.
/// Throws device::Unsupported where there are too few.
Workload reverse_workload(device::Device& device, const Point& point, const Request& request, std::uint64_t bytes,
                          std::span<const cpu::Core> cores);

/// `gpu-loss`, one for each traffic.
std::vector<Finding> reverse_findings(std::span<const Measurement> measurements);

// --- the walk ---

/// The CPU's walk beyond its caches at the point's load: beside the GPU's addition of three arrays of `array_bytes`, or
/// of small ones in the control, and beside as many reading threads as the point says, on some of `readers`.
/// Throws device::Unsupported where cores are too few.
Workload walk_beside_gpu(device::Device& device, const Point& point, const Request& request, std::uint64_t array_bytes,
                         std::span<const cpu::Core> readers);

/// The windows that lie wholly inside one dispatch, however the device's clock truly lies on the host's. The first
/// dispatch does not count: caches, clocks and queues come to rest in it.
std::vector<device::ChaseWindow> inside(std::span<const device::ChaseWindow> windows, const device::BusyTimes& busy);

/// Bandwidth of each dispatch in which such a window lies, in GB/s.
std::vector<double> bandwidths(std::span<const device::ChaseWindow> inside, const device::BusyTimes& busy,
                               double bytes_per_dispatch);

/// Threads of the CPU that move memory beyond every cache as fast as they can, each on a core of its own.
class CpuLoad {
 public:
  /// Returns once all of them move something. Throws device::Unsupported where the system does not let them.
  CpuLoad(std::span<const cpu::Core> cores, cpu::StreamDirection traffic);

  /// Begins the time that `gbps` is of.
  void begin();
  /// Read and written together since then. Throws device::Unsupported where some thread did not run at all.
  [[nodiscard]] double gbps() const;

 private:
  std::vector<std::unique_ptr<cpu::Streamer>> threads_;
  std::vector<std::uint64_t> moved_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace sonde::probes::contention_probe
