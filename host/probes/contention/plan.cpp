#include "probes/contention/plan.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace sonde::probes {
namespace {

int loads_of(Effort effort) { return effort == Effort::quick ? 5 : 11; }
/// Halvings of the interval in which latency has risen by a wanted share.
int halvings_of(Effort effort) { return effort == Effort::quick ? 2 : 3; }

double x_of(const Measurement& one, const char* name) {
  const auto found = one.point.x.find(name);
  return found == one.point.x.end() ? 0 : found->second;
}

bool is_main(const Measurement& one) {
  return one.unit == "ns" && one.point.series == series_of_load() && x_of(one, "cpu_threads") == 0;
}

Point point(const Request& request, const std::map<std::string, std::string>& series, double load, double threads,
            const std::map<std::string, double>& shape) {
  return {.series = series,
          .x = {{"load", std::round(load * 1000) / 1000}, {"cpu_threads", threads}},
          .expected_seconds = request.effort == Effort::quick ? 0.5 : 0.9,
          .shape = shape};
}

/// By the pairs of stretches in which a point was measured; without them the idle point tells.
LoadPoint load_point(std::span<const Measurement> known, const Measurement& at) {
  LoadPoint point{.gpu_gbps = x_of(at, "gpu_gbps"), .latency_ns = median_of(at), .measurement = &at};
  point.pairs = at_load(known, series_of_load(), "ratio", x_of(at, "load"));
  const Measurement* const idle = at_load(known, series_of_load(), "ns", 0);
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
    if (is_main(one)) loads.emplace_back(x_of(one, "load"), load_point(known, one).times_idle);
  }
  std::ranges::sort(loads);
  return loads;
}

}  // namespace

std::map<std::string, std::string> series_of_load() {
  return {{"side", "cpu"}, {"fabric", "loaded"}, {"pattern", "add"}};
}
std::map<std::string, std::string> series_of_control() {
  return {{"side", "cpu"}, {"fabric", "idle"}, {"pattern", "add"}};
}

const Measurement* at_load(std::span<const Measurement> known, const std::map<std::string, std::string>& series,
                           const std::string& unit, double load) {
  const auto found = std::ranges::find_if(known, [&](const Measurement& one) {
    return one.unit == unit && one.point.series == series && x_of(one, "cpu_threads") == 0 && x_of(one, "load") == load;
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
  if (loads.empty()) return {point(request, series_of_load(), 0, 0, {}), point(request, series_of_load(), 1, 0, {})};
  std::map<std::string, double> shape;
  for (const Measurement& one : known) {
    if (is_main(one) && x_of(one, "load") == 1) shape = one.state.shape;
  }
  if (shape.empty()) return {};  // full load failed, and its reason stands in the record
  std::vector<Point> points;
  if (loads.size() == 2) {
    const int count = loads_of(request.effort);
    for (int load = 1; load < count; ++load) {
      points.push_back(point(request, series_of_load(), static_cast<double>(load) / count, 0, shape));
    }
    points.push_back(point(request, series_of_control(), 1, 0, shape));
    if (request.effort != Effort::quick) points.push_back(point(request, series_of_control(), 0.5, 0, shape));
    if (most_threads == 0u) points.push_back(point(request, series_of_load(), 1, 1, shape));
    for (std::uint32_t threads = 1; threads <= most_threads.value_or(0); threads *= 2) {
      for (const double load : {0.0, 0.5, 1.0})
        points.push_back(point(request, series_of_load(), load, threads, shape));
    }
    // In an order that no slow change of the machine can imitate a curve with.
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
        points.push_back(point(request, series_of_load(), (loads[at].first + loads[at - 1].first) / 2, 0, shape));
      }
      break;
    }
  }
  return points;
}

}  // namespace sonde::probes
