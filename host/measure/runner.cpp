#include "measure/runner.hpp"

#include <future>

#include "measure/cycles.hpp"
#include "measure/level_findings.hpp"
#include "measure/point_runner.hpp"
#include "measure/visits.hpp"

namespace sonde::measure {
namespace {

/// Failures in a row after which a device is not asked any further.
constexpr int most_failures = 3;

constexpr std::chrono::milliseconds between_signs_of_life{500};

/// The conclusion, drawn by a thread of its own: on a slow processor the search for levels takes longer than a worker
/// may be silent. It is this program's work, so no driver can have it hang.
Conclusion conclude_beside(const Probe& probe, const Request& request, std::span<const Measurement> known,
                           Observer& observer) {
  auto conclusion = std::async(std::launch::async, [&] { return measure::conclude(probe, request, known); });
  while (conclusion.wait_for(between_signs_of_life) != std::future_status::ready) observer.alive();
  return conclusion.get();
}

/// The points that a probe has asked for; one that failed it would ask for again and again.
class AskedPoints {
 public:
  /// The number of visits beyond those that were asked for before, of the same shape or of the best one that prepare()
  /// found.
  int further_visits(const Point& point) {
    const PointKey key = key_of(point);
    if (!key.shape.empty() && visits_.contains({key.words, key.x, {}})) return 0;
    int& asked = visits_[key];
    return std::max(0, point.visits - std::exchange(asked, std::max(asked, point.visits)));
  }

  [[nodiscard]] bool empty() const { return visits_.empty(); }

