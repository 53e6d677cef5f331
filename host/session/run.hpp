#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "measure/probe.hpp"
#include "measure/worker.hpp"
#include "records/reader.hpp"
#include "records/record_file.hpp"
#include "session/choice.hpp"
#include "session/progress.hpp"
#include "session/target.hpp"

namespace sonde::session {

/// How a run goes about it, apart from what it measures.
struct RunLimits {
  std::chrono::milliseconds silence;       ///< of a worker, then it is ended
  std::chrono::milliseconds whole_run{0};  ///< 0 for none
  bool counts_traffic = false;             ///< beside every probe
  std::filesystem::path sysfs_root = "/";  ///< where clocks, temperature and power are read
};

/// The run as it goes: what workers send is appended to the file, shown and kept for the summary.
class Run {
 public:
  Run(std::vector<const measure::Probe*> probes, const measure::Request& request, RunLimits limits,
      records::RecordFile& file, Progress& progress, bool diagnostics);

  /// Processes that `probe` takes for one API of a device.
  static int workers_for(const Target& target, device::Api api, std::span<const measure::Probe* const> probes);

  /// All of it, from the file's second line to its last; ends early once the user wants it to.
  void measure(const SelectedDevices& choice);

  /// Lines of one kind: count<records::SampleLine>().
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

  void append(const std::string& line);
  /// Everything that is asked of one device through one API, in processes of its own.
  void probe(const Target& target, device::Api api);
  /// A line for each probe that cannot be asked of this device.
  void skip(const Target& target, device::Api api, const std::string& reason);
  /// What both APIs of a device say of its levels, held against each other.
  void compare_apis(const Target& target);
  /// Asks as many of the probes as one process can, the first ones; returns those that are left for another.
  std::vector<const measure::Probe*> run_worker(const Target& target, device::Api api,
                                                const std::vector<const measure::Probe*>& probes, bool needs_host_core);
  /// What its probes say of one level, held against each other.
  void compare_probes(const Target& target, device::Api api);
  /// How far a worker has come.
  struct WorkerPosition {
    std::size_t probes_begun = 0;
    records::PointLine point;  ///< without a name before the first of the probe
  };
  void take(std::string_view text, WorkerPosition& position);
  /// Declares the curve or the kind of finding of a line, where it is the first of it.
  void declare(const records::Line& line);
  void skip_for_time(const records::Origin& origin, const records::PointLine& last_point);
  void record_death(const measure::WorkerEnd& end, const records::Origin& origin, const records::PointLine& last_point);

  std::vector<const measure::Probe*> probes_;
  measure::Request request_;
  RunLimits limits_;
  records::RecordFile& file_;
  Progress& progress_;
  bool diagnostics_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point end_ = Clock::time_point::max();
  std::vector<records::Line> lines_;
  std::set<std::string> declared_;  ///< the records of curves and kinds of findings that the file has
};

}  // namespace sonde::session
