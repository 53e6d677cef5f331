// What do the GPU and the CPU pay to reach memory of each kind?
// docs/method/host-memory.md explains it.

#include <array>

#include "measure/asked_sizes.hpp"
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
constexpr double seconds_of_a_search = 0.5;

bool is_simulated(const device::DeviceInfo& device) { return device.type == device::DeviceType::model; }
bool is_cpu(const device::DeviceInfo& device) { return device.type == device::DeviceType::cpu; }

/// Working sets of the walk. One beyond the usual caches tells most of a kind of memory; one within them, and a larger
/// one, tell what caches have to do with it.
constexpr std::array walked_by_worth{8 * mib,   512 * kib, 64 * mib, 2 * mib,   128 * kib,
                                     256 * mib, 1 * mib,   4 * mib,  256 * kib, 16 * mib,
                                     32 * mib,  128 * mib, 64 * kib, 512 * mib, 1024 * mib};
/// Working sets of streams, and of what the CPU does.
constexpr std::array streamed_by_worth{8 * mib, 64 * mib, 1 * mib, 256 * mib};
/// Both sides' walks go over lines of whole pages, and the CPU's streams over pieces of this size.
constexpr double page_bytes = 4 * kib;
constexpr double whole_piece_bytes = 64 * kib;

constexpr std::array patterns{Pattern::read, Pattern::write};

/// The first kind that the device has: the shapes of streams are searched in it.
const device::MemoryKind* first_kind(const device::DeviceInfo& device) {
  const auto found = std::ranges::find_if(device.memory_kinds, [](const auto& kind) { return kind.missing.empty(); });
  return found == device.memory_kinds.end() ? nullptr : &*found;
}

/// Everything that is asked, stage by stage. What a kind cannot do is asked for once, so that it is skipped with its
/// reason.
struct Plan {
  const device::DeviceInfo& device;
  const Request& request;
  std::vector<double> walked = asked_sizes(request, {walked_by_worth.begin(), walked_by_worth.end()}, page_bytes);
  std::vector<double> streamed =
      asked_sizes(request, {streamed_by_worth.begin(), streamed_by_worth.end()}, whole_piece_bytes);

  /// Findings compare the GPU's walks, the CPU's reads, and the round trip.
  static Point point_of(const Curve& curve, const Words& varied, double bytes) {
    const bool is_compared = &curve == &cpu_stream ? varied.pattern == Pattern::read : &curve != &stream;
    return point_on(curve, {.bytes = bytes}, varied, 0.05 + 6e-9 * bytes, is_compared ? measure::usual_visits : 1);
  }

  void add_walks(std::vector<Point>& points, const std::vector<double>& sizes, Writer writer) const {
    for (const double bytes : sizes) {
      for (const device::MemoryKind& kind : device.memory_kinds) {
        const bool is_asked = writer == Writer::gpu ? kind.missing.empty() || bytes == walked.front()
                                                    : kind.missing.empty() && kind.seen_by_cpu;
        if (is_asked) points.push_back(point_of(walk, {.memory = kind.name, .writer = writer}, bytes));
      }
    }
  }

  void add_work_of_the_cpu(std::vector<Point>& points, const std::vector<double>& sizes) const {
    for (const device::MemoryKind& kind : device.memory_kinds) {
      const bool can = kind.seen_by_cpu && !is_simulated(device);
      for (const double bytes : sizes) {
        if (!kind.missing.empty() || (!can && bytes != streamed.front())) continue;
        points.push_back(point_of(cpu_walk, {.memory = kind.name}, bytes));
        if (!can) continue;
        for (const Pattern pattern : patterns)
          points.push_back(point_of(cpu_stream, {.memory = kind.name, .pattern = pattern}, bytes));
      }
    }
  }

  /// A word is no working set of a size that somebody asked for.
  void add_round_trip(std::vector<Point>& points) const {
    if (!asks_for_sizes(request))
      points.push_back(point_on(round_trip, {.bytes = word_bytes}, {}, 0.1, measure::usual_visits));
  }

  /// A verdict on each kind by one size.
  [[nodiscard]] std::vector<Point> verdicts() const {
    std::vector<Point> points;
    add_walks(points, measure::first_of(walked, 1), Writer::gpu);
    for (const device::MemoryKind& kind : device.memory_kinds) {
      if (!kind.missing.empty() || !kind.seen_by_cpu || is_simulated(device) || streamed.empty()) continue;
      points.push_back(point_of(cpu_stream, {.memory = kind.name, .pattern = Pattern::read}, streamed.front()));
    }
    add_round_trip(points);
    return points;
  }

  /// The further sizes, and the streams whose shape is searched.
  [[nodiscard]] std::vector<Point> all() const {
    std::vector<Point> points;
    const std::vector<double> sizes = sizes_at_look(request, walked, 3, 6);
    const std::vector<double> streams = sizes_at_look(request, streamed, 2, 3);
    add_walks(points, sizes, Writer::gpu);
    if (const device::MemoryKind* const first = first_kind(device)) {
      for (const double bytes : streams) {
        for (const Pattern pattern : patterns) {
          points.push_back(point_of(stream, {.memory = first->name, .pattern = pattern}, bytes));
          points.back().expected_seconds += seconds_of_a_search;
        }
      }
    }
    add_work_of_the_cpu(points, streams);
    if (request.look != Look::first) add_walks(points, sizes, Writer::cpu);
    add_round_trip(points);
    return points;
  }

  /// The streams that take over the shape that was found in the first kind for the same pattern and size.
  [[nodiscard]] std::vector<Point> streams_in_shape(std::span<const Measurement> known) const {
    std::vector<Point> points;
    const device::MemoryKind* const first = first_kind(device);
    for (const double bytes : sizes_at_look(request, streamed, 2, 3)) {
      for (const device::MemoryKind& kind : device.memory_kinds) {
        if (!kind.missing.empty() || &kind == first) continue;
        for (const Pattern pattern : patterns) {
          points.push_back(point_of(stream, {.memory = kind.name, .pattern = pattern}, bytes));
          const Measurement* const searched =
              measure::find(known, stream, {.bytes = bytes}, {.memory = first->name, .pattern = pattern});
          if (searched != nullptr) points.back().shape = searched->state.shape;
        }
      }
    }
    return points;
  }
};

/// The points of every kind of memory: first those that give a verdict at one size; then the further sizes, and the
/// streams that take shapes over; and further visits to the kinds about which the visits so far disagree.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  const Plan plan{device, request};
  std::vector<Point> points = measure::first_new_points(
      request, known, [&] { return at_first(request, [&] { return plan.verdicts(); }); }, [&] { return plan.all(); },
      [&] { return plan.streams_in_shape(known); });
  const std::set<measure::Name> open = compare_kinds(known).open;
  const auto is_open = [&](const Measurement& one) { return open.contains(one.point.words.memory); };
  std::ranges::move(measure::more_visits(known, is_open), std::back_inserter(points));
  return points;
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
  // A simulated device's rates are what its file says, in whatever shape. A CPU's driver compiles slowly.
  const auto depth = is_simulated(device.info()) ? SearchDepth::none
                     : is_cpu(device.info())     ? SearchDepth::usual
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
