#pragma once

#include "measure/probe.hpp"
#include "session/selection.hpp"

namespace sonde::session {

/// The line at the bottom of the terminal: what is measured now, how far the run is and how long it will take. Where
/// nothing is drawn, each worker gets one plain line.
class Progress {
 public:
  /// `workers` is their number; until they report their plans, each is expected to take as long as the first.
  Progress(bool drawn, int workers) : drawn_(drawn), workers_(workers) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void worker_started(const std::string& label);
  void planned(double expected_seconds) { expected_of_worker_ += expected_seconds; }
  void point_started(const std::string& name, double expected_seconds);
  /// `another_follows` for the probes that this worker left to do.
  void worker_ended(bool another_follows = false);
  void draw();
  /// Removes the line, so that something else can be written.
  void clear();

  /// Share of the run that is done, and seconds left; below zero while nothing is known.
  [[nodiscard]] double share_done() const;
  [[nodiscard]] double seconds_left() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool drawn_;
  int workers_;
  int workers_ended_ = 0;
  double expected_of_ended_ = 0;   ///< expected time of the workers that ended
  double expected_of_worker_ = 0;  ///< this worker's points so far
  double done_of_worker_ = 0;
  double current_point_ = 0;
  std::string label_;
  std::string point_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_{};
  double shown_share_ = 0;  ///< never falls, though a probe that asks for more makes the run longer
};

/// The text that is shown before a run starts: a line for each probe, device and API, and about how long all takes.
/// `time_limit_seconds` is 0 where there is none.
std::string plan(std::span<const std::pair<const TargetDevice*, device::Api>> work,
                 std::span<const measure::Probe* const> probes, const measure::Request& request,
                 double time_limit_seconds);

}  // namespace sonde::session
