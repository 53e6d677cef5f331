// Question: how long does one dependent load take, and how does that grow with the working set?
//
// Experiment: the working set is cut into cache lines, which a random single cycle joins. One work-item walks it:
// each load's address is the value of the load before, so nothing overlaps. The walk never restarts: a dispatch
// begins where the last one ended, so no line comes again before all others have. One lap is walked before anything
// is timed. The end of every dispatch is checked against the cycle. Sizes come four a doubling, then closer about
// every edge. Two further walks tell what an edge is: over uniformly random lines the share of hits is the cache's
// size over the working set, whatever its policy (order independent); with one line a page an edge that stays is
// address translation (order page).
//
// How to read the curve: flat stretches are levels of the memory hierarchy, the rises between them are where a level
// is full. Least recently used replacement rises at once, other policies over a range of sizes.

#include <cmath>
#include <map>

#include "analysis/levels.hpp"
#include "gpu/error.hpp"
#include "probes/catalog.hpp"
#include "probes/chases.hpp"
#include "probes/latency_plan.hpp"

namespace sonde::probes {
namespace {

using measure::Measurement;
using measure::Point;
using measure::Request;

/// 2^32 words of 32 bits; beyond them an index would start again at zero.
constexpr double reach_of_indices_bytes = 0x1p34;

std::optional<std::string> obstacle(const gpu::DeviceInfo&) { return std::nullopt; }

std::vector<Point> next(const gpu::DeviceInfo&, const Request& request, std::span<const Measurement> known) {
  if (known.empty()) return coarse_points(request);
  const analysis::LatencyCurves curves = curves_of(known, request.line_bytes);
  if (!curves.independent.empty() || !curves.page.empty()) return {};
  std::vector<Point> points = edge_points(curves, request);
  return points.empty() ? capacity_points(curves, request) : points;
}

measure::Workload prepare(gpu::Device& device, const Point& point, const Request& request) {
  const double bytes = point.x.at("bytes");
  if (bytes > reach_of_indices_bytes) {
    throw gpu::Unsupported("the walk's 32-bit indices reach " + measure::size_text(reach_of_indices_bytes) +
                           "; larger working sets are not measured");
  }
  const auto order = point.series.find("order");
  if (order != point.series.end() && order->second == "independent") {
    const auto lines = static_cast<std::uint32_t>(bytes / request.line_bytes);
    return independent_chase(device, lines, request.line_bytes, request.seed);
  }
  if (order != point.series.end()) {
    const auto pages = static_cast<std::uint32_t>(bytes / page_bytes);
    return cycle_chase(device, pages, Slots(page_bytes, request.line_bytes, request.seed), request.seed);
  }
  return cycle_chase(device, static_cast<std::uint32_t>(bytes / request.line_bytes), request.line_bytes, request.seed);
}

measure::Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  measure::Conclusion conclusion;
  if (measurements.empty()) return conclusion;
  std::map<std::string, std::string> series = measurements.front().point.series;
  series.erase("order");
  const analysis::Hierarchy hierarchy =
      analysis::find_levels(curves_of(measurements, request.line_bytes), request.seed);
  for (const analysis::Level& level : hierarchy.levels) {
    conclusion.levels.push_back(
        {.series = series, .level = static_cast<int>(conclusion.levels.size()) + 1, .found = level});
  }
  for (const analysis::TranslationEdge& edge : hierarchy.translation) {
    const std::string span = measure::size_text(edge.bytes);
    conclusion.findings.push_back(
        {.series = series,
         .name = "translation",
         .value = edge.bytes,
         .unit = "bytes",
         .evidence = "With one line a page a load takes " + std::to_string(std::lround(edge.added_ns)) +
                     " ns longer beyond a span of " + span +
                     ", although so few lines fit a cache: this is address translation, not a level."});
  }
  return conclusion;
}

}  // namespace

const measure::Probe latency{
    .name = "latency",
    .question = "How long does one dependent load take, and how does that grow with the working set?",
    .obstacle = obstacle,
    .next = next,
    .prepare = prepare,
    .conclude = conclude};

}  // namespace sonde::probes
