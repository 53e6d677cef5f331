#include "workloads/walk/latency_sweep.hpp"

#include <array>
#include <cmath>
#include <iterator>

#include "measure/visits.hpp"

namespace sonde::workloads {
namespace {

using measure::Point;
using measure::Request;

constexpr int steps_per_doubling = 4;

/// A sweep has half as many sizes where a point takes longer than this, and a quarter where it takes several times as
/// long: edges are looked at closer anyway.
double long_seconds(measure::Look look) { return measure::by_look(look, 0.1, 0.5, 6.0); }
constexpr double several_times = 5;

/// Edges are looked at closely where a point takes no longer than this.
double close_seconds(measure::Look look) { return measure::by_look(look, 0.3, 2.0, 1e300); }

/// Places at which an interval is cut, in octaves: in halves, and beside that where what was measured there was
/// disturbed or failed.
constexpr std::array shares_of_an_interval{0.5, 0.42, 0.58};

/// Caches up to here have few sets, and it is mostly chance how many lines fall into each: a visit has several
/// allocations, which cost next to nothing.
constexpr double few_sets_below_bytes = 32 << 10;
constexpr int allocations_near_an_edge = 2;
/// Chance moves the cycle's edge where lines are few: only the hit rate shows the size.
constexpr int allocations_of_hits = 4;

/// Extra working sets inside caches 2 and up, as shares of the cache, where it alone serves the loads. They are needed
/// because an error of 2 % in its hit latency is one of 6 % in its size.
constexpr std::array shares_within_a_cache{0.5, 0.35};

/// Working sets of independent accesses, as shares of a cache: about its size for the latency beyond, and far beyond it
/// for hit rates that no replacement policy bends. They are in the order of what they tell, and each look has the first
/// of them.
constexpr std::array shares_of_a_cache{2.2, 1.0, 3.3, 1.5, 5.0, 1.2, 2.7, 1.8, 4.0, 0.7, 6.5};

std::span<const double> shares_at(measure::Look look) {
  return std::span(shares_of_a_cache).first(measure::by_look<std::size_t>(look, 7, 9, shares_of_a_cache.size()));
}

/// The sizes about an edge lie on a grid, so that an edge that is known better asks for the same ones.
constexpr double grid_steps_per_doubling = 16;
const double grid_step = std::exp2(1 / grid_steps_per_doubling);

double on_grid(double bytes) {
  return std::exp2(std::round(grid_steps_per_doubling * std::log2(bytes)) / grid_steps_per_doubling);
}

double whole(double bytes, double unit) { return std::max(1.0, std::round(bytes / unit)) * unit; }

/// Where others take less of the time than this, of what is much, nobody takes a part of a cache now and none then.
constexpr double alone_below = 0.1;

/// The two of a sweep's points between which a cache ends, to be seen at another moment before anything closer.
std::vector<Point> around(std::span<const Point> sweep, double bytes) {
  const Point* below = nullptr;
  const Point* above = nullptr;
  for (const Point& point : sweep) {
    const double at = *point.x.bytes;
    if (at <= bytes && (below == nullptr || at > *below->x.bytes)) below = &point;
    if (at > bytes && (above == nullptr || at < *above->x.bytes)) above = &point;
  }
  std::vector<Point> points;
  for (const Point* side : {below, above}) {
    if (side == nullptr) continue;
    points.push_back(*side);
    points.back().visits_at_once = 2;
  }
  return points;
}

/// Whether the curve rises over its last doubling, so that what it ends in may be a mixture.
bool ends_on_a_rise(const std::vector<analysis::CurvePoint>& cycle) {
  constexpr double rising_slope = 0.12;  // as a logarithm of latency, by the doubling
  const auto before = std::ranges::find_if(
      cycle, [&](const analysis::CurvePoint& one) { return one.bytes > cycle.back().bytes / 2.1; });
  const double octaves = std::log2(cycle.back().bytes / before->bytes);
  return octaves > 0 && std::log(median_of(cycle.back()) / median_of(*before)) > rising_slope * octaves;
}

}  // namespace

std::vector<double> sizes_beyond(const std::vector<analysis::CurvePoint>& cycle, double end,
                                 const device::DeviceInfo& device, const Request& request) {
  const bool may_end = request.largest_bytes || request.look == measure::Look::closest;
  const double last = cycle.back().bytes;
  if (may_end || last < 0.99 * end || last > 1.1 * end || !ends_on_a_rise(cycle)) return {};
  std::vector<double> sizes;
  for (const double doublings : {1.0, 2.0, 0.5, 1.5}) {
    const double bytes = end * std::exp2(doublings);
    // The user asked for none of these, so a device that has no room for them need not say why.
    if (bytes <= static_cast<double>(device.largest_buffer_bytes)) sizes.push_back(bytes);
  }
  return sizes;
}

bool is_wide(const analysis::Gap& gap, bool closely) { return gap.high_bytes > (closely ? 1.03 : 1.1) * gap.low_bytes; }

double largest_bytes(const device::DeviceInfo& device, const Request& request) {
  // GPUs translate otherwise beyond 4 GiB, and drivers' limits are met: the sweep ends at the first with its reason.
  // Memory-side caches of GPUs have up to 128 MiB, and what others leave of a CPU's last cache is less.
  const bool cpu = device.type == device::DeviceType::cpu;
  const bool gpu = device.type == device::DeviceType::discrete || device.type == device::DeviceType::integrated;
  const std::uint64_t by_default =
      measure::by_look(request.look, (cpu ? 64ull : 256ull) << 20, 256ull << 20, gpu ? 8ull << 30 : 1ull << 30);
  // Whoever asks for large sizes alone gets some.
  const std::uint64_t beyond = 4 * request.smallest_bytes.value_or(0);
  return static_cast<double>(request.largest_bytes.value_or(std::max(by_default, beyond)));
}

Point sized_point(const Request& request, const measure::Curve& curve, const measure::Words& varied, double bytes,
                  int allocations, std::optional<std::uint32_t> unit_bytes) {
  Point point = measure::point_on(curve, {.bytes = whole(bytes, unit_bytes.value_or(request.line_bytes))}, varied, 0,
                                  measure::usual_visits);
  // A visit's repetitions take so long, as seen on CPUs; filling and untimed laps grow with the size.
  point.expected_seconds = 0.05 * (1 + allocations) / 2 + 6e-9 * *point.x.bytes;
  point.replicates = allocations;
  return point;
}

std::vector<Point> sweep(const measure::Curve& curve, const measure::Words& varied, const Request& request,
                         const analysis::SizeRange& range, double sizes_per_doubling) {
  const int usual_steps = static_cast<int>(steps_per_doubling / sizes_per_doubling);
  std::vector<Point> points;
  const auto add = [&](double bytes) {
    const Point next = sized_point(request, curve, varied, bytes);
    if (points.empty() || next.x != points.back().x) points.push_back(next);
  };
  // Another look's sizes are among these or between them.
  for (int step = 0;; ++step) {
    const double wanted = range.low * std::exp2(static_cast<double>(step) / steps_per_doubling);
    if (wanted > range.high * 1.0001) break;
    const double times_long = sized_point(request, curve, varied, wanted).expected_seconds / long_seconds(request.look);
    const int thinner = times_long > several_times ? 4 : times_long > 1 ? 2 : 1;
    if (step % (thinner * usual_steps) == 0) add(wanted);
  }
  // What somebody asked for is measured, wherever the steps from the smallest size lead.
  const double last = std::max(1.0, std::floor(range.high / request.line_bytes)) * request.line_bytes;
  if (range.low <= range.high && (points.empty() || *points.back().x.bytes < last)) add(last);
  return measure::spread_over_sizes(points, request.seed);
}

std::vector<Point> coarse_points(const SweptCurves& swept, const device::DeviceInfo& device, const Request& request,
                                 double sizes_per_doubling) {
  const analysis::SizeRange range{static_cast<double>(request.smallest_bytes.value_or(1024)),
                                  largest_bytes(device, request)};
  return sweep(swept.cycle, swept.varied, request, range, sizes_per_doubling);
}

std::vector<Point> further_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                  const device::DeviceInfo& device, const Request& request, std::size_t most) {
  const double end = largest_bytes(device, request);
  std::vector<analysis::CurvePoint> cycle = curves.cycle;
  std::erase_if(cycle, [&](const analysis::CurvePoint& point) { return point.bytes > 1.001 * end; });
  std::vector<Point> points;
  if (cycle.empty()) return points;
  for (const double bytes : sizes_beyond(cycle, end, device, request)) {
    if (points.size() < most) points.push_back(sized_point(request, swept.cycle, swept.varied, bytes));
  }
  return points;
}

