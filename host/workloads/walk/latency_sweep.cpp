#include "workloads/walk/latency_sweep.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "measure/visits.hpp"

namespace sonde::workloads {
namespace {

using measure::Point;
using measure::Request;

constexpr int sizes_per_doubling = 4;

/// A sweep has half as many sizes from here on: laps take long there, and edges are looked at closer anyway. A CPU here
/// stands for a GPU. At quick effort a point beyond its 8 MiB takes half a second and only says whether a cache is
/// there; at normal effort, where it takes two, the sweep's own sizes tell the edges beyond 32 MiB.
constexpr double coarse_from_bytes_quick = 64 << 20;
constexpr double coarse_from_bytes_quick_on_cpus = 8 << 20;
constexpr double coarse_from_bytes_normal_on_cpus = 32 << 20;
constexpr double coarse_from_bytes = 1 << 30;

/// Places at which an interval is cut, in octaves: in halves, and beside that where what was measured there was
/// disturbed.
constexpr std::array shares_of_an_interval{0.5, 0.42, 0.58};

/// No core of a CPU has a cache so large to itself: what others leave of a shared cache changes within a run.
constexpr double shared_cache_from_bytes = 4 << 20;
/// Caches up to here have few sets, and it is mostly chance how many lines fall into each.
constexpr double few_sets_below_bytes = 32 << 10;
/// The sets of a cache from here to `single_hit_replicate_from_bytes` span several pages, which lie by chance, and
/// others share it: the cycle shows its size worst, so independent accesses are asked more often.
constexpr double page_placement_matters_from_bytes = 256 << 10;

/// Lines even out over the many sets of a cache from here on, and a new working set takes seconds.
constexpr double single_replicate_from_bytes_quick = 8 << 20;
constexpr double single_replicate_from_bytes = 64 << 20;
/// The same for independent accesses, whose laps over many lines take long.
constexpr double single_hit_replicate_from_bytes = 8 << 20;

int replicates_near_an_edge(measure::Look look, double bytes) {
  const bool quick = look == measure::Look::first;
  const double single_from = quick ? single_replicate_from_bytes_quick : single_replicate_from_bytes;
  const int most = quick ? 2 : 3;
  const int replicates = bytes < single_from || look == measure::Look::closest ? most : 1;
  return bytes < few_sets_below_bytes ? 2 * replicates : replicates;
}

/// Where lines are few, chance moves the cycle's edge: only the hit rate shows the size, and a new placement costs next
/// to nothing.
int replicates_of_hits(measure::Look look, double bytes) {
  if (bytes >= single_hit_replicate_from_bytes) return 1;
  return (bytes < few_sets_below_bytes ? 4 : 1) * replicates_near_an_edge(look, bytes);
}

/// Extra working sets inside caches 2 and up, as shares of the cache, where it alone serves the loads. They are needed
/// because an error of 2 % in its hit latency is one of 6 % in its size.
constexpr std::array shares_within_a_cache{0.35, 0.5};

/// Working sets of independent accesses, as shares of a cache: about its size for the latency beyond, and far beyond it
/// for hit rates that no replacement policy bends. There are more of these where lines are few and the cycle's edge is
/// chance, unless `coarsely`.
std::vector<double> shares_of_a_cache(measure::Look look, double bytes, bool coarsely) {
  const bool quick = look == measure::Look::first;
  if (coarsely && quick) return {1.0, 1.8, 3.3};
  if (coarsely) return {0.7, 1.0, 1.5, 2.2, 3.3};
  if (quick && bytes < few_sets_below_bytes) return {1.0, 1.5, 2.2, 2.7, 3.3, 4.0, 5.0};
  if (quick && bytes >= page_placement_matters_from_bytes && bytes < single_hit_replicate_from_bytes)
    return {1.0, 1.2, 1.4, 1.6, 1.9, 2.2, 2.7, 3.3, 4.0, 5.0};
  if (quick) return {1.0, 1.5, 2.2, 3.3, 5.0};
  return {0.7, 1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 4.0, 5.0, 6.5};
}

double coarse_from(const device::DeviceInfo& device, measure::Look look) {
  const bool cpu = device.type == device::DeviceType::cpu;
  return measure::by_look(look, cpu ? coarse_from_bytes_quick_on_cpus : coarse_from_bytes_quick,
                          cpu ? coarse_from_bytes_normal_on_cpus : coarse_from_bytes, coarse_from_bytes);
}

/// How closely edges are looked at where laps take long.
struct EdgeLimits {
  double close_below_bytes = std::numeric_limits<double>::infinity();
  double wide_ratio_beyond = 1;  ///< an interval beyond those that is this wide is still cut
  double looked_at_below_bytes = std::numeric_limits<double>::infinity();
};

EdgeLimits edge_limits(const device::DeviceInfo& device, measure::Look look, bool closely) {
  // A CPU that stands for a GPU has no cache beyond these sizes that is worth minutes.
  if (device.type != device::DeviceType::cpu || look == measure::Look::closest) return {};
  const bool quick = look == measure::Look::first;
  const double looked_at_closely = quick ? 32 << 20 : 64 << 20;
  return {.close_below_bytes = quick ? shared_cache_from_bytes : 32 << 20,
          .wide_ratio_beyond = 1.2,
          .looked_at_below_bytes = closely ? looked_at_closely : 8 << 20};
}

double whole(double bytes, double unit) { return std::max(1.0, std::round(bytes / unit)) * unit; }

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
  const double most_doublings = device.type == device::DeviceType::cpu ? 1 : 2;  // laps of CPUs take seconds there
  for (double doublings = 0.5; doublings <= most_doublings; doublings += 0.5) {
    sizes.push_back(end * std::exp2(doublings));
  }
  return sizes;
}

bool is_wide(const analysis::Gap& gap, bool closely) { return gap.high_bytes > (closely ? 1.03 : 1.1) * gap.low_bytes; }

double largest_bytes(const device::DeviceInfo& device, const Request& request) {
  // GPUs translate otherwise beyond 4 GiB, and drivers' limits are met: the sweep ends at the first with its reason.
  const bool gpu = device.type == device::DeviceType::discrete || device.type == device::DeviceType::integrated;
  const std::uint64_t by_default =
      measure::by_look(request.look, 64ull << 20, 256ull << 20, gpu ? 8ull << 30 : 1ull << 30);
  return static_cast<double>(request.largest_bytes.value_or(by_default));
}

Point sized_point(const Request& request, const measure::Curve& curve, const measure::Words& varied, double bytes,
                  int replicates, std::optional<std::uint32_t> unit_bytes) {
  Point point = measure::point_on(curve, {.bytes = whole(bytes, unit_bytes.value_or(request.line_bytes))}, varied);
  // Repetitions take so long, as seen on CPUs; filling and untimed laps grow with the size.
  const double seconds_of_repetitions = measure::by_look(request.look, 0.06, 0.18, 0.8);
  point.expected_seconds = (seconds_of_repetitions + 6e-9 * *point.x.bytes) * (replicates > 1 ? 1.5 : 1);
  point.replicates = replicates;
  return point;
}

std::vector<Point> coarse_points(const SweptCurves& swept, const device::DeviceInfo& device, const Request& request) {
  const double line = request.line_bytes;
  const double least = static_cast<double>(request.smallest_bytes.value_or(1024));
  std::vector<Point> points;
  for (int step = 0;; ++step) {
    const double wanted = least * std::exp2(static_cast<double>(step) / sizes_per_doubling);
    if (wanted > largest_bytes(device, request) * 1.0001) break;
    if (wanted > coarse_from(device, request.look) * 1.0001 && step % 2 != 0) continue;
    const Point next = sized_point(request, swept.cycle, swept.varied, wanted);
    if (points.empty() || next.x != points.back().x) points.push_back(next);
  }
  // What somebody asked for is measured, wherever the steps from the smallest size lead.
  if (request.largest_bytes) {
    const double lines = std::floor(static_cast<double>(*request.largest_bytes) / line);
    const Point last = sized_point(request, swept.cycle, swept.varied, std::max(1.0, lines) * line);
    if (points.empty() || points.back().x.bytes < last.x.bytes) points.push_back(last);
  }
  return measure::shuffled(points, request.seed);
}

std::vector<Point> further_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                  const device::DeviceInfo& device, const Request& request) {
  const bool first_sweep = curves.cycle.size() <= coarse_points(swept, device, request).size();
  if (!first_sweep) return {};
  std::vector<Point> points;
  for (const double bytes : sizes_beyond(curves.cycle, largest_bytes(device, request), device, request)) {
    // The user asked for none of these, so a device that has no room for them need not say why.
    if (bytes <= static_cast<double>(device.largest_buffer_bytes))
      points.push_back(sized_point(request, swept.cycle, swept.varied, bytes));
  }
  return measure::shuffled(points, request.seed);
}

