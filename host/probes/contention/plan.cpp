#include "probes/contention/contention.hpp"

#include <cmath>
#include <random>

namespace sonde::probes::contention_probe {
namespace {

int loads_of(Effort effort) { return effort == Effort::quick ? 5 : 11; }
/// Halvings of the interval in which latency has risen by a wanted share.
int halvings_of(Effort effort) { return effort == Effort::quick ? 2 : 3; }

bool without_readers(const Measurement& one) { return one.point.x.cpu_threads.value_or(0) == 0; }

bool is_main(const Measurement& one) {
  return one.unit == "ns" && one.point.words == walk_under_load.words && without_readers(one);
}

Point walk_point(const Request& request, const Curve& curve, double load, double threads, const Shape& shape) {
  Point point = point_on(curve, {.cpu_threads = threads, .load = std::round(load * 1000) / 1000}, {},
                         request.effort == Effort::quick ? 0.5 : 0.9);
  point.shape = shape;
  return point;
}

/// `times_idle` is by the pairs of stretches in which the point was measured; without them by the idle point.
LoadPoint load_point(std::span<const Measurement> known, const Measurement& at) {
  LoadPoint point{.gpu_gbps = at.point.x.gpu_gbps.value_or(0), .latency_ns = median_of(at), .measurement = &at};
  point.pairs = at_load(known, times_idle_under_load, at.point.x.load.value_or(0));
  const Measurement* const idle = at_load(known, walk_under_load, 0);
  if (point.pairs != nullptr) {
    point.times_idle = median_of(*point.pairs);
  } else if (idle != nullptr) {
    point.times_idle = point.latency_ns / median_of(*idle);
  }
  return point;
}

/// The loads that were asked for, with how much longer a load of the CPU took at each.
std::vector<std::pair<double, double>> asked(std::span<const Measurement> known) {
  std::vector<std::pair<double, double>> loads;
  for (const Measurement& one : known) {
    if (is_main(one)) loads.emplace_back(one.point.x.load.value_or(0), load_point(known, one).times_idle);
  }
  std::ranges::sort(loads);
  return loads;
}

}  // namespace

const Measurement* at_load(std::span<const Measurement> known, const Curve& curve, double load) {
  const auto found = std::ranges::find_if(known, [&](const Measurement& one) {
    return one.unit == curve.unit.name && one.point.words == curve.words && without_readers(one) &&
           one.point.x.load.value_or(0) == load;
  });
  return found == known.end() ? nullptr : &*found;
}

std::vector<LoadPoint> load_curve(std::span<const Measurement> known) {
  std::vector<LoadPoint> curve;
  for (const Measurement& one : known) {
    if (is_main(one)) curve.push_back(load_point(known, one));
  }
  std::ranges::sort(curve, {}, &LoadPoint::gpu_gbps);
  return curve;
}

std::optional<double> load_for(std::span<const LoadPoint> curve, double times) {
  for (std::size_t above = curve.size(); above > 0; --above) {
    const LoadPoint& low = curve[above - 1];
    if (low.times_idle >= times) continue;
    if (above == curve.size()) return std::nullopt;
    const LoadPoint& high = curve[above];
    const double share = (times - low.times_idle) / (high.times_idle - low.times_idle);
    return low.gpu_gbps + share * (high.gpu_gbps - low.gpu_gbps);
  }
  return std::nullopt;
}

std::vector<Point> contention_points(const Request& request, std::span<const Measurement> known,
                                     std::optional<std::uint32_t> most_threads) {
  const auto loads = asked(known);
  if (loads.empty())
    return {walk_point(request, walk_under_load, 0, 0, {}), walk_point(request, walk_under_load, 1, 0, {})};
  Shape shape;
  for (const Measurement& one : known) {
    if (is_main(one) && one.point.x.load == 1) shape = one.state.shape;
  }
  if (shape.empty()) return {};  // full load failed, and its reason stands in the record
  std::vector<Point> points;
  if (loads.size() == 2) {
    const int count = loads_of(request.effort);
    for (int load = 1; load < count; ++load) {
      points.push_back(walk_point(request, walk_under_load, static_cast<double>(load) / count, 0, shape));
    }
    points.push_back(walk_point(request, walk_in_control, 1, 0, shape));
    if (request.effort != Effort::quick) points.push_back(walk_point(request, walk_in_control, 0.5, 0, shape));
    if (most_threads == 0u) points.push_back(walk_point(request, walk_under_load, 1, 1, shape));
    for (std::uint32_t threads = 1; threads <= most_threads.value_or(0); threads *= 2) {
      for (const double load : {0.0, 0.5, 1.0})
        points.push_back(walk_point(request, walk_under_load, load, threads, shape));
    }
    // The order is random, so that no slow change of the machine can imitate a curve.
    std::shuffle(points.begin(), points.end(), std::mt19937_64(request.seed));
    return points;
  }
  const double step = 1.0 / loads_of(request.effort);
  for (const double times : {1.1, 1.5}) {
    for (std::size_t at = loads.size() - 1; at > 0; --at) {
      if (loads[at].second < times) break;
      if (loads[at - 1].second >= times) continue;
      const double apart = loads[at].first - loads[at - 1].first;
      if (apart > step * std::exp2(0.5 - halvings_of(request.effort))) {
        points.push_back(walk_point(request, walk_under_load, (loads[at].first + loads[at - 1].first) / 2, 0, shape));
      }
      break;
    }
  }
  return points;
}

}  // namespace sonde::probes::contention_probe
