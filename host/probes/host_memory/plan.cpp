#include "probes/host_memory/plan.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "measure/visits.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

using workloads::Writer;

constexpr double kib = 1 << 10;
constexpr double mib = 1 << 20;
constexpr double word_bytes = 4;

bool is_cpu(const device::DeviceInfo& device) { return device.type == device::DeviceType::cpu; }

/// Working sets of the walk. A CPU that plays a GPU has no memory of another kind, so little is left to see.
std::vector<double> walked_sizes(const device::DeviceInfo& device, Effort effort) {
  if (is_cpu(device) && effort == Effort::quick) return {512 * kib, 8 * mib};
  if (is_cpu(device) && effort == Effort::normal) return {256 * kib, 2 * mib, 16 * mib, 64 * mib};
  // What is more is the host's time on a simulated device.
  if (is_simulated(device) && effort == Effort::quick) return {256 * kib, 1 * mib, 4 * mib, 16 * mib, 128 * mib};
  if (effort == Effort::quick) return {256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
  const double largest = effort == Effort::normal ? 512 * mib : 1024 * mib;
  std::vector<double> sizes;
  for (double bytes = 64 * kib; bytes <= largest; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

/// Of streams, and of what the CPU does: beyond every cache, and from normal effort on within one.
std::vector<double> streamed_sizes(const device::DeviceInfo& device, Effort effort) {
  if (effort == Effort::quick) return {is_cpu(device) ? 8 * mib : is_simulated(device) ? 48 * mib : 64 * mib};
  if (effort == Effort::normal) return {1 * mib, is_cpu(device) ? 32 * mib : 64 * mib};
  return {1 * mib, 8 * mib, 64 * mib, 256 * mib};
}

struct Plan {
  const Request& request;
  std::vector<Point> points = {};

  void add(std::map<std::string, std::string> series, double bytes) {
    if (!measure::is_asked_for(request, bytes)) return;
    points.push_back({.series = std::move(series), .x = {{"bytes", bytes}}, .expected_seconds = 0.05 + 6e-9 * bytes});
  }
};

std::map<std::string, std::string> with(std::map<std::string, std::string> series,
                                        std::initializer_list<std::pair<const char*, const char*>> more) {
  for (const auto& [name, word] : more) series[name] = word;
  return series;
}

const std::array<const char*, 2> patterns{"read", "write"};

/// Whose shape is looked for; at quick effort writing takes over reading's.
bool is_searched(Effort effort, const char* pattern) {
  return effort != Effort::quick || pattern == std::string_view(patterns.front());
}

void add_streams(Plan& plan, const device::DeviceInfo& device, const device::MemoryKind& kind, bool searched) {
  const Effort effort = plan.request.effort;
  const auto series = with(workloads::series_of({.memory = kind.name, .writer = Writer::gpu}),
                           {{"path", "buffer"}, {"sharing", "private"}});
  for (const double bytes : streamed_sizes(device, effort)) {
    for (const char* pattern : patterns) {
      const bool searches = kind == device.memory_kinds.front() && is_searched(effort, pattern);
      if (searches == searched) plan.add(with(series, {{"pattern", pattern}}), bytes);
    }
  }
}

/// All but the streams that take a shape over.
void add_kind(Plan& plan, const device::DeviceInfo& device, const device::MemoryKind& kind) {
  const Effort effort = plan.request.effort;
  std::vector<Writer> writers{Writer::gpu};
  if (effort != Effort::quick && kind.seen_by_cpu) writers.push_back(Writer::cpu);
  for (const Writer writer : writers) {
    const auto series = workloads::series_of({.memory = kind.name, .writer = writer});
    for (const double bytes : walked_sizes(device, effort)) {
      plan.add(with(series, {{"path", "vector"}}), bytes);
      if (!kind.missing.empty()) return;  // to be skipped, once
    }
  }
  add_streams(plan, device, kind, true);
  const auto streamed = workloads::series_of({.memory = kind.name, .writer = Writer::gpu});
  for (const double bytes : streamed_sizes(device, effort)) {
    const auto of_cpu = with(streamed, {{"side", "cpu"}});
    plan.add(of_cpu, bytes);
    if (!kind.seen_by_cpu || is_simulated(device)) return;  // to be skipped, once
    for (const char* pattern : patterns) plan.add(with(of_cpu, {{"pattern", pattern}}), bytes);
  }
}

/// What the search found at the same size for the same pattern, or for the one that is searched for.
std::map<std::string, double> shape_for(const Point& point, Effort effort, std::span<const Measurement> known) {
  const char* const pattern =
      is_searched(effort, patterns.back()) ? point.series.at("pattern").c_str() : patterns.front();
  for (const Measurement& one : known) {
    const bool alike = !has(one.point.series, "side", "cpu") && has(one.point.series, "pattern", pattern);
    if (alike && one.point.x == point.x) return one.state.shape;
  }
  return {};
}

/// Walks of the GPU, reads of the CPU, and the round trip.
bool is_held_against_others(const Point& point) {
  const bool of_cpu = has(point.series, "side", "cpu");
  return of_cpu ? has(point.series, "pattern", "read") : !point.series.contains("pattern");
}

}  // namespace

std::map<std::string, std::string> round_trip_series() { return {{"direction", "both"}}; }

bool has(const std::map<std::string, std::string>& series, const char* name, const char* word) {
  const auto found = series.find(name);
  return found != series.end() && found->second == word;
}

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
    if (!sizes_asked_for)
      plan.points.push_back({.series = round_trip_series(), .x = {{"bytes", word_bytes}}, .expected_seconds = 0.1});
  } else {
    for (Point& point : plan.points) point.shape = shape_for(point, request.effort, known);
  }
  for (Point& point : plan.points)
    point.visits = is_held_against_others(point) ? measure::usual_visits(request.effort) : 1;
  return plan.points;
}

}  // namespace sonde::probes
