#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu/movers.hpp"
#include "cpu/topology.hpp"
#include "device/device.hpp"
#include "probes/contention/curves.hpp"

namespace sonde::probes::contention_probe {

// --- the plan ---

/// The measurement on a curve at a load that was asked for, while no thread of the CPU reads; null where there is none.
const Measurement* at_load(std::span<const Measurement> known, const Curve& curve, double load);

/// One load that was reached: medians.
struct LoadPoint {
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

/// Points still wanted: idle and full load first, as the shape is searched there; then loads evenly between, the
/// control, CPU threads that read (up to `most_threads`; where none can, one point is asked for, so that the record
/// says why), and loads about those where latency has risen by 10 and 50 %.
std::vector<Point> contention_points(const Request& request, std::span<const Measurement> known,
                                     std::optional<std::uint32_t> most_threads);

// --- the reverse: what threads of the CPU cost the GPU ---

/// All points at once: each traffic (read, write, both), with no thread, 1, 2, 4 … and `most_threads`; a `load` of 0 is
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
