// Question: how many gigabytes a second does the CPU itself read and write, by working set and by number of threads?
// docs/method/cpu-bandwidth.md explains it.

#include "probes/cpu_bandwidth/cpu_bandwidth.hpp"

#include "probes/catalog.hpp"
#include "probes/cpu_bandwidth/team.hpp"
#include "workloads/cpu/node_pairs.hpp"

namespace sonde::probes {
namespace {

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::model) return "a simulated GPU has no CPU whose memory could be streamed";
  if (device.api != device::Api::cpu) return "this is asked of the CPU itself, not through a driver";
  return std::nullopt;
}

std::vector<Point> next(const device::DeviceInfo&, const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points = cpu_bandwidth_points(cpu::machine(), request);
  std::ranges::move(node_bandwidth_points(cpu::machine(), request), std::back_inserter(points));
  points = measure::new_points(request, known, std::move(points));
  // What is printed first comes at once, the others with the next calls.
  constexpr double seconds_of_a_call = 1.5;
  double seconds = 0;
  const auto end = std::ranges::find_if(points, [&seconds](const Point& point) {
    seconds += point.expected_seconds;
    return seconds > seconds_of_a_call && seconds > point.expected_seconds;
  });
  if (request.look == Look::first) points.erase(end, points.end());
  return points;
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion{.findings = saturation_findings(measurements)};
  conclusion.add(node_bandwidth_findings(measurements));
  conclusion.add(non_temporal_findings(measurements));
  return conclusion;
}

/// GB/s, which are bytes a nanosecond.
std::vector<double> gbps(double bytes, const std::vector<double>& pass_ns) {
  std::vector<double> values;
  for (const double nanoseconds : pass_ns) values.push_back(bytes / nanoseconds);
  return values;
}

/// Those of the widest vectors; for stores past the caches also those of the next width. There no load or store of a
/// thread is the limit, and on Zen 4 halves of lines get to memory up to a seventh faster than whole ones.
std::vector<const cpu::StreamKernels*> kernels_to_try(cpu::StoreKind stores) {
  std::vector<std::span<const cpu::StreamKernels>> widths = cpu::stream_kernels();
  widths.resize(std::min<std::size_t>(widths.size(), stores == cpu::StoreKind::non_temporal ? 2 : 1));
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

/// A stream by the first `cpu_threads` of these cores, on their own nodes or those named.
Workload streaming(const Point& point, std::vector<const cpu::Core*> cores, const std::vector<int>& memory_nodes) {
  const StreamFacts& facts = facts_of(point.words.pattern.value());
  const auto stores =
      point.words.stores == Stores::non_temporal ? cpu::StoreKind::non_temporal : cpu::StoreKind::ordinary;
  const double threads = point.x.cpu_threads.value();
  cores.resize(static_cast<std::size_t>(threads));
  const std::vector<const cpu::StreamKernels*> all = kernels_to_try(stores);
  const double elements = point.x.bytes.value() / sizeof(double) / facts.arrays;
  const auto team = std::make_shared<StreamTeam>(cores, *all.front(), facts.stream, stores, facts.arrays,
                                                 static_cast<std::size_t>(elements / threads), memory_nodes);
  if (!memory_nodes.empty() && !team->pinned())
    throw device::Unsupported(workloads::why_not_unpinned(cores.front()->node));
  const std::uint64_t passes = passes_of_a_run(*team);
  const cpu::StreamKernels& kernels = kernels_for(point, all, *team, passes);
  const double bytes = elements * facts.bytes_an_element;
  const bool fetched_first = stores == cpu::StoreKind::ordinary && facts.ideal_gain() > 1;
  const bool beyond = is_beyond_caches(cpu::machine(), point);
  const double bus_bytes = fetched_first && beyond ? elements * facts.bus_bytes : 0;
  const auto repeat = [team, passes, bytes, bus_bytes](const Limits& limits, const std::function<void()>& alive) {
    Repetitions repetitions = undisturbed_runs(*team, passes, limits, alive);
    if (bus_bytes > 0) {
      repetitions.extra.push_back(
          {.curve = &cpu_bandwidth_probe::on_the_bus, .values = gbps(bus_bytes, repetitions.values)});
    }
    repetitions.values = gbps(bytes, repetitions.values);
    return repetitions;
  };
  return {.work = SelfTimedWork{.repeat = repeat},
          .has_cycles = false,
          .shape = {{"vector_bytes", kernels.vector_bytes},
                    {"in_flight", kernels.in_flight},
                    {"pinned", team->pinned() ? 1 : 0},
                    {"huge_pages", cpu::has_huge_pages() ? 1 : 0},
                    {"beyond_caches", beyond ? 1 : 0}}};
}

}  // namespace

Workload cpu_bandwidth_probe::prepare_stream(device::Device&, const Point& point, const Request&) {
  return streaming(point, order_of(cpu::machine(), point.words.pinning.value()), {});
}

Workload cpu_bandwidth_probe::prepare_between_nodes(device::Device&, const Point& point, const Request&) {
  const NodeReaders readers = node_readers(cpu::machine(), point);
  return streaming(point, readers.cores, readers.memory_nodes);
}

const Probe cpu_bandwidth{
    .name = "cpu-bandwidth",
    .question =
        "How many gigabytes a second does the CPU itself read and write, by working set and by number of threads?",
    .target = Target::host_cpu,
    .curves = cpu_bandwidth_probe::curves,
    .finding_kinds = cpu_bandwidth_probe::finding_kinds,
    .obstacle = obstacle,
    .next = next,
    .conclude = conclude};

}  // namespace sonde::probes
