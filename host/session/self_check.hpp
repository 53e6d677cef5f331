#pragma once

#include "counters/selfcheck/known_load.hpp"
#include "counters/selfcheck/self_check.hpp"
#include "counters/traffic/counter_source.hpp"
#include "records/record_file.hpp"
#include "session/watch.hpp"

namespace sonde::session {

/// A load that runs until this is destroyed.
class RunningLoad {
 public:
  RunningLoad() = default;
  RunningLoad(const RunningLoad&) = delete;
  RunningLoad& operator=(const RunningLoad&) = delete;
  virtual ~RunningLoad() = default;

  /// Bytes that all of its threads have moved so far.
  [[nodiscard]] virtual double moved_bytes() const = 0;
};

/// Makes loads and lets time pass. Tests put loads and clocks of their own here.
struct LoadMaker {
  std::vector<counters::Load> loads;
  std::function<std::unique_ptr<RunningLoad>(const counters::Load&)> start;
  std::function<void(std::chrono::nanoseconds)> wait;
};

/// The CPU's loads on this machine: with one core and with all of them, of far more memory than its caches hold. Throws
/// UsageError where there is too little memory for that.
LoadMaker loads_of_this_cpu();

struct SelfCheckPlan {
  std::chrono::nanoseconds interval{};  ///< between two readings
  double repetition_seconds = 0;
  std::size_t repetitions = 5;  ///< repetitions of each load; all loads once, then all again
};

/// Makes each load and reads the counters meanwhile; calls `done` with every repetition. Ends early where the user
/// interrupts.
std::vector<counters::Repetition> repetitions_of(counters::CounterSource& source, const SelfCheckPlan& plan,
                                                 const LoadMaker& maker,
                                                 const std::function<void(const counters::Repetition&)>& done);

/// The subject of a check: loads to be made, or the repetitions of a replayed file.
struct SelfCheck {
  std::string source;  ///< the name of the counters, or of those that counted when the file was written
  LoadMaker maker;
  std::vector<counters::Repetition> replayed;
};

/// Throws UsageError where a replayed file is not from a self-check, or loads cannot be made.
SelfCheck prepare_self_check(const WatchSource& source);

struct SelfCheckOutcome {
  std::vector<counters::Repetition> repetitions;
  std::vector<counters::CheckedRole> roles;
  bool interrupted = false;
};

/// Makes the loads, or takes those of the replay, and writes each repetition and the end into the record file.
SelfCheckOutcome run_self_check(const SelfCheckPlan& plan, const SelfCheck& check, WatchSource& source,
                                records::RecordFile& file);

}  // namespace sonde::session