std::vector<Point> edge_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                               const device::DeviceInfo& device, const Request& request, bool closely) {
  const EdgeLimits limits = edge_limits(device, request.look, closely);
  // A gap in which a measurement was disturbed is cut elsewhere; nowhere once those places have been tried too.
  const auto cut = [&](const analysis::Gap& gap) -> std::optional<double> {
    const auto& disturbed = curves.left_out_bytes;
    const auto tries = static_cast<std::size_t>(std::ranges::count_if(
        disturbed, [&](double bytes) { return bytes > gap.low_bytes && bytes < gap.high_bytes; }));
    if (tries >= shares_of_an_interval.size()) return std::nullopt;
    const double wanted = gap.low_bytes * std::pow(gap.high_bytes / gap.low_bytes, shares_of_an_interval[tries]);
    const double bytes = whole(wanted, request.line_bytes);
    if (bytes <= gap.low_bytes || bytes >= gap.high_bytes) return std::nullopt;
    return std::ranges::find(disturbed, bytes) == disturbed.end() ? std::optional(bytes) : std::nullopt;
  };
  const auto may_be_cut = [&](const analysis::Gap& gap) {
    const bool wide = gap.low_bytes < limits.close_below_bytes
                          ? is_wide(gap, closely)
                          : gap.high_bytes > limits.wide_ratio_beyond * gap.low_bytes;
    return wide && gap.low_bytes <= 0.99 * limits.looked_at_below_bytes && cut(gap);
  };
  std::vector<Point> points;
  for (const analysis::Gap& gap : analysis::doubtful_gaps(curves, may_be_cut)) {
    const double between = *cut(gap);
    const int replicates = closely ? replicates_near_an_edge(request.look, between) : 1;
    points.push_back(sized_point(request, swept.cycle, swept.varied, between, replicates));
  }
  return measure::shuffled(points, request.seed + curves.cycle.size());
}

