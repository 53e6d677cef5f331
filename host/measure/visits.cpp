#include "measure/visits.hpp"

#include <iterator>
#include <random>

namespace sonde::measure {

std::vector<Point> new_points(const Request& request, std::span<const Measurement> known, std::vector<Point> points) {
  std::erase_if(points, [&](const Point& point) {
    return request.was_asked(point) || std::ranges::any_of(known, [&](const Measurement& one) {
             const std::size_t visits = std::max<std::size_t>(1, one.visits.size());
             return one.point.curve == point.curve && one.point.x == point.x && one.point.shape == point.shape &&
                    one.point.words == point.words && visits >= static_cast<std::size_t>(point.visits_at_once);
           });
  });
  return points;
}

std::vector<Point> shuffled(std::vector<Point> points, std::uint64_t seed) {
  std::mt19937_64 random(seed + points.size());
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random() % i]);
  return points;
}

std::vector<Point> spread_over_sizes(std::vector<Point> points, std::uint64_t seed) {
  std::ranges::stable_sort(points, {}, [](const Point& point) { return point.x.bytes.value_or(0); });
  // The places in the order of their bits read backwards, as van der Corput has them, from a place that the seed says.
  std::size_t half = 1;
  while (2 * half < points.size()) half *= 2;
  std::vector<Point> spread;
  std::size_t place = std::mt19937_64(seed + points.size())() % (2 * half);
  while (spread.size() < points.size()) {
    if (place < points.size()) spread.push_back(points[place]);
    std::size_t bit = half;
    for (; (place & bit) != 0; bit /= 2) place ^= bit;
    place ^= bit;
  }
  return spread;
}

std::vector<Point> joined(std::vector<Point> points, std::vector<Point> more) {
  std::ranges::move(more, std::back_inserter(points));
  return points;
}

std::vector<Point> more_visits(std::span<const Measurement> known,
                               const std::function<bool(const Measurement&)>& is_open) {
  std::vector<Point> points;
  for (const Measurement& one : known) {
    const int visits = static_cast<int>(one.visits.size());
    if (visits == 0 || visits >= most_visits || !is_open(one)) continue;
    points.push_back(one.point);
    points.back().visits = visits + 2;
  }
  return points;
}

bool are_of_one_point(const Measurement& one, const Measurement& other) {
  return one.unit == other.unit && one.point.x == other.point.x && one.state.shape == other.state.shape &&
         one.point.words == other.point.words;
}

void add_visit(Measurement& known, const Measurement& visit) {
  std::vector<std::size_t> visits = known.visits.empty() ? std::vector{known.values.size()} : known.visits;
  if (visit.state.disturbed && !known.state.disturbed) {
    visits.push_back(0);
  } else if (known.state.disturbed && !visit.state.disturbed) {
    known = visit;
    visits.assign(visits.size(), 0);
    visits.push_back(visit.values.size());
  } else {
    known.values.insert(known.values.end(), visit.values.begin(), visit.values.end());
    visits.push_back(visit.values.size());
  }
  known.visits = std::move(visits);
}

std::vector<std::vector<double>> values_by_visit(const Measurement& one) {
  if (one.visits.empty()) return {one.values};
  std::vector<std::vector<double>> all;
  auto begin = one.values.begin();
  for (const std::size_t count : one.visits) {
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    if (count > 0) all.emplace_back(begin, end);
    begin = end;
  }
  return all;
}

std::vector<double> medians_by_visit(const Measurement& one) {
  std::vector<double> medians;
  for (const std::vector<double>& values : values_by_visit(one)) medians.push_back(analysis::quantile(values, 0.5));
  return medians;
}

bool have_few_visits(std::span<const Measurement> measurements) {
  return std::ranges::all_of(measurements, [](const Measurement& one) { return one.visits.size() < usual_visits; });
}

analysis::Interval range_of_visits(const Measurement& one) {
  const auto [lowest, highest] = std::ranges::minmax(medians_by_visit(one));
  return {lowest, highest};
}

std::vector<std::vector<Measurement>> by_visit(std::span<const Measurement> measurements) {
  std::vector<std::vector<std::vector<double>>> values;
  std::size_t most = 0;
  for (const Measurement& one : measurements) {
    values.push_back(values_by_visit(one));
    most = std::max(most, values.back().size());
  }
  std::vector<std::vector<Measurement>> all(most);
  for (std::size_t visit = 0; visit < most; ++visit) {
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      const Measurement& one = measurements[i];
      all[visit].push_back({one.point, one.unit, values[i][visit % values[i].size()], one.state});
    }
  }
  return all;
}

}  // namespace sonde::measure
