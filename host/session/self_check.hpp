#pragma once

#include "counters/selfcheck/self_check.hpp"
#include "session/watch.hpp"

namespace sonde::session {

/// A load that runs until this is destroyed, and tells the bytes that all of its threads have moved so far.
using RunningLoad = std::function<double()>;

/// Makes loads and lets time pass. Tests put loads and clocks of their own here.
struct LoadMaker {
  std::vector<counters::Load> loads;
  std::function<RunningLoad(const counters::Load&)> start;
  std::function<void(std::chrono::nanoseconds)> wait;
};

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

/// The subject of a check.
struct SelfCheck {
  std::string source;  ///< the name of the counters, or of those that counted when the file was written
  LoadMaker maker;     ///< without loads where a file is replayed
  std::vector<counters::Repetition> repetitions;
};

/// The CPU's loads on this machine: with one core and with all of them, of far more memory than its caches hold. Or the
/// repetitions of a replay. Throws UsageError where its file is not from a self-check, or memory is too small.
SelfCheck prepare_self_check(const WatchSource& source);

/// Makes the loads, and writes each repetition, made now or replayed, and the end into the record file. Returns whether
/// the user interrupted it.
bool run_self_check(const SelfCheckPlan& plan, SelfCheck& check, WatchSource& source, records::RecordFile& file);

}  // namespace sonde::session
