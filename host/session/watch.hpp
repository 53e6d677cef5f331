#pragma once

#include "counters/traffic/traffic_meter.hpp"
#include "records/lines.hpp"
#include "records/record_file.hpp"

namespace sonde::session {

/// The traffic in a part of a watched time; each number is empty where it is not known.
struct WatchedPart {
  double begin_seconds = 0;  ///< counted from the beginning of the watch
  double seconds = 0;
  std::optional<double> fabric_gbps;
  std::optional<double> memory_gbps;
  counters::HitRate hit_rate;
  counters::CpuLatency cpu_latency;
  // Reads and writes together, by requester.
  std::optional<double> cpu_gbps = {};
  std::optional<double> gpu_gbps = {};
  std::optional<double> devices_gbps = {};
  std::optional<double> gpu_and_devices_gbps = {};  ///< known where the two cannot be told apart
};

/// The part that an interval's traffic makes.
WatchedPart part_of(const counters::Traffic& traffic, const counters::WhyNot& why_not);

/// Sums of intervals, in windows of equal length.
struct Watched {
  Watched(double window_seconds, const counters::WhyNot& why_not)
      : window_seconds_(window_seconds), why_not_(why_not) {}

  /// The window that this interval has filled, if it has filled one.
  std::optional<WatchedPart> add(const counters::Traffic& interval);
  [[nodiscard]] WatchedPart whole() const;
  /// A quantile over the intervals whose hit rate is known; nothing where none is.
  [[nodiscard]] std::optional<double> hit_rate_quantile(double share) const;

  std::size_t intervals = 0;
  std::vector<double> hit_rates;  ///< of the intervals in which it is known
  std::set<counters::Label> labels;
  std::optional<WatchedPart> busiest_at_fabric;  ///< the window with the most traffic; empty where it is known for none
  std::optional<WatchedPart> busiest_at_memory;

 private:
  double window_seconds_;
  counters::WhyNot why_not_;
  std::vector<counters::Traffic> window_;   ///< intervals of the window that is being filled
  std::vector<counters::Traffic> windows_;  ///< totals of the windows before
  double window_filled_ = 0;
};

/// The counters of this machine that are watched, or the intervals of a record file.
struct WatchSource {
  std::string name;
  std::unique_ptr<counters::CounterSource> counters;  ///< null for a replay
  std::vector<records::CounterLine> replayed;
  counters::WhyNot why_not;          ///< the reasons for what it does not give
  std::vector<std::string> missing;  ///< sentences: what it does not count, and what would give it
  std::string note;                  ///< a remark on a replayed file
  std::string why_not_counted = {};  ///< the reason for which there is no source; empty where there is one
};

/// The source that --source names: empty for the counters that this machine has, "replay:FILE", "msr". Throws
/// UsageError with one sentence where the name is none, or the file cannot be replayed.
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
  Watched baseline;  ///< the time before the command began
  std::optional<int> command_status = {};
  counters::SamplerCounts sampler = {};
  double seconds = 0;
  bool interrupted = false;  ///< by the user, as the record's end says
};

/// Watches until the command ends, the time is over or the user interrupts, and appends every interval to the file, and
/// the end. Calls `window` with each window as it is filled. Throws std::system_error where the command cannot be
/// started.
WatchOutcome watch(const WatchPlan& plan, WatchSource& source, records::RecordFile& file,
                   const std::function<void(const WatchedPart&)>& window);

}  // namespace sonde::session
