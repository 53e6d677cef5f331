// What do the GPU and the CPU pay to reach memory of each kind?
// docs/method/host-memory.md explains it.

#include <array>

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/host_memory/host_memory.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/walk/chases.hpp"

namespace sonde::probes {
namespace host_memory_probe {
namespace {

using workloads::SearchDepth;

constexpr std::array curves{&walk, &stream, &cpu_walk, &cpu_stream, &round_trip};
constexpr std::array finding_kinds{&like_device_memory, &bypasses_last_level_cache, &across_the_bus, &slow_for_the_cpu,
                                   &round_trip_time};

constexpr double kib = 1 << 10;
constexpr double mib = 1 << 20;
constexpr double word_bytes = 4;

bool is_simulated(const device::DeviceInfo& device) { return device.type == device::DeviceType::model; }
bool is_cpu(const device::DeviceInfo& device) { return device.type == device::DeviceType::cpu; }

/// Working sets of the walk. A CPU that plays a GPU has no memory of another kind, so little is left to see.
std::vector<double> walked_sizes(const device::DeviceInfo& device, Look look) {
  if (is_cpu(device) && look == Look::first) return {512 * kib, 8 * mib};
  if (is_cpu(device) && look == Look::closer) return {256 * kib, 2 * mib, 16 * mib, 64 * mib};
  // More sizes would only take the host's time on a simulated device.
  if (is_simulated(device) && look == Look::first) return {256 * kib, 1 * mib, 4 * mib, 16 * mib, 128 * mib};
  if (look == Look::first) return {256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
  const double largest = look == Look::closer ? 512 * mib : 1024 * mib;
  std::vector<double> sizes;
  for (double bytes = 64 * kib; bytes <= largest; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

/// Working sets of streams, and of what the CPU does: beyond every cache, and from normal effort on within one.
std::vector<double> streamed_sizes(const device::DeviceInfo& device, Look look) {
  if (look == Look::first) return {is_cpu(device) ? 8 * mib : is_simulated(device) ? 48 * mib : 64 * mib};
  if (look == Look::closer) return {1 * mib, is_cpu(device) ? 32 * mib : 64 * mib};
  return {1 * mib, 8 * mib, 64 * mib, 256 * mib};
}

constexpr std::array patterns{Pattern::read, Pattern::write};

/// Whether a shape is searched for with this pattern; at quick effort writing takes over reading's.
bool is_searched(Look look, Pattern pattern) { return look != Look::first || pattern == patterns.front(); }

struct Plan {
  const device::DeviceInfo& device;
  const Request& request;
  std::vector<Point> points = {};

  void add(const Curve& curve, const Words& varied, double bytes) {
    if (measure::is_asked_for(request, bytes))
      points.push_back(point_on(curve, {.bytes = bytes}, varied, 0.05 + 6e-9 * bytes));
  }

  void add_streams(const device::MemoryKind& kind, bool searched) {
    for (const double bytes : streamed_sizes(device, request.look)) {
      for (const Pattern pattern : patterns) {
        const bool searches = kind == device.memory_kinds.front() && is_searched(request.look, pattern);
        if (searches == searched) add(stream, {.memory = kind.name, .pattern = pattern}, bytes);
      }
    }
  }

  /// Adds all points of a kind but the streams that take a shape over.
  void add_kind(const device::MemoryKind& kind) {
    std::vector<Writer> writers{Writer::gpu};
    if (request.look != Look::first && kind.seen_by_cpu) writers.push_back(Writer::cpu);
    for (const Writer writer : writers) {
      for (const double bytes : walked_sizes(device, request.look)) {
        add(walk, {.memory = kind.name, .writer = writer}, bytes);
        if (!kind.missing.empty()) return;  // to be skipped, once
      }
    }
    add_streams(kind, true);
    for (const double bytes : streamed_sizes(device, request.look)) {
      add(cpu_walk, {.memory = kind.name}, bytes);
      if (!kind.seen_by_cpu || is_simulated(device)) return;  // to be skipped, once
      for (const Pattern pattern : patterns) add(cpu_stream, {.memory = kind.name, .pattern = pattern}, bytes);
    }
  }
};

/// The shape that the search found at the same size for the same pattern, or for the one that is searched for.
Shape shape_for(const Point& point, Look look, std::span<const Measurement> known) {
  const std::optional<Pattern> pattern =
      is_searched(look, patterns.back()) ? point.words.pattern : std::optional(patterns.front());
  for (const Measurement& one : known) {
    const bool alike = one.point.words.side != Side::cpu && one.point.words.pattern == pattern;
    if (alike && one.point.x == point.x) return one.state.shape;
  }
  return {};
}

/// In every kind of memory first the walks, the streams whose shape is searched and the CPU's own work, then the
/// streams that take those shapes over, and further visits to the kinds about which the visits so far disagree. What a
/// kind cannot do is asked for once, so that it is skipped with its reason.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  Plan plan{device, request};
  for (const device::MemoryKind& kind : device.memory_kinds) {
    if (known.empty()) {
      plan.add_kind(kind);
    } else if (kind.missing.empty()) {
      plan.add_streams(kind, false);
    }
  }
  // A word is no working set of a size that somebody asked for.
  if (known.empty() && !request.smallest_bytes && !request.largest_bytes)
    plan.points.push_back(point_on(round_trip, {.bytes = word_bytes}, {}, 0.1));
  for (Point& point : plan.points) {
    if (!known.empty()) point.shape = shape_for(point, request.look, known);
    // Findings compare the GPU's walks, the CPU's reads, and the round trip.
    const bool is_compared =
        point.words.side == Side::cpu ? point.words.pattern == Pattern::read : !point.words.pattern;
    point.visits = is_compared ? measure::usual_visits : 1;
  }
  if (known.empty()) return plan.points;
  const std::set<measure::Name> open = compare_kinds(known).open;
  const auto is_open = [&](const Measurement& one) { return open.contains(one.point.words.memory); };
  std::ranges::move(measure::more_visits(known, is_open), std::back_inserter(plan.points));
  return plan.points;
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  return compare_kinds(measurements).conclusion;
}

}  // namespace

Workload prepare_walk(device::Device& device, const Point& point, const Request& request) {
  return workloads::cycle_chase(device, static_cast<std::uint32_t>(point.x.bytes.value() / request.line_bytes),
                                request.line_bytes, request.seed, Path::vector, workloads::place_of(point.words));
}

Workload prepare_stream(device::Device& device, const Point& point, const Request& request) {
  const Pattern pattern = point.words.pattern.value();
  constexpr Sharing sharing = Sharing::separate;
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  // A simulated device's rates are what its file says, in whatever shape.
  const auto depth = is_simulated(device.info())   ? SearchDepth::none
                     : request.look == Look::first ? SearchDepth::usual
                                                   : SearchDepth::once;
  const workloads::StreamShape shape = point.shape.empty()
                                           ? workloads::search_shape(device, pattern, sharing, bytes, depth)
                                           : workloads::fitted(workloads::shape_of(point.shape), sharing, bytes);
  return workloads::stream(device, pattern, sharing, shape, bytes, request.seed, workloads::place_of(point.words));
}

Workload prepare_round_trip(device::Device& device, const Point&, const Request&) {
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

}  // namespace host_memory_probe

const Probe host_memory{.name = "host-memory",
                        .question = "What do the GPU and the CPU pay to reach memory of each kind?",
                        .curves = host_memory_probe::curves,
                        .finding_kinds = host_memory_probe::finding_kinds,
                        .obstacle = workloads::without_memory_kinds,
                        .next = host_memory_probe::next,
                        .conclude = host_memory_probe::conclude};

}  // namespace sonde::probes
