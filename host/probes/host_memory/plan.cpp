#include <array>
#include <optional>

#include "measure/visits.hpp"
#include "probes/host_memory/host_memory.hpp"

namespace sonde::probes {
namespace {

constexpr double kib = 1 << 10;
constexpr double mib = 1 << 20;
constexpr double word_bytes = 4;

bool is_cpu(const device::DeviceInfo& device) { return device.type == device::DeviceType::cpu; }

/// Working sets of the walk. A CPU that plays a GPU has no memory of another kind, so little is left to see.
std::vector<double> walked_sizes(const device::DeviceInfo& device, Effort effort) {
  if (is_cpu(device) && effort == Effort::quick) return {512 * kib, 8 * mib};
  if (is_cpu(device) && effort == Effort::normal) return {256 * kib, 2 * mib, 16 * mib, 64 * mib};
  // More sizes would only take the host's time on a simulated device.
  if (is_simulated(device) && effort == Effort::quick) return {256 * kib, 1 * mib, 4 * mib, 16 * mib, 128 * mib};
  if (effort == Effort::quick) return {256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
  const double largest = effort == Effort::normal ? 512 * mib : 1024 * mib;
  std::vector<double> sizes;
  for (double bytes = 64 * kib; bytes <= largest; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

/// Working sets of streams, and of what the CPU does: beyond every cache, and from normal effort on within one.
std::vector<double> streamed_sizes(const device::DeviceInfo& device, Effort effort) {
  if (effort == Effort::quick) return {is_cpu(device) ? 8 * mib : is_simulated(device) ? 48 * mib : 64 * mib};
  if (effort == Effort::normal) return {1 * mib, is_cpu(device) ? 32 * mib : 64 * mib};
  return {1 * mib, 8 * mib, 64 * mib, 256 * mib};
}

struct Plan {
  const Request& request;
  std::vector<Point> points = {};

  void add(const Curve& curve, const Words& varied, double bytes) {
    if (!measure::is_asked_for(request, bytes)) return;
    points.push_back(point_on(curve, {.bytes = bytes}, varied));
    points.back().expected_seconds = 0.05 + 6e-9 * bytes;
  }
};

constexpr std::array patterns{Pattern::read, Pattern::write};

/// Whether a shape is searched for with this pattern; at quick effort writing takes over reading's.
bool is_searched(Effort effort, Pattern pattern) { return effort != Effort::quick || pattern == patterns.front(); }

void add_streams(Plan& plan, const device::DeviceInfo& device, const device::MemoryKind& kind, bool searched) {
  const Effort effort = plan.request.effort;
  for (const double bytes : streamed_sizes(device, effort)) {
    for (const Pattern pattern : patterns) {
      const bool searches = kind == device.memory_kinds.front() && is_searched(effort, pattern);
      if (searches == searched) plan.add(host_memory_probe::stream, {.memory = kind.name, .pattern = pattern}, bytes);
    }
  }
}

/// Adds all points of a kind but the streams that take a shape over.
void add_kind(Plan& plan, const device::DeviceInfo& device, const device::MemoryKind& kind) {
  const Effort effort = plan.request.effort;
  std::vector<Writer> writers{Writer::gpu};
  if (effort != Effort::quick && kind.seen_by_cpu) writers.push_back(Writer::cpu);
  for (const Writer writer : writers) {
    for (const double bytes : walked_sizes(device, effort)) {
      plan.add(host_memory_probe::walk, {.memory = kind.name, .writer = writer}, bytes);
      if (!kind.missing.empty()) return;  // to be skipped, once
    }
  }
  add_streams(plan, device, kind, true);
  for (const double bytes : streamed_sizes(device, effort)) {
    plan.add(host_memory_probe::cpu_walk, {.memory = kind.name}, bytes);
    if (!kind.seen_by_cpu || is_simulated(device)) return;  // to be skipped, once
    for (const Pattern pattern : patterns)
      plan.add(host_memory_probe::cpu_stream, {.memory = kind.name, .pattern = pattern}, bytes);
  }
}

/// The shape that the search found at the same size for the same pattern, or for the one that is searched for.
Shape shape_for(const Point& point, Effort effort, std::span<const Measurement> known) {
  const std::optional<Pattern> pattern =
      is_searched(effort, patterns.back()) ? point.words.pattern : std::optional(patterns.front());
  for (const Measurement& one : known) {
    const bool alike = one.point.words.side != Side::cpu && one.point.words.pattern == pattern;
    if (alike && one.point.x == point.x) return one.state.shape;
  }
  return {};
}

/// Whether findings compare such points: walks of the GPU, reads of the CPU, and the round trip.
bool is_compared(const Point& point) {
  return point.words.side == Side::cpu ? point.words.pattern == Pattern::read : !point.words.pattern;
}

}  // namespace

std::vector<Point> host_memory_points(const device::DeviceInfo& device, const Request& request,
                                      std::span<const Measurement> known) {
  Plan plan{request};
  for (const device::MemoryKind& kind : device.memory_kinds) {
    if (known.empty()) {
      add_kind(plan, device, kind);
    } else if (kind.missing.empty()) {
      add_streams(plan, device, kind, false);
    }
  }
  if (known.empty()) {
    // A word is no working set of a size that somebody asked for.
    const bool sizes_asked_for = request.smallest_bytes || request.largest_bytes;
    if (!sizes_asked_for) {
      plan.points.push_back(point_on(host_memory_probe::round_trip, {.bytes = word_bytes}));
      plan.points.back().expected_seconds = 0.1;
    }
  } else {
    for (Point& point : plan.points) point.shape = shape_for(point, request.effort, known);
  }
  for (Point& point : plan.points) point.visits = is_compared(point) ? measure::usual_visits(request.effort) : 1;
  return plan.points;
}

}  // namespace sonde::probes
