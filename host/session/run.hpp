#pragma once

#include "measure/probe.hpp"
#include "measure/worker.hpp"
#include "records/lines.hpp"
#include "records/record_file.hpp"
#include "session/progress.hpp"
#include "session/selection.hpp"

namespace sonde::session {

/// The limits and sources of a run, apart from what it measures.
struct RunLimits {
  std::chrono::milliseconds silence;       ///< a worker that reports nothing for so long is ended
  std::chrono::milliseconds whole_run{0};  ///< 0 for no limit
  bool counts_traffic = false;  ///< traffic is counted beside every probe, not only those that want hit rates
  std::filesystem::path sysfs_root = "/";  ///< the tree in which clocks, temperature and power are read
  bool shows_diagnostics = false;          ///< what the drivers print goes to standard error
};

/// A run in progress: what workers send is appended to the file, shown and kept for the summary.
class Run {
 public:
  Run(const RunRequest& asked, const RunLimits& limits, records::RecordFile& file, Progress& progress)
      : asked_(asked), limits_(limits), file_(file), progress_(progress) {}

  /// The number of processes that one API of a device takes.
  static int workers_for(const TargetDevice& target, device::Api api, std::span<const measure::Probe* const> probes);

  /// Measures everything, from the file's second line to its last; ends early once the user interrupts.
  void measure(const SelectedDevices& choice);

  /// The number of lines of one kind: count<records::SampleLine>().
  template <typename Kind>
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines_, [](const records::Line& line) { return std::holds_alternative<Kind>(line); }));
  }
  [[nodiscard]] bool measured(const std::string& probe) const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] const std::vector<records::Line>& lines() const { return lines_; }

 private:
  using Clock = std::chrono::steady_clock;

  void append(const records::Line& line);
  /// Declares what a line is of where it is the first, writes the line, and keeps it as it is read from a file.
  void keep(std::string_view text, const records::Line& line);
  /// Runs everything that is asked of one device through one API, in processes of its own.
  void probe(const TargetDevice& target, device::Api api);
  /// Appends a line for each probe that cannot be asked of this device.
  void skip(const TargetDevice& target, device::Api api, const std::string& reason);
  /// Asks as many of the probes as one process can, the first ones; returns those that are left for another.
  std::vector<const measure::Probe*> run_worker(const TargetDevice& target, device::Api api,
                                                const std::vector<const measure::Probe*>& probes, bool needs_host_core);
  /// Levels that the probe of such levels has found through an API, those of latency on the vector path only.
  [[nodiscard]] std::vector<measure::FoundLevel> found_levels(const TargetDevice& target, device::Api api,
                                                              measure::LevelsOf kind) const;
  /// Appends a finding where the two APIs of a device, or its latency and its bandwidth, disagree about its levels.
  void compare_apis(const TargetDevice& target);
  void compare_probes(const TargetDevice& target, device::Api api);
  void append_finding(const TargetDevice& target, device::Api api, const measure::Finding& finding);
  /// The probe that finds such levels; null where it is not asked.
  [[nodiscard]] const measure::Probe* probe_of(measure::LevelsOf kind) const;
  /// The progress of a worker.
  struct WorkerPosition {
    std::size_t probes_begun = 0;
    std::optional<records::PointLine> point;  ///< none before the probe's first
  };
  void take(std::string_view text, WorkerPosition& position);
  /// Declares the curve or the kind of finding of a line, before the first line of it.
  void declare(const records::Line& line);
  void skip_for_time(const records::Origin& origin, const std::optional<records::PointLine>& last_point);
  void record_death(const measure::WorkerEnd& end, const records::Origin& origin,
                    const std::optional<records::PointLine>& last_point);

  const RunRequest& asked_;
  const RunLimits& limits_;
  records::RecordFile& file_;
  Progress& progress_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point end_ = limits_.whole_run.count() > 0 ? start_ + limits_.whole_run : Clock::time_point::max();
  std::vector<records::Line> lines_;
  std::set<std::tuple<std::string, measure::Words, std::string>> declared_curves_;  ///< by probe, words and unit
  std::set<std::pair<std::string, std::string>> declared_kinds_;                    ///< by probe and word
};

}  // namespace sonde::session
