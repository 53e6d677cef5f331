#pragma once

#include "measure/runner.hpp"
#include "measure/worker.hpp"
#include "records/lines.hpp"

namespace sonde::session {

/// What a bench needs from the run that it works for.
struct BenchSupport {
  std::chrono::milliseconds longest_silence;
  os::RunningClock::time_point latest_end;            ///< a visit is cut off there
  std::function<void()> tick;                         ///< called several times a second
  std::function<void(std::string_view)> diagnostics;  ///< the drivers' text on standard error
  std::function<void(const records::Line&)> keep;     ///< lines for the record: what was counted, and what is amiss
  std::function<int()> next_process;                  ///< the number of a worker that is started now
  double least_seconds_of_a_process = 8;              ///< the same as in `RunLimits`
  std::vector<std::string> environment = {};          ///< of its workers, beside that of this process
};

/// One device that is open through one API in a worker process, which makes the visits that it is handed. A worker that
/// died or hung is replaced by another before the next visit.
class Bench {
 public:
  Bench(records::MeasureTask task, BenchSupport support) : task_(std::move(task)), support_(std::move(support)) {}

  /// Counters are opened with the device: a probe on this bench wants hit rates.
  void open_counters() { task_.opens_counters = true; }
  /// Opens the device, unless it is open. Null where that fails: `why_closed` has the reason then.
  const records::InfoLine* open();
  [[nodiscard]] const measure::Answer& why_closed() const { return why_closed_; }
  /// Has a visit made, and made again where this process was stopped meanwhile. Nothing where the user interrupted it,
  /// or the run's time was over, before it was.
  std::optional<measure::Answer> make(const measure::Probe& probe, const measure::Visit& visit);

  /// Whether the worker has lasted so long that another should take its place.
  [[nodiscard]] bool is_old() const;
  /// Ends the worker: the next visit gets another.
  void replace() { worker_.reset(); }

  [[nodiscard]] device::Api api() const { return task_.api; }
  /// Which worker of the run made the last visit.
  [[nodiscard]] int process() const { return process_; }
  /// The time of all visits by the device's clock where it is simulated, else by ours, with that of opening it.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// The time by our clock in which it was waited for.
  [[nodiscard]] double waited_seconds() const { return waited_seconds_; }

 private:
  using Clock = os::RunningClock;

  void take(std::string_view text);
  /// One try to open the device in a new process.
  bool try_to_open();
  /// Whether the worker was ended by the user, or for the run's time.
  [[nodiscard]] bool was_cut_off() const;
  /// Whether an answer came; a worker without one is gone.
  bool wait_for_answer();
  /// The answer that a worker's end gives.
  measure::Answer death(const std::string& where) const;

  records::MeasureTask task_;
  BenchSupport support_;
  std::optional<measure::Worker> worker_;
  const measure::Probe* probe_ = nullptr;  ///< the one whose visit is made
  std::optional<records::InfoLine> info_;
  std::vector<measure::Measurement> measured_;
  std::optional<records::AnswerLine> answer_;
  measure::Answer why_closed_;
  int process_ = -1;
  int openings_failed_ = 0;  ///< in a row
  bool is_cut_off_ = false;
  int failed_in_a_row_ = 0;
  double opening_seconds_ = 0;
  double seconds_since_opened_ = 0;
  double seconds_ = 0;
  double waited_seconds_ = 0;
};

}  // namespace sonde::session
