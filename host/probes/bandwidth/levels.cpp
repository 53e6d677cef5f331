#include <cmath>
#include <utility>

#include "measure/other_runs.hpp"
#include "measure/visits.hpp"
#include "probes/bandwidth/bandwidth.hpp"

namespace sonde::probes {
namespace {

/// The two sizes that tell a level's bandwidth lie so far apart, the larger one so far below the end of its room.
constexpr double between_sizes = 1.5;
constexpr double below_end = 1.04;

/// The levels by latency; none where it showed no cache.
std::vector<analysis::Level> levels_by_latency(const Request& request) {
  std::vector<analysis::Level> levels;
  if (!knows_caches(request)) return levels;
  for (const FoundLevel& level : request.levels_by_latency) levels.push_back(level.found);
  return levels;
}

/// The same points, each visit of them as one.
std::vector<analysis::CurvePoint> visits_of(std::span<const Measurement* const> points) {
  std::vector<analysis::CurvePoint> visits;
  for (const Measurement* one : points) {
    for (std::vector<double>& values : measure::values_by_visit(*one))
      visits.push_back({.bytes = bytes_of(*one), .values = std::move(values)});
  }
  return visits;
}

}  // namespace

void conclude_levels(const Request& request, std::span<const Measurement> measurements, Conclusion& conclusion) {
  const Words& words = bandwidth_probe::level_words;
  const std::vector<const Measurement*> points = best_points(measurements, words);
  const std::vector<analysis::Level> levels = levels_by_latency(request);
  const auto gbps = analysis::bandwidths_within(levels, analysis::with_enough_to_do(visits_of(points)));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!gbps[i]) continue;
    const int number = request.levels_by_latency[i].level;
    conclusion.levels.push_back({.words = words,
                                 .level = number,
                                 .found = levels[i],
                                 .gbps = measure::widened_among_others(*gbps[i], points),
                                 .matches = number});
    conclusion.levels.back().found.latency_ns = {};
  }
  const auto none_because = [&](const std::string& why) {
    if (conclusion.levels.empty() && !why.empty())
      conclusion.without_levels.push_back({words, "no levels by bandwidth: " + why});
  };
  if (!levels.empty()) return none_because("no size lies well within a cache that latency shows, or well beyond all");
  const std::vector<analysis::CurvePoint> curve = curve_of(points);
  for (const analysis::BandwidthLevel& level : analysis::find_bandwidth_levels(curve, request.line_bytes)) {
    conclusion.levels.push_back(
        {.words = words,
         .level = static_cast<int>(conclusion.levels.size()) + 1,
         .found = {.bytes = level.bytes, .onset_bytes = level.onset_bytes, .end_bytes = level.end_bytes},
         .gbps = measure::widened_among_others(level.gbps, points)});
  }
  none_because(std::string(analysis::why_without_bandwidth_levels(curve)));
}

std::vector<Point> points_within_levels(const device::DeviceInfo& device, const Request& request,
                                        std::span<const Measurement> known) {
  const std::vector<const Measurement*> curve = best_points(known, bandwidth_probe::level_words);
  if (curve.empty()) return {};
  std::vector<Point> points;
  for (const auto& [low, end] : analysis::well_within(levels_by_latency(request))) {
    const double high = std::min(end, below_end * largest_stream_bytes(device, request));
    for (const double wanted : {high / below_end, high / below_end / between_sizes}) {
      const auto distance = [wanted](const Measurement* one) { return std::abs(std::log(bytes_of(*one) / wanted)); };
      const Measurement& nearest = **std::ranges::min_element(curve, {}, distance);
      const bool is_within = bytes_of(nearest) >= low && bytes_of(nearest) <= high;
      if (wanted < low || (is_within && distance(&nearest) < std::log(between_sizes) / 2)) continue;
      Point point = stream_point(device, bandwidth_probe::stream, bandwidth_probe::level_words, wanted);
      point.shape = shape_at(nearest);
      if (is_asked_for(request, point.x.bytes.value()) && keeps_its_shape(point)) points.push_back(point);
    }
  }
  return points;
}

}  // namespace sonde::probes