std::vector<Point> edge_points(const SweptCurves& swept, const analysis::LatencyCurves& curves, const Request& request,
                               bool closely, std::span<const Point> first_seen) {
  const auto at = [&](double bytes) {
    const int allocations = closely && bytes < few_sets_below_bytes ? allocations_near_an_edge : 1;
    return sized_point(request, swept.cycle, swept.varied, bytes, allocations);
  };
  // A gap in which a measurement was disturbed, or failed, is cut elsewhere; nowhere once those places have been tried.
  const auto cut = [&](const analysis::Gap& gap) -> std::optional<Point> {
    for (const double share : shares_of_an_interval) {
      Point point = at(gap.low_bytes * std::pow(gap.high_bytes / gap.low_bytes, share));
      const double bytes = *point.x.bytes;
      const bool is_between = bytes > gap.low_bytes && bytes < gap.high_bytes;
      const bool was_disturbed =
          std::ranges::find(curves.left_out_bytes, bytes) != curves.left_out_bytes.end() || request.was_asked(point);
      if (is_between && !was_disturbed) return point;
    }
    return std::nullopt;
  };
  const auto may_be_cut = [&](const analysis::Gap& gap) {
    const bool is_cheap = at(gap.high_bytes).expected_seconds <= close_seconds(request.look);
    return is_wide(gap, closely && is_cheap) && cut(gap);
  };
  const analysis::Doubts doubts = analysis::doubts(curves, may_be_cut);
  std::vector<Point> points;
  for (const analysis::Gap& gap : doubts.gaps) points.push_back(*cut(gap));
  points = measure::shuffled(points, request.seed + curves.cycle.size());
  std::vector<Point> seen_again;
  const bool among_others = analysis::among_others(curves.share_of_others) > alone_below;
  for (const double bytes : among_others ? doubts.rises_bytes : std::vector<double>())
    std::ranges::move(around(first_seen, bytes), std::back_inserter(seen_again));
  return measure::joined(std::move(seen_again), std::move(points));
}

