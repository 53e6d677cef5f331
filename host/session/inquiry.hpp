#pragma once

#include <memory>

#include "measure/probe_run.hpp"
#include "session/bench.hpp"
#include "session/schedule.hpp"
#include "session/selection.hpp"

namespace sonde::session {

/// Makes record lines of what is measured and concluded of one device through one API.
class LineObserver final : public measure::Observer {
 public:
  /// `process` tells which worker made the last visit.
  LineObserver(std::string device, device::Api api, os::RunningClock::time_point run_start,
               std::function<int()> process)
      : device_(std::move(device)), api_(records::api_name(api)), run_start_(run_start), process_(std::move(process)) {}

  /// Lines go there from now on. Returns where they went before.
  std::function<void(const records::Line&)> write_to(std::function<void(const records::Line&)> take) {
    return std::exchange(take_, std::move(take));
  }

  /// What is measured from now on is the half of this pair; nothing for visits that no other side makes.
  void in_pair(std::optional<int> pair) { pair_ = pair; }

  void measured(const measure::Probe& probe, const measure::Measurement& measurement) override;
  void found_levels(const measure::Probe& probe, const std::vector<measure::FoundLevel>& levels) override;
  void found(const measure::Probe& probe, const measure::Finding& finding) override;
  void skipped(const measure::Probe& probe, const measure::Point* point, const std::string& reason) override;
  void failed(const measure::Probe& probe, const measure::Point* point, const std::string& reason) override;
  [[nodiscard]] records::Origin origin(const measure::Probe& probe) const {
    return {device_, api_, std::string(probe.name)};
  }

 private:
  std::string device_;
  std::string api_;
  os::RunningClock::time_point run_start_;
  std::function<int()> process_;
  std::optional<int> pair_;
  std::function<void(const records::Line&)> take_;
};

/// One probe, asked of one device through one API.
class Inquiry {
 public:
  Inquiry(const TargetDevice& target, device::Api api, const measure::Probe& probe, measure::Request request,
          std::shared_ptr<Bench> bench, std::unique_ptr<LineObserver> observer)
      : target_(target),
        api_(api),
        probe_(probe),
        request_(std::move(request)),
        bench_(std::move(bench)),
        observer_(std::move(observer)) {}

  /// Its levels are those of `latency`, which outlives it.
  void take_levels_of(const Inquiry& latency) { latency_ = &latency; }
  /// Has the device opened where it is not yet; lines of what is measured go to `take` from now on.
  void begin(const std::function<void(const records::Line&)>& take);
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  /// What the scheduler weighs; nothing where no visit is wanted any more.
  std::optional<Candidate> candidate();
  /// Makes the next visit. False where the user, or the end of the run's time, cut it off.
  bool go_on() { return make(*run_->wanted()); }

  /// A visit that both sides of a duel make, one after the other.
  struct PairedVisit {
    measure::Point point;
    measure::Look look = measure::Look::first;
    int pair = 0;
  };
  /// What this side would like to be visited next; nothing where nothing is, or it could not be opened.
  [[nodiscard]] std::optional<PairedVisit> wanted_pair();
  /// Makes a side's half of a pair, unless the point is left out here. False where it was cut off.
  bool make_half(const PairedVisit& paired);
  /// The median of what the last half of a pair read; nothing where it read nothing.
  [[nodiscard]] std::optional<double> half() const { return half_; }
  /// Whether it wants new points at the look that it began with.
  [[nodiscard]] bool wants_new_points_at_first();
  /// Whether it was never asked, or some of its first points were not.
  [[nodiscard]] bool lacks_first_look() const { return !has_begun_ || (run_ && run_->is_first_look()); }
  [[nodiscard]] records::Origin origin() const { return observer_->origin(probe_); }
  /// The name of the point that is visited next, for a person; empty where there is none.
  std::string next_name();
  /// The printed number that is furthest from its target by what was concluded last; empty where there is none.
  [[nodiscard]] std::string most_doubtful() const { return session::most_doubtful(conclusion_); }
  /// Ends it: what waited for the end is reported.
  void end();
  /// Concludes from what is known now.
  void conclude();
  [[nodiscard]] const measure::Conclusion& concluded() const { return conclusion_; }
  /// Reports what was concluded last to `take`.
  void report(const std::function<void(const records::Line&)>& take);

  [[nodiscard]] const measure::Probe& probe() const { return probe_; }
  [[nodiscard]] device::Api api() const { return api_; }
  /// The time of its visits, and their number.
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] int visits() const { return visits_; }
  [[nodiscard]] const TargetDevice& target() const { return target_; }
  [[nodiscard]] const std::shared_ptr<Bench>& bench() const { return bench_; }
  /// The seconds that a visit of this point is expected to take, by how long others took.
  [[nodiscard]] double expected_seconds(const measure::Point& point) const {
    const double pace = expected_seconds_ > 0 ? seconds_of_expected_ / expected_seconds_ : 1;
    return pace * point.expected_seconds;
  }

 private:
  bool make(const measure::Visit& visit);
  /// Null where no visit is wanted any more, or yet.
  const measure::Visit* next_visit();
  /// Whether levels were concluded there since they were taken.
  [[nodiscard]] bool has_new_levels() const {
    return latency_ != nullptr && latency_->visits_concluded_ != visits_of_levels_;
  }

  const TargetDevice& target_;
  device::Api api_;
  const measure::Probe& probe_;
  measure::Request request_;
  std::shared_ptr<Bench> bench_;
  std::unique_ptr<LineObserver> observer_;
  device::DeviceInfo info_ = {};
  std::unique_ptr<measure::ProbeRun> run_;
  bool has_begun_ = false;
  const Inquiry* latency_ = nullptr;  ///< whose levels are taken
  int visits_of_levels_ = 0;          ///< the visits that these rest on
  measure::Conclusion conclusion_ = {};
  std::optional<double> half_;
  int visits_ = 0;
  int visits_concluded_ = 0;
  double seconds_ = 0;
  double seconds_concluded_ = 0;
  double expected_seconds_ = 0;     ///< what its visits were expected to take, all together
  double seconds_of_expected_ = 0;  ///< what those took
};

}  // namespace sonde::session
