// Question: how many gigabytes a second does the CPU itself read and write, by working set and by number of threads?
//
// Experiment: threads on a core each stream arrays of their own, the streams of STREAM and a few more: read (a sum),
// write, copy, scale, add, triad, read-modify-write, and two that read two or three lines for each that they write.
// They use the widest vectors that the processor has, as many in a trip of the loop as are found to be the fastest at
// each point; to write past the caches those of half the width where these are faster. All begin together, and the time
// is that of the slowest. What is written is written by ordinary stores, or past the caches by non-temporal ones.
// Threads fill one cluster after the other (compact), or take turns over nodes and clusters (spread). Where there are
// several NUMA nodes, all cores of each also read the memory of each, and all nodes at once that of the next one.
//
// Two ways to count: what the program reads and writes, as STREAM counts; and what the bus moves beyond the caches if a
// line is read before it is written, as ordinary stores have it on most processors. The latter is arithmetic, not
// counted.
//
// How to read the curve: a step down at the end of each cache. In memory, a few threads get nearly all that there is.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/error.hpp"
#include "measure/stopping.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_bandwidth/findings.hpp"
#include "probes/cpu_bandwidth/nodes.hpp"
#include "probes/cpu_bandwidth/plan.hpp"
#include "probes/cpu_bandwidth/team.hpp"
#include "probes/cpu_bandwidth/undisturbed.hpp"
#include "workloads/cpu/node_pairs.hpp"

namespace sonde::probes {
namespace {

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::model) return "a simulated GPU has no CPU whose memory could be streamed";
  if (device.api != device::Api::cpu) return "this is asked of the CPU itself, not through a driver";
  return std::nullopt;
}

std::vector<Point> next(const device::DeviceInfo&, const Request& request, std::span<const Measurement>) {
  std::vector<Point> points = cpu_bandwidth_points(cpu::machine(), request);
  std::ranges::move(node_bandwidth_points(cpu::machine(), request), std::back_inserter(points));
  return points;
}

/// A byte a nanosecond is a GB/s.
std::vector<double> gbps(double bytes, const std::vector<double>& pass_ns) {
  std::vector<double> values;
  for (const double nanoseconds : pass_ns) values.push_back(bytes / nanoseconds);
  return values;
}

/// Of the widest vectors; where stores go past the caches of the next width too. No load or store of these is what
/// limits then, and on Zen 4 halves of lines get to memory up to a seventh faster than whole ones.
std::vector<const cpu::StreamKernels*> kernels_to_try(cpu::Stores stores) {
  std::vector<std::span<const cpu::StreamKernels>> widths = cpu::stream_kernels();
  widths.resize(std::min<std::size_t>(widths.size(), stores == cpu::Stores::non_temporal ? 2 : 1));
  std::vector<const cpu::StreamKernels*> all;
  for (const std::span<const cpu::StreamKernels> of_a_width : widths) {
    for (const cpu::StreamKernels& kernels : of_a_width) all.push_back(&kernels);
  }
  return all;
}

/// Those that a point asks for, which an earlier visit found, or the fastest.
const cpu::StreamKernels& kernels_for(const Point& point, std::span<const cpu::StreamKernels* const> all,
                                      StreamTeam& team, std::uint64_t passes) {
  const auto found = std::ranges::find_if(all, [&](const cpu::StreamKernels* kernels) {
    return !point.shape.empty() && kernels->in_flight == point.shape.at("in_flight") &&
           kernels->vector_bytes == point.shape.at("vector_bytes");
  });
  if (found == all.end()) return fastest_of(all, team, passes);
  team.use(**found);
  return **found;
}

Workload prepare(device::Device&, const Point& point, const Request&) {
  const cpu::Topology& machine = cpu::machine();
  const bool of_nodes = workloads::is_of_nodes(point.series);
  const NodeReaders readers = of_nodes ? node_readers(machine, point) : NodeReaders{};
  const StreamChoice choice = choice_of(point);
  const StreamFacts& facts = facts_of(choice.stream);
  std::vector<const cpu::Core*> cores = of_nodes ? readers.cores : order_of(machine, choice.pinning);
  cores.resize(static_cast<std::size_t>(choice.threads));
  const std::vector<const cpu::StreamKernels*> all = kernels_to_try(choice.stores);
  const double elements = choice.bytes / sizeof(double) / facts.arrays;
  const auto team =
      std::make_shared<StreamTeam>(cores, *all.front(), choice.stream, choice.stores, facts.arrays,
                                   static_cast<std::size_t>(elements / choice.threads), readers.memory_nodes);
  if (of_nodes && !team->pinned()) throw device::Unsupported(workloads::why_not_unpinned(cores.front()->node));
  const std::uint64_t passes = passes_of_a_run(*team);
  const cpu::StreamKernels& kernels = kernels_for(point, all, *team, passes);
  const double bytes = elements * facts.bytes_an_element;
  const bool fetched_first = choice.stores == cpu::Stores::ordinary && facts.bus_bytes > facts.bytes_an_element;
  const bool beyond = is_beyond_caches(machine, choice);
  const double bus_bytes = fetched_first && beyond ? elements * facts.bus_bytes : 0;
  return {.unit = "GB/s",
          .has_cycles = false,
          .shape = {{"vector_bytes", kernels.vector_bytes},
                    {"in_flight", kernels.in_flight},
                    {"pinned", team->pinned() ? 1 : 0},
                    {"huge_pages", team->on_huge_pages() ? 1 : 0},
                    {"beyond_caches", beyond ? 1 : 0}},
          .observe = [team, passes, bytes, bus_bytes](const Limits& limits, const std::function<void()>& alive) {
            const UndisturbedRuns runs = undisturbed_runs(*team, passes, limits, alive);
            Repetitions repetitions{.values = gbps(bytes, runs.pass_ns), .steps = runs.passes};
            repetitions.interrupted = runs.interrupted;
            if (bus_bytes > 0) {
              repetitions.further.push_back(
                  {.series = {{"bytes-counted", "bus"}}, .unit = "GB/s", .values = gbps(bus_bytes, runs.pass_ns)});
            }
            return repetitions;
          }};
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  conclusion.findings = saturated_by(measurements);
  std::ranges::move(node_bandwidths(measurements), std::back_inserter(conclusion.findings));
  std::ranges::move(non_temporal_gains(measurements), std::back_inserter(conclusion.findings));
  return conclusion;
}

}  // namespace

const Probe cpu_bandwidth{
    .name = "cpu-bandwidth",
    .question =
        "How many gigabytes a second does the CPU itself read and write, by working set and by number of threads?",
    .obstacle = obstacle,
    .next = next,
    .prepare = prepare,
    .conclude = conclude,
    .of_the_cpu = true};

}  // namespace sonde::probes
