#include "measure/runner.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "gpu/error.hpp"
#include "measure/conclude_levels.hpp"
#include "measure/cycles.hpp"
#include "measure/point_runner.hpp"
#include "measure/visits.hpp"

namespace sonde::measure {
namespace {

/// Failures in a row after which a device is not asked any further.
constexpr int most_failures = 3;

/// A point that is measured again and again: how far it moves is how far the machine drifts.
class Reference {
 public:
  void choose(const std::vector<Point>& points) {
    if (point_ || points.empty()) return;
    point_ = *std::ranges::min_element(points, {}, &Point::expected_seconds);
  }

  /// Relative change since the first time; measured every so many calls. A reference that fails is given up: the
  /// point that happens to come next is not to blame.
  std::optional<double> drift(PointRunner& runner) {
    if (!point_ || failed_ || calls_++ % calls_between_looks != 0) return drift_;
    try {
      const Measurement now = runner.measure_once(*point_).front();
      const double median = median_of(now);
      if (!first_) first_ = median;
      drift_ = median / *first_ - 1;
    } catch (const std::runtime_error&) {
      failed_ = true;
      drift_.reset();
    }
    return drift_;
  }

 private:
  static constexpr int calls_between_looks = 20;
  std::optional<Point> point_;
  std::optional<double> first_;
  std::optional<double> drift_ = 0.0;
  bool failed_ = false;
  int calls_ = 0;
};

/// The points that a probe has asked for; one that failed it would ask for again and again.
class AskedPoints {
 public:
  /// How many visits are wanted beyond those that were asked for before: of the same shape, or of the best one, which
  /// prepare() found then.
  int further_visits(const Point& point) {
    const PointKey key = key_of(point);
    if (!key.shape.empty() && visits_.contains({key.series, key.x, {}})) return 0;
    int& asked = visits_[key];
    return std::max(0, point.visits - std::exchange(asked, std::max(asked, point.visits)));
  }

  [[nodiscard]] bool empty() const { return visits_.empty(); }