 private:
  std::map<PointKey, int> visits_;
};

/// The numbers that were asked for, as they were measured: an extra curve's may be of another place.
Coordinates coordinates_asked_for(const Coordinates& asked, const Coordinates& measured) {
  std::map<std::string, double> numbers = written(asked);
  for (auto& [key, number] : numbers) number = number_at(measured, key).value();
  return parse_coordinates(numbers);
}

/// The reason for which a probe has nothing to measure: the user left out all of its sizes.
std::optional<std::string> left_out(const device::DeviceInfo& device, const Probe& probe, const Request& request) {
  Request unlimited = request;
  unlimited.smallest_bytes = 1;  // still sizes asked for: what has none is left out as before
  unlimited.largest_bytes.reset();
  std::vector<double> sizes;
  for (const Point& point : probe.next(device, unlimited, {})) {
    if (point.x.bytes) sizes.push_back(*point.x.bytes);
  }
  if (sizes.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(sizes);
  return "--sizes leaves out all that it measures here, which is " + size_text(least) + " to " + size_text(most);
}

/// Points that fail one after the other: the first is reported at once, the others when it is known whether all points
/// failed, as one record of their reason is enough then.
class Failures {
 public:
  Failures(const Probe& probe, Observer& observer) : probe_(probe), observer_(observer) {}

  void add(const Point& point, const std::string& reason) {
    any_ = true;
    in_a_row_.push_back({point, reason});
    if (in_a_row_.size() == 1) observer_.failed(probe_, &point, reason);
  }
  /// Reports the others, once something was measured after them or nothing will be.
  void end_row() {
    for (std::size_t i = 1; i < in_a_row_.size(); ++i) {
      observer_.failed(probe_, &in_a_row_[i].point, in_a_row_[i].reason);
    }
    in_a_row_.clear();
  }
  /// Reports one line for all points that will not be measured, with the reasons that were not reported.
  void give_up(std::string why) {
    std::set<std::string> reported{in_a_row_.front().reason};
    for (const Failure& one : in_a_row_) {
      if (reported.insert(one.reason).second) why += "; at " + name_of(probe_, one.point) + ": " + one.reason;
    }
    observer_.skipped(probe_, nullptr, why);
    in_a_row_.clear();
  }
  [[nodiscard]] int in_a_row() const { return static_cast<int>(in_a_row_.size()); }
  [[nodiscard]] bool any() const { return any_; }

 private:
  struct Failure {
    Point point;
    std::string reason;
  };
  const Probe& probe_;
  Observer& observer_;
  std::vector<Failure> in_a_row_;
  bool any_ = false;
};

/// One probe asked of one device, from its first point to its findings.
class ProbeRun {
 public:
  ProbeRun(device::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer)
      : device_(device),
        probe_(probe),
        request_(options.request),
        observer_(observer),
        points_(device, probe, options, observer),
        failures_(probe, observer) {}

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
    if (!failures_.any()) report_reference_end();
    if (known_.empty() && failures_.in_a_row() > 1) {
      failures_.give_up("nothing was measured, as all points failed");
    } else {
      failures_.end_row();
    }
    const bool sizes_asked_for = request_.smallest_bytes || request_.largest_bytes;
    if (asked_.empty() && sizes_asked_for) {
      if (const auto reason = left_out(device_.info(), probe_, request_)) observer_.skipped(probe_, nullptr, *reason);
    }
    return true;
  }

  /// Whether all points failed: the device may be in a state in which a new process does not find it.
  [[nodiscard]] bool only_failed() const { return known_.empty() && failures_.any(); }

  void conclude() {
    const Conclusion conclusion = conclude_beside(probe_, request_, known_, observer_);
    for (const Measurement& one : conclusion.derived) observer_.measured(probe_, one);
    if (!conclusion.levels.empty()) observer_.found_levels(probe_, conclusion.levels);
    for (const Finding& finding : conclusion.findings) observer_.found(probe_, finding);
    for (const CurvesWithoutLevels& curves : conclusion.without_levels) {
      const Point place{.words = curves.words};
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
    Shape shape;
  };

  /// A device that cannot do one size cannot do larger ones.
  bool is_beyond_the_end(const Point& point) const {
    const auto end = ends_.find(point.words);
    return end != ends_.end() && point.x.bytes && *point.x.bytes >= end->second;
  }

  /// Reports the measurement or why there is none; false after so many failures that the device is given up.
  bool measure(const Point& point) {
    observer_.started(probe_, point);
    try {
      const std::optional<double> drift = reference_.drift(points_);
      Visited& visited = visited_[key_of(point)];
      Point in_shape = point;
      if (point.shape.empty()) in_shape.shape = visited.shape;
      MeasuredPoint measured = points_.measure(in_shape, visited.begun++);
      if (measured.traffic) observer_.counted(probe_, measured.curves.front().point, *measured.traffic);
      for (Measurement& one : measured.curves) {
        one.point.shape = point.shape;
        one.state.drift = drift;
        visited.shape = one.state.shape;
        observer_.measured(probe_, one);
        // The probe does not see it in cycles too: to the probe that would be another point.
        if (const auto cycles = in_cycles(one)) observer_.measured(probe_, *cycles);
        add(point, std::move(one));
      }
      failures_.end_row();
    } catch (const device::TooShort& reason) {
      failed_.insert(key_of(point));
      observer_.skipped(probe_, &point, reason.what());
    } catch (const device::Unsupported& reason) {
      failed_.insert(key_of(point));
      observer_.skipped(probe_, &point, reason.what());
      report_reference(reason.what());
      if (point.x.bytes) ends_[point.words] = *point.x.bytes;
    } catch (const device::Lost& error) {
      failures_.add(point, error.what());
      failures_.give_up("not measured any further, as the driver lost the device or did not answer");
      return false;
    } catch (const device::Error& error) {
      failed_.insert(key_of(point));
      failures_.add(point, error.what());
      reference_.forget_end();  // it is one of the points, and most likely fails for the same reason
      if (failures_.in_a_row() < most_failures) return true;
      failures_.give_up("given up after " + std::to_string(failures_.in_a_row()) + " failures in a row");
      return false;
    }
    report_reference("");
    return true;
  }

  /// Reports the reference's end, unless `recorded` is its reason. Before anything was measured the coming points may
  /// fail for the same reason, and report it better.
  void report_reference(const std::string& recorded) {
    if (reference_.end().reason == recorded) {
      reference_.forget_end();
    } else if (!known_.empty()) {
      report_reference_end();
    }
  }

  void report_reference_end() {
    const DriftReference::End end = reference_.end();
    reference_.forget_end();
    if (end.reason.empty()) return;
    const std::string text =
        "this point is measured again and again to see how far the machine drifts; from here on the drift is "
        "unknown: " +
        end.reason;
    if (end.is_error) {
      observer_.failed(probe_, &reference_.point(), text);
    } else {
      observer_.skipped(probe_, &reference_.point(), text);
    }
  }

  /// Adds a measurement to the visits of its point. Numbers that were reached stand in its x beside those that were
  /// asked for, and may differ from visit to visit.
  void add(const Point& asked, Measurement one) {
    const PointKey key{one.point.words, coordinates_asked_for(asked.x, one.point.x), asked.shape};
    const auto [place, is_new] = places_.try_emplace({key, one.unit}, known_.size());
    if (is_new) {
      known_.push_back(std::move(one));
    } else {
      add_visit(known_[place->second], one);
    }
  }

  device::Device& device_;
  const Probe& probe_;
  const Request& request_;
  Observer& observer_;
  PointRunner points_;
  DriftReference reference_;
  std::vector<Measurement> known_;
  std::map<std::pair<PointKey, std::string>, std::size_t> places_;  ///< indices in `known_`, by point and unit
  AskedPoints asked_;
  std::map<PointKey, Visited> visited_;
  std::set<PointKey> failed_;
  std::map<Words, double> ends_;  ///< the size that the device cannot do
  Failures failures_;
};

}  // namespace

bool run_probe(device::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer) {
  if (const auto obstacle = probe.obstacle(device.info())) {
    observer.skipped(probe, nullptr, *obstacle);
    return true;
  }
  ProbeRun run(device, probe, options, observer);
  if (!run.measure()) return false;
  run.conclude();
  return !run.only_failed();
}

}  // namespace sonde::measure