std::vector<Point> capacity_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                   const device::DeviceInfo& device, const Request& request,
                                   std::span<const measure::Measurement> known) {
  const std::vector<analysis::Edge> found = analysis::find_edges(curves);
  if (found.empty()) return {};
  const double largest = std::max(largest_bytes(device, request), curves.cycle.back().bytes);
  const double smallest = static_cast<double>(request.smallest_bytes.value_or(1024));
  const auto ask = [&](std::vector<Point>& points, const measure::Curve& curve, double bytes,
                       std::uint32_t unit_bytes) {
    const double size = std::min(largest, std::max(smallest, on_grid(bytes)));
    const int allocations = &curve == &swept.independent && size < few_sets_below_bytes ? allocations_of_hits : 1;
    const auto at = [&](double one) { return sized_point(request, curve, swept.varied, one, allocations, unit_bytes); };
    // The edge was seen a little to the side where a neighbour on the grid was asked for.
    const std::vector<Point> near{at(size), at(size * grid_step), at(size / grid_step)};
    const bool is_new = measure::new_points(request, known, near).size() == near.size();
    if (is_new && std::ranges::find(points, near.front().x, &Point::x) == points.end()) points.push_back(near.front());
  };
  std::vector<Point> hits;
  const auto ask_hits = [&](double bytes) { ask(hits, swept.independent, bytes, request.line_bytes); };
  for (const double share : shares_at(request.look)) {
    for (std::size_t edge = 0; edge < found.size(); ++edge) {
      const double bytes = share * found[edge].middle_bytes;
      // The sizes go as far as the next cache, not its onset: where it fades in slowly, the cycle misses it long before
      // these do, and a level between two such caches would be seen by neither.
      if (edge + 1 == found.size() || bytes <= found[edge + 1].middle_bytes) ask_hits(bytes);
    }
  }
  for (const double share : {0.5, 0.3}) ask_hits(share * found.front().onset_bytes);
  for (const double share : shares_within_a_cache) {
    for (std::size_t edge = 1; edge < found.size(); ++edge) {
      const double bytes = share * found[edge].middle_bytes;
      if (bytes > found[edge - 1].middle_bytes) ask_hits(bytes);
    }
  }
  // Other devices have pages of their own, which walks with several strides tell.
  if (device.type != device::DeviceType::cpu) return hits;
  const double least_span = std::max(16.0 * request.page_bytes, smallest);
  const double furthest = std::min(4 * found.back().middle_bytes, largest);
  std::vector<Point> spans;
  const auto ask_pages = [&](double span) {
    if (span >= least_span && span <= furthest) ask(spans, swept.page, span, request.page_bytes);
  };
  for (double span = 16.0 * request.page_bytes; span <= furthest; span *= 2) ask_pages(span);
  for (const analysis::Edge& edge : found) {
    for (const double factor : {0.7, 1.4}) ask_pages(factor * edge.middle_bytes);
  }
  std::ranges::move(measure::spread_over_sizes(std::move(spans), request.seed), std::back_inserter(hits));
  return hits;
}

}  // namespace sonde::workloads