std::vector<Point> capacity_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                   const device::DeviceInfo& device, const Request& request) {
  const std::vector<analysis::Edge> found = analysis::find_edges(curves);
  if (found.empty()) return {};
  const double largest = std::max(largest_bytes(device, request), curves.cycle.back().bytes);
  const double furthest_hits = std::min(largest, edge_limits(device, request.look, true).looked_at_below_bytes);
  std::vector<Point> points;
  const auto ask_hits = [&](double bytes, int replicates) {
    points.push_back(sized_point(request, swept.independent, swept.varied, bytes, replicates));
  };
  const bool briefly_on_cpu = device.type == device::DeviceType::cpu && request.look != measure::Look::closest;
  const double smallest = static_cast<double>(request.smallest_bytes.value_or(1024));
  for (const double share : {0.3, 0.5}) ask_hits(std::max(smallest, share * found.front().onset_bytes), 1);
  for (std::size_t edge = 0; edge < found.size(); ++edge) {
    const double size = found[edge].middle_bytes;
    // A CPU's third cache belongs to all its cores, often to other machines too: what they leave is not worth seconds.
    // A nearer third edge is the second cache's, behind a climb of translation.
    const bool coarsely = briefly_on_cpu && edge >= 2 && size >= shared_cache_from_bytes;
    for (const double share : shares_within_a_cache) {
      const double bytes = share * size;
      if (edge > 0 && bytes > found[edge - 1].middle_bytes && !coarsely)
        ask_hits(bytes, replicates_of_hits(request.look, bytes));
    }
    // The sizes go as far as the next cache, not its onset: where it fades in slowly, the cycle misses it long before
    // these do, and a level between two such caches would be seen by neither.
    const double end = edge + 1 < found.size() ? found[edge + 1].middle_bytes : furthest_hits;
    for (const double share : shares_of_a_cache(request.look, size, coarsely)) {
      const double bytes = share * size;
      if (bytes > end) break;
      ask_hits(bytes, coarsely ? 1 : replicates_of_hits(request.look, bytes));
    }
  }
  // Other devices have pages of their own, which walks with several strides tell.
  if (device.type != device::DeviceType::cpu) return measure::shuffled(points, request.seed);
  const double page_bytes = request.page_bytes;
  const double furthest = std::min(4 * found.back().middle_bytes, largest);
  const auto ask_pages = [&](double span) {
    points.push_back(sized_point(request, swept.page, swept.varied, span, 1, request.page_bytes));
  };
  for (double span = 16 * page_bytes; span <= furthest; span *= 2) ask_pages(span);
  for (const analysis::Edge& edge : found) {
    for (const double factor : {0.7, 1.4}) {
      const double span = factor * edge.middle_bytes;
      if (span >= 16 * page_bytes && span <= furthest) ask_pages(span);
    }
  }
  return measure::shuffled(points, request.seed);
}

}  // namespace sonde::workloads
