#include "session/watch.hpp"

#include "counters/traffic/rates.hpp"
#include "counters/traffic/sources.hpp"
#include "os/file.hpp"
#include "os/process.hpp"
#include "os/this_process.hpp"
#include "os/threads.hpp"
#include "os/time.hpp"
#include "records/input_files.hpp"
#include "records/lines.hpp"
#include "records/reader.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

using counters::Traffic;

constexpr double baseline_seconds = 0.5;
/// The pause between two looks at the samples: long enough to cost little, short enough for a line to be fresh.
constexpr std::chrono::milliseconds between_looks{50};

double seconds_since(std::int64_t moment_ns) { return static_cast<double>(os::steady_ns() - moment_ns) * 1e-9; }

WatchSource replay_of(const std::string& path) try {
  WatchSource source{.name = "replay"};
  for (const records::Line& line : records::read_file(os::path_of(path), source.note)) {
    if (const auto* one = std::get_if<records::CounterLine>(&line)) source.replayed.push_back(one->counter);
  }
  if (source.replayed.empty()) throw UsageError(path + ": there are no counter records in this file");
  return source;
} catch (const records::InvalidFile& problem) {
  throw UsageError(problem.what());
}

/// Makes a record of each interval, and adds it to the sums.
class IntervalRecorder {
 public:
  IntervalRecorder(const WatchPlan& plan, const WatchSource& source, records::RecordFile& file,
                   const std::function<void(const WatchedPart&)>& window)
      : source_(source),
        file_(file),
        window_(window),
        watched_(plan.window_seconds, source.why_not),
        baseline_(plan.window_seconds, source.why_not) {
    if (source.counters) beat_bytes_ = source.counters->layout().beat_bytes();
  }

  void take(const Traffic& traffic, bool is_baseline) {
    const Traffic known = counters::stated(traffic);
    if (!lines_.empty()) lines_ += '\n';
    lines_ += records::counter_line({.source = source_.name,
                                     .traffic = known,
                                     .hit_rate = counters::hit_rate(known, source_.why_not.hit_rate),
                                     .baseline = is_baseline,
                                     .beat_bytes = beat_bytes_});
    if (is_baseline) {
      baseline_.add(traffic);
    } else if (const auto filled = watched_.add(traffic)) {
      window_(*filled);
    }
  }

  /// Appends all lines in one call of the system.
  void write() {
    if (lines_.empty()) return;
    file_.append(lines_);
    lines_.clear();
  }

  [[nodiscard]] const Watched& watched() const { return watched_; }
  [[nodiscard]] std::optional<WatchedPart> baseline() const {
    return baseline_.intervals() > 0 ? std::optional(baseline_.whole()) : std::nullopt;
  }
  void set_beat_bytes(unsigned bytes) { beat_bytes_ = bytes; }

 private:
  const WatchSource& source_;
  records::RecordFile& file_;
  const std::function<void(const WatchedPart&)>& window_;
  Watched watched_;
  Watched baseline_;
  std::string lines_;
  unsigned beat_bytes_ = 0;
};

class LiveWatch {
 public:
  LiveWatch(const WatchPlan& plan, WatchSource& source, IntervalRecorder& recorder)
      : plan_(plan),
        recorder_(recorder),
        intervals_(source.counters->layout()),
        reading_(source.counters->layout().empty_snapshot()),
        sampler_(*source.counters, plan.interval) {}

  /// The status of the command, if there is one.
  std::optional<int> run() {
    if (plan_.command.empty()) {
      while (!os::interrupted() && !is_over()) look();
      finish();
      return std::nullopt;
    }
    is_baseline_ = true;
    while (seconds() < baseline_seconds && !os::interrupted()) look();
    is_baseline_ = false;
    if (os::interrupted()) return std::nullopt;
    os::Command command(plan_.command);
    os::yield_to_others();  // the samples wait in the ring while the command needs every CPU
    watching_since_ns_ = os::steady_ns();
    while (!command.status() && !is_over()) look();
    finish();
    while (!command.status()) std::this_thread::sleep_for(between_looks);
    return command.status();
  }

