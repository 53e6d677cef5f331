// Question: what do the GPU and the CPU pay to reach memory of each kind?
//
// Experiment: in every kind of memory that the driver has, the walk of the latency probe (a random cycle over lines,
// one load after the other) over working sets from a few caches' size to beyond them all, and the streams of the
// bandwidth probe, reading and writing; their shape is looked for in the first kind and taken over by the others, as
// memories are compared and not shapes. `writer` says who wrote the working set last: the CPU through its view of
// the memory, or a kernel, as some caches take in only what the GPU wrote. Then the CPU walks, reads and writes the
// same kinds through its view (side cpu), one thread, by the host's clock (the records' state.shape says so). The first
// kind is what any buffer is made of, and what the others are held against. Last, a round trip (direction both): the
// CPU signals the device and sees its answer, in OpenCL through a word of fine-grained shared memory at which a running
// kernel looks, in Vulkan through a timeline semaphore.
//
// How to read the curve: a kind whose curve lies on the first one's is like device memory. One that is at its highest
// latency while the first is still served by a cache bypasses that cache. About a microsecond is a bus between two
// chips. A CPU that reads at less than a gigabyte a second reads memory that is not cached for it, as write-combined
// memory is.

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "analysis/levels/memory_distance.hpp"
#include "analysis/statistics.hpp"
#include "gpu/error.hpp"
#include "probes/catalog.hpp"
#include "probes/host_memory/plan.hpp"
#include "workloads/chases.hpp"
#include "workloads/mapped_access.hpp"
#include "workloads/memory_kinds.hpp"
#include "workloads/shape_search.hpp"
#include "workloads/stream.hpp"

