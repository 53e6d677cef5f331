#pragma once

#include <set>

#include "records/record_file.hpp"
#include "session/inquiry.hpp"
#include "session/progress.hpp"

namespace sonde::session {

/// The limits and sources of a run, apart from what it measures.
struct RunLimits {
  double budget_seconds;                   ///< for one device; simulated time where it is simulated
  std::chrono::milliseconds silence;       ///< a worker that reports nothing for so long is ended
  std::chrono::milliseconds whole_run{0};  ///< 0 for no limit
  bool counts_traffic = false;  ///< traffic is counted beside every probe, not only those that want hit rates
  std::filesystem::path sysfs_root = "/";     ///< the tree in which clocks, temperature and power are read
  bool shows_diagnostics = false;             ///< what the drivers print goes to standard error
  double least_seconds_of_a_process = 8;      ///< a worker is replaced after so long, at the earliest
  std::vector<std::string> environment = {};  ///< of the workers, beside that of this process: NAME=VALUE
  std::uint64_t noise = 0;                    ///< of simulated devices: two runs with different ones have their own
};

/// The budget of a run of all these devices, by that for one.
double budget_of(double seconds_for_one_device, const SelectedDevices& choice);

/// A run in progress. It plans, and concludes; benches measure. What they find is appended to the file at once, and
/// kept.
class Run {
 public:
  /// `record` is the file's first line.
  Run(const RunRequest& asked, const RunLimits& limits, const records::RunLine& record, records::RecordFile& file,
      Progress& progress)
      : asked_(asked), limits_(limits), file_(file), progress_(progress), lines_{record} {}

  /// Measures from the file's second line to its last: a first look at everything, then what sharpens most for its
  /// seconds, until the budget is spent or the user interrupts. What was measured is concluded either way.
  void measure(const SelectedDevices& choice);

  /// The same in parts, for whoever makes the visits of several runs in turn: what comes before the first visit, one
  /// half of a pair of visits, and what comes after the last. False where the user, or the end of the run's time, cut
  /// off what was to be done.
  void begin(const SelectedDevices& choice);
  bool open(Inquiry& inquiry);
  bool make_half(Inquiry& inquiry, const Inquiry::PairedVisit& paired, double seconds_left);
  void finish();
  [[nodiscard]] const std::vector<std::unique_ptr<Inquiry>>& inquiries() const { return inquiries_; }
  /// The part of the budget that is spent: by simulated clocks where devices are simulated.
  [[nodiscard]] double spent_seconds() const;
  [[nodiscard]] bool has_to_stop() const;
  /// Whether all devices are simulated, so that no clock of ours counts.
  [[nodiscard]] bool is_simulated() const;
  /// One error, and a skip of each other probe: what was measured until then is concluded.
  void tell_early_end(const std::string& why);

  /// The number of lines of one kind: count<records::SampleLine>().
  template <typename Kind>
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines_, [](const records::Line& line) { return std::holds_alternative<Kind>(line); }));
  }
  [[nodiscard]] bool measured(const std::string& probe) const;
  /// The number of probes that wanted more points when the time was over, at the look that every run begins with.
  [[nodiscard]] std::size_t unfinished() const;
  /// A line for each probe and API: how much of the budget it took, and how many visits.
  [[nodiscard]] std::string time_spent() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] const std::vector<records::Line>& lines() const { return lines_; }

 private:
  using Clock = os::RunningClock;

  void append(const records::Line& line);
  /// Declares the curve or the kind of finding of a line, before the first line of it.
  void declare(const records::Line& line);
  /// Prepares to ask everything that is asked of one device through one API.
  void prepare(const TargetDevice& target, device::Api api);
  std::shared_ptr<Bench> bench_of(const TargetDevice& target, device::Api api, bool needs_host_core);
  /// Appends a line for each probe that cannot be asked of this device.
  void skip(const TargetDevice& target, device::Api api, const std::string& reason);
  void look_and_sharpen(double budget_seconds);
  /// Shows what is visited now, with the seconds that are left.
  void tell(Inquiry& inquiry, const std::string& point, const std::string& sharpens);
  /// Has one visit made; false where it was cut off.
  bool visit(Inquiry& inquiry);
  /// Levels and findings: of everything that is known where they are drawn `anew`, else those that were drawn last.
  std::vector<records::Line> conclusions(bool anew);
  [[nodiscard]] measure::Request request_of(const TargetDevice& target) const;

  const RunRequest& asked_;
  const RunLimits& limits_;
  records::RecordFile& file_;
  Progress& progress_;
  std::chrono::steady_clock::time_point steady_start_ = std::chrono::steady_clock::now();
  Clock::time_point start_ = Clock::now();
  Clock::time_point end_ = limits_.whole_run.count() > 0 ? start_ + limits_.whole_run : Clock::time_point::max();
  const SelectedDevices* choice_ = nullptr;
  double seconds_left_ = 0;
  int processes_ = 0;
  std::vector<std::unique_ptr<Inquiry>> inquiries_;  ///< in the order of their first looks
  std::vector<std::shared_ptr<Bench>> benches_;
  const Inquiry* visited_ = nullptr;  ///< whose visit is made
  std::set<std::string> noted_;       ///< the notes that workers sent
  std::vector<records::Line> lines_;
  std::set<std::tuple<std::string, measure::Words, std::string>> declared_curves_;  ///< by probe, words and unit
  std::set<std::pair<std::string, std::string>> declared_kinds_;                    ///< by probe and word
};

}  // namespace sonde::session
