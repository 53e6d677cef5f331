// What do the GPU and the CPU pay to reach memory of each kind?
// docs/method/host-memory.md explains it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/host_memory/host_memory.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/walk/chases.hpp"

namespace sonde::probes {
namespace {

using workloads::SearchDepth;

constexpr std::array curves_of_host_memory{&host_memory_probe::walk, &host_memory_probe::stream,
                                           &host_memory_probe::cpu_walk, &host_memory_probe::cpu_stream,
                                           &host_memory_probe::round_trip};
constexpr std::array findings_of_host_memory{
    &host_memory_probe::like_device_memory, &host_memory_probe::bypasses_last_level_cache,
    &host_memory_probe::across_the_bus, &host_memory_probe::slow_for_the_cpu, &host_memory_probe::round_trip_time};

std::uint64_t size_of(const Point& point) { return static_cast<std::uint64_t>(point.x.bytes.value()); }

/// Throws where the device has no such kind, or the CPU cannot look at it.
void check_the_cpu_sees(const device::Device& device, const Point& point) {
  const device::MemoryKind& kind = device::memory_kind(device.info(), point.words.memory.text());
  if (const std::string reason = workloads::why_not_shared(kind); !reason.empty()) throw device::Unsupported(reason);
}

/// The plan's points, then further visits to the kinds about which the visits so far disagree.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points = host_memory_points(device, request, known);
  if (known.empty()) return points;
  const std::set<measure::Name> open = compare_kinds(known).open;
  const auto is_open = [&](const Measurement& one) { return open.contains(one.point.words.memory); };
  std::ranges::move(measure::more_visits(known, is_open), std::back_inserter(points));
  return points;
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  return compare_kinds(measurements).conclusion;
}

}  // namespace

Workload host_memory_probe::prepare_walk(device::Device& device, const Point& point, const Request& request) {
  return workloads::cycle_chase(device, static_cast<std::uint32_t>(size_of(point) / request.line_bytes),
                                request.line_bytes, request.seed, Path::vector,
                                workloads::place_of(point.words));
}

Workload host_memory_probe::prepare_stream(device::Device& device, const Point& point, const Request& request) {
  const Pattern pattern = point.words.pattern.value();
  constexpr auto sharing = measure::Sharing::separate;
  const std::uint64_t bytes = size_of(point);
  // A simulated device's rates are what its file says, in whatever shape.
  const auto depth = is_simulated(device.info())       ? SearchDepth::none
                     : request.effort == Effort::quick ? SearchDepth::usual
                                                       : SearchDepth::once;
  const workloads::StreamShape shape = point.shape.empty()
                                           ? workloads::search_shape(device, pattern, sharing, bytes, depth)
                                           : workloads::fitted(workloads::shape_of(point.shape), sharing, bytes);
  return workloads::stream(device, pattern, sharing, shape, bytes, request.seed, workloads::place_of(point.words));
}

Workload host_memory_probe::prepare_cpu_walk(device::Device& device, const Point& point, const Request& request) {
  check_the_cpu_sees(device, point);
  return cpu_chase(device, workloads::place_of(point.words), size_of(point), request.line_bytes, request.seed);
}

Workload host_memory_probe::prepare_cpu_stream(device::Device& device, const Point& point, const Request& request) {
  check_the_cpu_sees(device, point);
  return probes::cpu_stream(device, workloads::place_of(point.words), point.words.pattern.value(), size_of(point),
                            request.seed);
}

Workload host_memory_probe::prepare_round_trip(device::Device& device, const Point&, const Request&) {
  constexpr std::uint32_t count = 300;
  constexpr std::uint32_t untimed = 20;
  const auto repeat = [&device](const Limits&, const std::function<void()>& alive) {
    Repetitions result;
    const std::vector<device::Nanoseconds> times = device.round_trips(untimed + count);
    alive();
    for (std::size_t i = untimed; i < times.size(); ++i) result.values.push_back(times[i].count() / 1e3);
    return result;
  };
  return {.work = SelfTimedWork{.repeat = repeat}, .has_cycles = false, .shape = {{"host_clock", 1}}};
}

const Probe host_memory{.name = "host-memory",
                        .question = "What do the GPU and the CPU pay to reach memory of each kind?",
                        .curves = curves_of_host_memory,
                        .finding_kinds = findings_of_host_memory,
                        .obstacle = workloads::without_memory_kinds,
                        .next = next,
                        .conclude = conclude,
                        // The other kinds' streams come later.
                        .total_to_first_batch_ratio = [](Effort) { return 1.4; }};

}  // namespace sonde::probes
