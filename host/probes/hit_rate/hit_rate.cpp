// Question: how often does the last cache before memory, such as AMD's Infinity Cache, serve a load?
//
// Experiment: one work-item loads lines in uniformly random order, each load dependent on the one before (the latency
// probe's walk of order independent). Whatever a cache's policy, it then serves as large a share of the loads as it
// holds of the working set; so bytes times nanoseconds, the sum over all lines, is a straight line between the sizes of
// two caches, and its slope is what the next cache takes. A sweep over all sizes shows the caches. Then footprints from
// a third of the last one to eight times as much are measured again and again, in what any buffer is made of and in
// each other kind of memory: inside they tell what a hit takes, beyond what a miss takes and how that grows, and where
// both lines meet is what the cache holds. The share of hits at each footprint is where its latency lies between a
// hit's and a miss's, without what the caches before have served.
//
// Where counters see the bytes at the fabric and at memory, they tell the share of hits too: of the same walk, beside
// what its time says, and of streams that read, write and do both, of which time says nothing.
//
// How to read the curve: near 1 up to the cache's size, then size over working set. A share that stays below that curve
// is a cache that not all of the memory may use; one that is near 0 throughout, memory that bypasses it.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "probes/catalog.hpp"
#include "probes/hit_rate/by_counters.hpp"
#include "probes/hit_rate/conclusion.hpp"
#include "probes/hit_rate/plan.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  if (is_by_counters(point.series)) return counted_stream(device, point, request);
  const auto lines = static_cast<std::uint32_t>(point.x.at("bytes") / request.line_bytes);
  const workloads::Placement placement =
      point.series == series_of_timing() ? workloads::Placement{} : workloads::placement_of(point.series);
  Workload workload = workloads::independent_chase(device, lines, request.line_bytes, request.seed, placement);
  // Warm-up goes on while laps get faster, and the cache of a large working set is full long before all of it was read.
  constexpr std::uint64_t few_lines = 1 << 17;
  workload.lap = std::max<std::uint64_t>(lines / 4, std::min<std::uint64_t>(lines, few_lines));
  return workload;
}

}  // namespace

const Probe hit_rate{
    .name = "hit-rate",
    .question = "How often does the last cache before memory, such as an Infinity Cache, serve a load?",
    .obstacle = [](const device::DeviceInfo&) { return std::optional<std::string>(); },
    .next = hit_rate_points,
    .prepare = prepare,
    .conclude = conclude_hit_rate,
    // The closer look comes after the sweep.
    .all_over_first = [](Effort effort) { return effort == Effort::quick ? 2.0 : 4.0; },
    .wants_hit_rates = true};

}  // namespace sonde::probes