  [[nodiscard]] counters::SamplerCounts counts() const { return sampler_.counts(); }
  [[nodiscard]] double seconds() const { return seconds_since(begin_ns_); }

 private:
  [[nodiscard]] bool is_over() const { return plan_.seconds > 0 && seconds_since(watching_since_ns_) >= plan_.seconds; }

  void look() {
    std::this_thread::sleep_for(between_looks);
    fetch();
  }

  void fetch() {
    while (sampler_.fetch(reading_)) {
      auto traffic = intervals_.add(reading_);
      if (!traffic) continue;
      traffic->begin_seconds = std::max(0.0, traffic->begin_seconds - static_cast<double>(begin_ns_) * 1e-9);
      recorder_.take(*traffic, is_baseline_);
    }
    recorder_.write();
  }

  void finish() {
    sampler_.stop();
    fetch();
  }

  const WatchPlan& plan_;
  IntervalRecorder& recorder_;
  counters::Intervals intervals_;
  counters::CounterSnapshot reading_;
  std::int64_t begin_ns_ = os::steady_ns();
  std::int64_t watching_since_ns_ = begin_ns_;
  bool is_baseline_ = false;
  counters::TrafficSampler sampler_;
};

void replay(const WatchPlan& plan, const WatchSource& source, IntervalRecorder& recorder) {
  const double begin = source.replayed.front().traffic.begin_seconds;
  for (const records::CounterRecord& one : source.replayed) {
    if (os::interrupted()) break;
    if (plan.seconds > 0 && one.traffic.begin_seconds - begin >= plan.seconds) break;
    recorder.set_beat_bytes(one.beat_bytes);
    recorder.take(one.traffic, one.baseline);
  }
  recorder.write();
}

}  // namespace

WatchSource open_watch_source(const std::string& word, const std::filesystem::path& sysfs_root) {
  constexpr std::string_view replay_word = "replay:";
  if (word.starts_with(replay_word)) return replay_of(word.substr(replay_word.size()));
  if (!word.empty() && word != "msr")
    throw UsageError("there is no source '" + word +
                     "': it may be replay:FILE or msr; without --source the counters of this machine are read");
  counters::OpenedSource opened = word.empty() ? counters::open_traffic(sysfs_root) : counters::open_any_machine();
  if (!opened.source) throw UsageError(opened.why_not);
  const counters::Layout& layout = opened.source->layout();
  WatchSource source{
      .name = layout.name,
      .why_not = {.hit_rate = std::string(layout.no_hit_rate), .cpu_latency = std::string(layout.no_cpu_latency)},
      .missing = layout.missing};
  source.counters = std::move(opened.source);
  return source;
}

WatchOutcome watch(const WatchPlan& plan, WatchSource& source, records::RecordFile& file,
                   const std::function<void(const WatchedPart&)>& window) {
  IntervalRecorder recorder(plan, source, file, window);
  const std::int64_t begin_ns = os::steady_ns();
  counters::SamplerCounts counts;
  std::optional<int> command_status;
  const auto end = [&](bool failed) {
    const double seconds = seconds_since(begin_ns);
    const char* const status = failed ? "failed" : os::interrupted() ? "interrupted" : "complete";
    file.append(records::end_line({.status = status, .seconds = seconds}));
    return seconds;
  };
  try {
    if (source.counters) {
      LiveWatch live(plan, source, recorder);
      command_status = live.run();
      counts = live.counts();
    } else {
      replay(plan, source, recorder);
    }
  } catch (const std::system_error&) {
    end(true);
    throw;
  }
  return {.watched = recorder.watched(),
          .baseline = recorder.baseline(),
          .command_status = command_status,
          .sampler = counts,
          .seconds = end(false),
          .interrupted = os::interrupted()};
}

}  // namespace sonde::session
