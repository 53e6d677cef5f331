#pragma once

#include "analysis/statistics.hpp"
#include "measure/probe.hpp"

// A point's visits: the times at which it was measured, at different moments of a run and on new allocations. A run
// does not know anything more exactly than they agree.
namespace sonde::measure {

/// Those of the points that were not asked for before, as often as is due at once. A stage of a plan that waits for an
/// earlier one waits until there are none of the earlier one's.
std::vector<Point> new_points(const Request& request, std::span<const Measurement> known, std::vector<Point> points);

/// The points in an order with which no slow change of the machine can imitate a curve.
std::vector<Point> shuffled(std::vector<Point> points, std::uint64_t seed);

/// The same for sizes, in an order of which every beginning covers them all evenly: a run may end anywhere.
std::vector<Point> spread_over_sizes(std::vector<Point> points, std::uint64_t seed);

/// The points of both.
std::vector<Point> joined(std::vector<Point> points, std::vector<Point> more);

/// The new points of the first stage of a plan that has any: a stage waits for those before it. A plan that asks its
/// stages anew of whatever is known so far can go on from anywhere.
template <typename... Stages>
std::vector<Point> first_new_points(const Request& request, std::span<const Measurement> known, Stages... stages) {
  std::vector<Point> points;
  (void)(... || !(points = new_points(request, known, stages())).empty());
  return points;
}

/// The number of visits that findings rest on, where a probe has no reason for more.
inline constexpr int usual_visits = 3;
/// The number of visits after which a point is as well known as it will be.
inline constexpr int most_visits = 9;

/// Two visits more to each visited point that `is_open`, as its visits so far leave something undecided, until it has
/// nine.
std::vector<Point> more_visits(std::span<const Measurement> known,
                               const std::function<bool(const Measurement&)>& is_open);

/// Whether two measurements are of one point: the same curve, place and unit, by a kernel of the same shape.
bool are_of_one_point(const Measurement& one, const Measurement& other);

/// Adds a further visit's values to those that are known. One that others disturbed counts, and has values, only where
/// all were.
void add_visit(Measurement& known, const Measurement& visit);

/// The values of each visit that counts, and their medians.
std::vector<std::vector<double>> values_by_visit(const Measurement& one);

std::vector<double> medians_by_visit(const Measurement& one);

/// Whether all had fewer visits than findings rest on, so that a longer run has more.
bool have_few_visits(std::span<const Measurement> measurements);

/// The lowest and the highest median of a visit.
analysis::Interval range_of_visits(const Measurement& one);

/// The measurements of each visit by itself, for as many visits as any point has. A point with fewer has its visits
/// repeated.
std::vector<std::vector<Measurement>> by_visit(std::span<const Measurement> measurements);

}  // namespace sonde::measure