namespace sonde::probes {
namespace {

using workloads::CpuPattern;
using workloads::Placement;
using workloads::SearchDepth;
using workloads::Sharing;
using workloads::Writer;

/// No CPU of today reads memory that it caches so slowly, one thread and in order.
constexpr double slow_read_gbps = 1.0;
/// Nor so much more slowly than memory of another kind on the same machine.
constexpr double slow_share = 0.25;

bool is_simulated(const gpu::DeviceInfo& device) { return device.type == gpu::DeviceType::model; }

Workload round_trip(gpu::Device& device) {
  constexpr std::uint32_t count = 300;
  constexpr std::uint32_t untimed = 20;
  const auto observe = [&device](const Limits&, const std::function<void()>& alive) {
    Repetitions result;
    const std::vector<gpu::Nanoseconds> times = device.round_trips(untimed + count);
    alive();
    for (std::size_t i = untimed; i < times.size(); ++i) result.values.push_back(times[i].count() / 1e3);
    return result;
  };
  return {.unit = "us", .has_cycles = false, .shape = {{"host_clock", 1}}, .observe = observe};
}

Workload prepare(gpu::Device& device, const Point& point, const Request& request) {
  if (point.series == round_trip_series()) return round_trip(device);
  const Placement placement = workloads::placement_of(point.series);
  const gpu::MemoryKind& kind = gpu::memory_kind(device.info(), placement.memory);
  const auto bytes = static_cast<std::uint64_t>(point.x.at("bytes"));
  const bool streams = point.series.contains("pattern");
  if (has(point.series, "side", "cpu")) {
    if (const std::string reason = workloads::why_not_shared(kind); !reason.empty()) throw gpu::Unsupported(reason);
    if (!streams) return workloads::cpu_chase(device, placement, bytes, request.line_bytes, request.seed);
    const CpuPattern pattern = has(point.series, "pattern", "read") ? CpuPattern::read : CpuPattern::write;
    return workloads::cpu_stream(device, placement, pattern, bytes, request.seed);
  }
  if (!streams) {
    return workloads::cycle_chase(device, static_cast<std::uint32_t>(bytes / request.line_bytes), request.line_bytes,
                                  request.seed, workloads::Path::vector, placement);
  }
  const workloads::Pattern pattern = workloads::pattern_of(point.series);
  // A simulated device's rates are what its file says, in whatever shape.
  const auto depth = is_simulated(device.info())       ? SearchDepth::none
                     : request.effort == Effort::quick ? SearchDepth::usual
                                                       : SearchDepth::once;
  const workloads::Shape shape = point.shape.empty()
                                     ? workloads::search_shape(device, pattern, Sharing::separate, bytes, depth)
                                     : workloads::fitted(workloads::shape_of(point.shape), Sharing::separate, bytes);
  return workloads::stream(device, pattern, Sharing::separate, shape, bytes, request.seed, placement);
}

template <typename... Numbers>
std::string text(const char* format, Numbers... numbers) {
  std::array<char, 400> line{};
  std::snprintf(line.data(), line.size(), format, numbers...);
  return line.data();
}

/// What the GPU sees of one kind beside the first.
void find_distance(const Placement& placement, const std::string& first, const analysis::MemoryDistance& distance,
                   Conclusion& conclusion) {
  const std::string size = size_text(distance.bytes);
  const std::string seen = text("Over %s a load takes %.3g ns in %s memory and %.3g ns in %s memory", size.c_str(),
                                distance.other_ns, placement.memory.c_str(), distance.own_ns, first.c_str());
  const auto add = [&](const char* name, double value, const char* unit, const std::string& evidence) {
    conclusion.findings.push_back(
        {.series = series_of(placement), .name = name, .value = six_digits(value), .unit = unit, .evidence = evidence});
  };
  if (distance.is_across_a_bus) {
    add("across-the-bus", distance.other_ns, "ns", seen + ": so much more that there is a bus between.");
  }
  if (distance.bypassed_bytes) {
    add("bypasses-last-level-cache", distance.other_ns, "ns",
        seen + ", but already at " + size_text(*distance.bypassed_bytes) +
            " the former is that slow, where a cache still serves the latter.");
  }
  if (distance.is_alike)
    add("like-device-memory", distance.other_ns, "ns", seen + ", and much the same at the smaller sizes.");
}

void find_slow(const std::map<std::string, double>& read_gbps, Conclusion& conclusion) {
  double best = 0;
  for (const auto& [memory, gbps] : read_gbps) best = std::max(best, gbps);
  for (const auto& [memory, gbps] : read_gbps) {
    if (gbps > slow_read_gbps && gbps > slow_share * best) continue;
    conclusion.findings.push_back(
        {.series = {{"memory", memory}, {"side", "cpu"}},
         .name = "slow-for-the-cpu",
         .value = six_digits(gbps),
         .unit = "GB/s",
         .evidence =
             text("The CPU reads %s memory through its view at %.3g GB/s, one thread; the fastest kind gives it %.3g.",
                  memory.c_str(), gbps, best)});
  }
}

void find_round_trip(const Measurement& one, Conclusion& conclusion) {
  const double half = analysis::quantile(one.values, 0.5);
  const double most = analysis::quantile(one.values, 0.99);
  conclusion.findings.push_back({.series = one.point.series,
                                 .name = "round-trip",
                                 .value = six_digits(half),
                                 .unit = "us",
                                 .evidence = text("From the CPU to the device and back takes %.3g us in the median of "
                                                  "%.0f times, and at most %.3g in 99 of 100.",
                                                  half, static_cast<double>(one.values.size()), most)});
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  std::map<std::map<std::string, std::string>, analysis::LatencyBySize> latencies;
  std::map<std::string, double> cpu_read_gbps;  // at the largest size
  std::map<std::string, double> cpu_read_bytes;
  std::string first;  // as the plan has it first
  Conclusion conclusion;
  for (const Measurement& one : measurements) {
    if (one.point.series == round_trip_series()) {
      find_round_trip(one, conclusion);
      continue;
    }
    const Placement placement = workloads::placement_of(one.point.series);
    if (first.empty()) first = placement.memory;
    const double bytes = one.point.x.at("bytes");
    if (has(one.point.series, "side", "cpu")) {
      if (!has(one.point.series, "pattern", "read") || bytes < cpu_read_bytes[placement.memory]) continue;
      cpu_read_bytes[placement.memory] = bytes;
      cpu_read_gbps[placement.memory] = median_of(one);
    } else if (one.unit == "ns") {
      latencies[series_of(placement)][bytes] = median_of(one);
    }
  }
  for (const auto& [series, curve] : latencies) {
    const Placement placement = workloads::placement_of(series);
    if (placement.memory == first) continue;
    const auto own = latencies.find(workloads::series_of({.memory = first, .writer = placement.writer}));
    // Memory that the CPU cannot write is held against by what the GPU wrote.
    const auto beside =
        own != latencies.end() ? own : latencies.find(workloads::series_of({.memory = first, .writer = Writer::gpu}));
    if (beside == latencies.end()) continue;
    if (const auto distance = analysis::compare_memories(beside->second, curve)) {
      find_distance(placement, first, *distance, conclusion);
    }
  }
  find_slow(cpu_read_gbps, conclusion);
  return conclusion;
}

}  // namespace

const Probe host_memory{.name = "host-memory",
                        .question = "What do the GPU and the CPU pay to reach memory of each kind?",
                        .obstacle = workloads::without_memory_kinds,
                        .next = host_memory_points,
                        .prepare = prepare,
                        .conclude = conclude,
                        // The other kinds' streams come later.
                        .all_over_first = [](Effort) { return 1.4; }};

}  // namespace sonde::probes