 private:
  std::map<PointKey, int> visits_;
};

/// Why a probe has nothing to measure: the sizes that it would have, and the user left out.
std::optional<std::string> left_out(const gpu::DeviceInfo& device, const Probe& probe, const Request& request) {
  Request unlimited = request;
  unlimited.smallest_bytes = 1;  // still sizes asked for: what has none is left out as before
  unlimited.largest_bytes.reset();
  std::vector<double> sizes;
  for (const Point& point : probe.next(device, unlimited, {})) {
    if (const auto bytes = point.x.find("bytes"); bytes != point.x.end()) sizes.push_back(bytes->second);
  }
  if (sizes.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(sizes);
  return "--sizes leaves out all that it measures here, which is " + size_text(least) + " to " + size_text(most);
}

/// One probe asked of one device, from its first point to its findings.
class ProbeRun {
 public:
  ProbeRun(gpu::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer)
      : device_(device),
        probe_(probe),
        request_(options.request),
        observer_(observer),
        points_(device, probe, options, observer) {}

  /// Measures all points that the probe wants; false where the device was given up.
  bool measure() {
    for (std::vector<Point> points = next_points(); !points.empty(); points = next_points()) {
      const std::vector<Point> visits = each_visit(points);
      observer_.planned(probe_, visits);
      reference_.choose(points);
      for (const Point& point : visits) {
        if (!is_beyond_the_end(point) && !failed_.contains(key_of(point)) && !measure(point)) return false;
      }
    }
    const bool sizes_asked_for = request_.smallest_bytes || request_.largest_bytes;
    if (asked_.empty() && sizes_asked_for) {
      if (const auto reason = left_out(device_.info(), probe_, request_)) observer_.skipped(probe_, nullptr, *reason);
    }
    return true;
  }

  void conclude() {
    const Conclusion conclusion = measure::conclude(probe_, request_, known_);
    if (!conclusion.levels.empty()) observer_.found_levels(probe_, conclusion.levels);
    for (const Finding& finding : conclusion.findings) observer_.found(probe_, finding);
    for (const Unread& curves : conclusion.unread) {
      const Point place{.series = curves.series};
      observer_.skipped(probe_, &place, curves.reason);
    }
    for (const Finding& finding : probe_.stated(device_.info(), known_)) observer_.found(probe_, finding);
  }

 private:
  std::vector<Point> next_points() {
    std::vector<Point> points = probe_.next(device_.info(), request_, known_);
    observer_.alive();
    for (Point& point : points) point.visits = asked_.further_visits(point);
    std::erase_if(points, [](const Point& point) { return point.visits == 0; });
    return points;
  }

  /// Every visit of a point is made in the shape that the first one found: in another it would be another experiment.
  struct Visited {
    int begun = 0;
    std::map<std::string, double> shape;
  };

  /// A device that cannot do one size cannot do larger ones.
  bool is_beyond_the_end(const Point& point) const {
    const auto end = ends_.find(point.series);
    const auto bytes = point.x.find("bytes");
    return end != ends_.end() && bytes != point.x.end() && bytes->second >= end->second;
  }

  /// Reports what was measured or why not; false after so many failures that the device is given up.
  bool measure(const Point& point) {
    observer_.started(probe_, point);
    try {
      const std::optional<double> drift = reference_.drift(points_);
      Visited& visited = visited_[key_of(point)];
      Point in_shape = point;
      if (point.shape.empty()) in_shape.shape = visited.shape;
      for (Measurement& one : points_.measure(in_shape, visited.begun++)) {
        one.point.shape = point.shape;
        one.state.drift = drift;
        visited.shape = one.state.shape;
        observer_.measured(probe_, one);
        // Probes are not shown it again in cycles: to them it would be a point of its own.
        if (const auto cycles = in_cycles(one)) observer_.measured(probe_, *cycles);
        add(point, std::move(one));
      }
      failures_in_a_row_ = 0;
    } catch (const gpu::TooShort& reason) {
      failed_.insert(key_of(point));
      observer_.skipped(probe_, &point, reason.what());
    } catch (const gpu::Unsupported& reason) {
      failed_.insert(key_of(point));
      observer_.skipped(probe_, &point, reason.what());
      if (const auto bytes = point.x.find("bytes"); bytes != point.x.end()) ends_[point.series] = bytes->second;
    } catch (const gpu::Error& error) {
      failed_.insert(key_of(point));
      observer_.failed(probe_, &point, error.what());
      if (++failures_in_a_row_ < most_failures) return true;
      observer_.failed(probe_, nullptr, "given up after " + std::to_string(failures_in_a_row_) + " failures in a row");
      return false;
    }
    return true;
  }

  /// What was reached, and stands in the measurement's x, may differ from visit to visit.
  void add(const Point& asked, Measurement one) {
    const PointKey key{one.point.series, asked.x, asked.shape};
    const auto [place, is_new] = places_.try_emplace({key, one.unit}, known_.size());
    if (is_new) {
      known_.push_back(std::move(one));
    } else {
      add_visit(known_[place->second], one);
    }
  }

  gpu::Device& device_;
  const Probe& probe_;
  const Request& request_;
  Observer& observer_;
  PointRunner points_;
  Reference reference_;
  std::vector<Measurement> known_;
  std::map<std::pair<PointKey, std::string>, std::size_t> places_;  ///< in `known_`, by point and unit
  AskedPoints asked_;
  std::map<PointKey, Visited> visited_;
  std::set<PointKey> failed_;
  std::map<std::map<std::string, std::string>, double> ends_;  ///< by series: the size that the device cannot do
  int failures_in_a_row_ = 0;
};

}  // namespace

void run_probe(gpu::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer) {
  if (const auto obstacle = probe.obstacle(device.info())) {
    observer.skipped(probe, nullptr, *obstacle);
    return;
  }
  ProbeRun run(device, probe, options, observer);
  if (run.measure()) run.conclude();
}

}  // namespace sonde::measure
