#pragma once

#include <deque>
#include <set>

#include "measure/runner.hpp"

namespace sonde::measure {

/// One probe asked of one device through one API: the visits that it wants, what is known from those that were made,
/// and why others could not be. It measures nothing itself, and nothing of it is lost where a worker dies.
class ProbeRun {
 public:
  /// `request.look` is the look that it begins with; it goes on until `closest` is done.
  ProbeRun(const device::DeviceInfo& device, const Probe& probe, const Request& request, Look closest,
           Observer& observer);
  ProbeRun(const ProbeRun&) = delete;
  ProbeRun& operator=(const ProbeRun&) = delete;

  /// The visit to make next, the same one until it is answered; null when nothing more is wanted.
  const Visit* wanted();
  /// The point of the visit that is wanted, as it was asked for.
  [[nodiscard]] const Point& asked_point() const { return asked_[current_].point; }
  /// One more visit of a point that somebody else asks for, which takes the place of the one that was wanted: that one
  /// waits. Null where the point is left out here.
  const Visit* make_too(const Point& point, Look look);
  /// Takes the answer to the visit that was wanted, and reports it.
  void take(Answer answer);
  /// Goes on with visits of points whose medians are not yet known within their target.
  void also_visit_what_scatters() { visits_what_scatters_ = true; }
  /// It goes on by these levels of the device's latency, which tell a probe of bandwidth where to look.
  void know(std::vector<FoundLevel> levels_by_latency);
  /// Reports what waits for the end: failures one after the other, or sizes that leave nothing to measure.
  void end();

  /// Whether something of the first points that it wanted is still to be measured.
  [[nodiscard]] bool is_first_look() const { return first_look_left_ > 0; }
  /// Everything that is read from what is known so far. Reports nothing.
  [[nodiscard]] Conclusion conclude() const;
  void report(const Conclusion& conclusion);
  [[nodiscard]] std::span<const Measurement> known() const { return known_; }
  /// Whether points failed and none was measured: the device may be in a state in which a new process does not find it.
  [[nodiscard]] bool only_failed() const { return known_.empty() && any_failed_; }

 private:
  /// A point that was asked for. Every visit is made in the shape that the first one found: in another it would be
  /// another experiment.
  struct Asked {
    Point point;
    int begun = 0;
    Shape shape = {};
    bool ended = false;
  };
  struct Failure {
    Point point;
    std::string reason;
  };

  bool plan();
  /// Begins a visit of the current point.
  const Visit* begin_visit(Look look);
  void ask(const Point& point);
  bool visit_again(const std::function<bool(const Asked&)>& is_wanted);
  /// What is known of a point; null where nothing is.
  const Measurement* known_of(const Asked& asked) const;
  /// Whether it has not had the visits that were planned; one that others disturbed is none.
  bool lacks_visits(const Asked& asked) const;
  bool scatters(const Asked& asked) const;
  /// Whether it failed, lies beyond what the device can do, or on a curve that was given up.
  bool is_left_out(const Asked& asked) const;
  void add(const Point& asked, Measurement one);
  void fail(const Point& point, const std::string& reason);
  void report_failures_in_a_row();
  void give_up(std::string why);
  void count_death(const Point& point);

  const device::DeviceInfo& device_;
  const Probe& probe_;
  Request request_;
  Look closest_;
  Observer& observer_;
  bool visits_what_scatters_ = false;
  bool planned_ = false;
  bool is_done_ = false;  ///< nothing more is wanted
  bool is_given_up_ = false;
  int lost_in_a_row_ = 0;
  bool any_failed_ = false;
  std::size_t first_look_left_ = 1;
  std::vector<Asked> asked_;
  std::map<PointKey, std::size_t> asked_index_;
  std::deque<std::size_t> queue_;  ///< indices in `asked_`, of the visits that are wanted
  std::optional<Visit> visit_;
  std::size_t current_ = 0;  ///< the index of the point of `visit_`
  std::vector<Measurement> known_;
  std::map<std::pair<PointKey, std::string>, std::size_t> known_index_;  ///< by point and unit
  std::map<Words, double> ends_;                                         ///< the size that the device cannot do
  std::map<Words, double> deaths_;  ///< how many workers died at a curve, less what was measured since
  /// Failures one after the other: the first was reported at once, the others are when it is known whether all points
  /// failed, as one record of their reason is enough then.
  std::vector<Failure> in_a_row_;
};

}  // namespace sonde::measure
