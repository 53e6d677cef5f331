#pragma once

#include "counters/traffic/counter_source.hpp"
#include "counters/traffic/traffic_sampler.hpp"
#include "records/counter_line.hpp"
#include "records/record_file.hpp"
#include "session/watched.hpp"

namespace sonde::session {

/// The counters of this machine that are watched, or the intervals of a record file.
struct WatchSource {
  std::string name;
  std::unique_ptr<counters::CounterSource> counters;  ///< null for a replay
  std::vector<records::CounterRecord> replayed;
  WhyNot why_not;                    ///< the reasons for what it does not give
  std::vector<std::string> missing;  ///< sentences: what it does not count, and what would give it
  std::string note;                  ///< a remark on a replayed file
};

/// The source that --source names: empty for the counters that this machine has, "replay:FILE", "msr". Throws
/// UsageError with one sentence where there is none.
WatchSource open_watch_source(const std::string& word, const std::filesystem::path& sysfs_root);

struct WatchPlan {
  std::chrono::nanoseconds interval{};
  double seconds = 0;  ///< 0 for no limit
  double window_seconds = 1;
  std::vector<std::string> command;  ///< empty where the whole machine is watched
};

/// The result of a watch.
struct WatchOutcome {
  Watched watched;
  std::optional<WatchedPart> baseline;  ///< the time before the command began
  std::optional<int> command_status = {};
  counters::SamplerCounts sampler = {};
  double seconds = 0;
  bool interrupted = false;
};

/// Watches until the command ends, the time is over or the user interrupts, and appends every interval to the file, and
/// the end. Calls `window` with each window as it is filled. Throws std::system_error where the command cannot be
/// started.
WatchOutcome watch(const WatchPlan& plan, WatchSource& source, records::RecordFile& file,
                   const std::function<void(const WatchedPart&)>& window);

}  // namespace sonde::session
