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
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/host_memory/comparison.hpp"
#include "probes/host_memory/plan.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/stream/mapped_access.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/stream/shape_search.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes {
namespace {

using workloads::CpuPattern;
using workloads::Placement;
using workloads::SearchDepth;
using workloads::Sharing;

Workload round_trip(device::Device& device) {
  constexpr std::uint32_t count = 300;
  constexpr std::uint32_t untimed = 20;
  const auto observe = [&device](const Limits&, const std::function<void()>& alive) {
    Repetitions result;
    const std::vector<device::Nanoseconds> times = device.round_trips(untimed + count);
    alive();
    for (std::size_t i = untimed; i < times.size(); ++i) result.values.push_back(times[i].count() / 1e3);
    return result;
  };
  return {.unit = "us", .has_cycles = false, .shape = {{"host_clock", 1}}, .observe = observe};
}

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  if (point.series == round_trip_series()) return round_trip(device);
  const Placement placement = workloads::placement_of(point.series);
  const device::MemoryKind& kind = device::memory_kind(device.info(), placement.memory);
  const auto bytes = static_cast<std::uint64_t>(point.x.at("bytes"));
  const bool streams = point.series.contains("pattern");
  if (has(point.series, "side", "cpu")) {
    if (const std::string reason = workloads::why_not_shared(kind); !reason.empty()) throw device::Unsupported(reason);
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

/// The plan's points, then further visits to the kinds of which the visits so far disagree.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points = host_memory_points(device, request, known);
  if (known.empty()) return points;
  const std::set<std::string> open = compare_kinds(known).open;
  const auto is_open = [&](const Measurement& one) { return open.contains(workloads::memory_of(one.point.series)); };
  std::ranges::move(measure::more_visits(known, is_open), std::back_inserter(points));
  return points;
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  return compare_kinds(measurements).conclusion;
}

}  // namespace

const Probe host_memory{.name = "host-memory",
                        .question = "What do the GPU and the CPU pay to reach memory of each kind?",
                        .obstacle = workloads::without_memory_kinds,
                        .next = next,
                        .prepare = prepare,
                        .conclude = conclude,
                        // The other kinds' streams come later.
                        .all_over_first = [](Effort) { return 1.4; }};

}  // namespace sonde::probes
