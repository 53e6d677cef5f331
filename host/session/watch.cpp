#include "session/watch.hpp"

#include "analysis/statistics.hpp"
#include "counters/traffic/sources.hpp"
#include "os/file.hpp"
#include "os/process.hpp"
#include "os/this_process.hpp"
#include "os/threads.hpp"
#include "os/time.hpp"
#include "records/input_files.hpp"
#include "session/selection.hpp"

namespace sonde::session {
namespace {

using counters::Role;
using counters::Traffic;

constexpr double baseline_seconds = 0.5;
/// The pause between two looks at the samples: long enough to cost little, short enough for a line to be fresh.
constexpr std::chrono::milliseconds between_looks{50};

double seconds_since(std::int64_t moment_ns) { return static_cast<double>(os::steady_ns() - moment_ns) * 1e-9; }

WatchSource replay_of(const std::string& path) try {
  WatchSource source{.name = "replay"};
  for (const records::Line& line : records::read_file(os::path_of(path), source.note)) {
    if (const auto* one = std::get_if<records::CounterLine>(&line)) source.replayed.push_back(*one);
  }
  if (source.replayed.empty()) throw UsageError(path + ": there are no counter records in this file");
  return source;
} catch (const records::InvalidFile& problem) {
  throw UsageError(problem.what());
}

/// Gigabytes a second of some roles together; nothing where one of them is not known.
std::optional<double> gbps(const Traffic& traffic, std::initializer_list<Role> roles) {
  double bytes = 0;
  for (const Role role : roles) {
    if (!traffic.amounts[role] || !(traffic.seconds > 0)) return std::nullopt;
    bytes += *traffic.amounts[role];
  }
  return bytes / traffic.seconds * 1e-9;
}

void keep_larger(std::optional<WatchedPart>& largest, const WatchedPart& part,
                 std::optional<double> WatchedPart::* traffic) {
  if (part.*traffic && (!largest || *(part.*traffic) > *((*largest).*traffic))) largest = part;
}

/// Makes a record of each interval, and adds it to the sums.
struct IntervalRecorder {
  const WatchSource& source;
  records::RecordFile& file;
  const std::function<void(const WatchedPart&)>& window;
  WatchOutcome& outcome;
  std::string lines;

  void take(const Traffic& traffic, bool is_baseline, unsigned beat_bytes) {
    const Traffic known = counters::stated(traffic);
    if (!lines.empty()) lines += '\n';
    lines += records::counter_line({.source = source.name,
                                    .traffic = known,
                                    .hit_rate = counters::hit_rate(known, source.why_not.hit_rate),
                                    .baseline = is_baseline,
                                    .beat_bytes = beat_bytes});
    const auto filled = (is_baseline ? outcome.baseline : outcome.watched).add(traffic);
    if (filled && !is_baseline) window(*filled);
  }

  /// Appends all lines in one call of the system.
  void write() {
    if (!lines.empty()) file.append(lines);
    lines.clear();
  }
};

void watch_counters(const WatchPlan& plan, counters::CounterSource& source, IntervalRecorder& recorder) {
  const counters::Layout& layout = source.layout();
  counters::Intervals intervals(layout);
  counters::CounterSnapshot reading = layout.empty_snapshot();
  const std::int64_t begin_ns = os::steady_ns();
  std::int64_t watching_since_ns = begin_ns;
  bool is_baseline = !plan.command.empty();
  counters::TrafficSampler sampler(source, plan.interval);
  const auto fetch = [&] {
    while (sampler.fetch(reading)) {
      auto traffic = intervals.add(reading);
      if (!traffic) continue;
      traffic->begin_seconds = std::max(0.0, traffic->begin_seconds - static_cast<double>(begin_ns) * 1e-9);
      recorder.take(*traffic, is_baseline, layout.beat_bytes());
    }
    recorder.write();
  };
  const auto look_until = [&](const auto& is_over) {
    while (!is_over()) {
      std::this_thread::sleep_for(between_looks);
      fetch();
    }
  };
  std::optional<os::Command> command;
  if (is_baseline) {
    look_until([&] { return seconds_since(begin_ns) >= baseline_seconds || os::interrupted(); });
    is_baseline = false;
    recorder.outcome.sampler = sampler.counts();
    if (os::interrupted()) return;
    command.emplace(plan.command);
    os::yield_to_others();  // the samples wait in the ring while the command needs every CPU
    watching_since_ns = os::steady_ns();
  }
  look_until([&] {
    return (command ? command->status().has_value() : os::interrupted().load()) ||
           (plan.seconds > 0 && seconds_since(watching_since_ns) >= plan.seconds);
  });
  sampler.stop();
  fetch();
  recorder.outcome.sampler = sampler.counts();
  if (!command) return;
  while (!command->status()) std::this_thread::sleep_for(between_looks);
  recorder.outcome.command_status = command->status();
}

void replay(const WatchPlan& plan, const WatchSource& source, IntervalRecorder& recorder) {
  const double begin = source.replayed.front().traffic.begin_seconds;
  for (const records::CounterLine& one : source.replayed) {
    if (os::interrupted()) break;
    if (plan.seconds > 0 && one.traffic.begin_seconds - begin >= plan.seconds) break;
    recorder.take(one.traffic, one.baseline, one.beat_bytes);
  }
  recorder.write();
}

}  // namespace

WatchedPart part_of(const Traffic& traffic, const counters::WhyNot& why_not) {
  const Traffic known = counters::stated(traffic);
  WatchedPart part{.begin_seconds = traffic.begin_seconds,
                   .seconds = traffic.seconds,
                   .fabric_gbps = gbps(known, {Role::fabric_read, Role::fabric_write}),
                   .memory_gbps = gbps(known, {Role::memory_read, Role::memory_write}),
                   .hit_rate = counters::hit_rate(known, why_not.hit_rate),
                   .cpu_latency = counters::cpu_latency(known, why_not.cpu_latency),
                   .cpu_gbps = gbps(known, {Role::cpu_requests}),
                   .gpu_gbps = gbps(known, {Role::gpu_requests}),
                   .devices_gbps = gbps(known, {Role::io_requests})};
  if (part.cpu_gbps) return part;
  part.cpu_gbps = gbps(known, {Role::cpu_read, Role::cpu_write});
  // The fabric's traffic without the CPU's is that of the GPU and devices: no counter that is known here tells those
  // apart. It may be negative: traffic from core to core is the CPU's but passes no station.
  if (part.cpu_gbps && part.fabric_gbps) part.gpu_and_devices_gbps = *part.fabric_gbps - *part.cpu_gbps;
  return part;
}

std::optional<WatchedPart> Watched::add(const Traffic& interval) {
  ++intervals;
  labels.insert(interval.labels.begin(), interval.labels.end());
  if (const auto rate = part_of(interval, why_not_).hit_rate.reads_and_writes) hit_rates.push_back(*rate);
  window_.push_back(interval);
  window_filled_ += interval.seconds;
  // In floating point, ten intervals of a tenth are a little less than one.
  if (window_filled_ < 0.999 * window_seconds_) return std::nullopt;
  windows_.push_back(counters::total(window_));
  window_.clear();
  window_filled_ = 0;
  WatchedPart part = part_of(windows_.back(), why_not_);
  keep_larger(busiest_at_fabric, part, &WatchedPart::fabric_gbps);
  keep_larger(busiest_at_memory, part, &WatchedPart::memory_gbps);
  return part;
}

WatchedPart Watched::whole() const {
  std::vector<Traffic> all = windows_;
  all.insert(all.end(), window_.begin(), window_.end());
  return part_of(counters::total(all), why_not_);
}

std::optional<double> Watched::hit_rate_quantile(double share) const {
  return hit_rates.empty() ? std::nullopt : std::optional(analysis::quantile(hit_rates, share));
}

WatchSource open_watch_source(const std::string& word, const std::filesystem::path& sysfs_root) {
  constexpr std::string_view replay_word = "replay:";
  if (word.starts_with(replay_word)) return replay_of(word.substr(replay_word.size()));
  if (!word.empty() && word != "msr")
    throw UsageError("there is no source '" + word +
                     "': it may be replay:FILE or msr; without --source the counters of this machine are read");
  counters::OpenedSource opened = word.empty() ? counters::open_traffic(sysfs_root) : counters::open_any_machine();
  if (!opened.source) return {.why_not_counted = opened.why_not};
  const counters::Layout& layout = opened.source->layout();
  WatchSource source{.name = layout.name, .why_not = layout.why_not, .missing = layout.missing};
  source.counters = std::move(opened.source);
  return source;
}

WatchOutcome watch(const WatchPlan& plan, WatchSource& source, records::RecordFile& file,
                   const std::function<void(const WatchedPart&)>& window) {
  const Watched nothing(plan.window_seconds, source.why_not);
  WatchOutcome outcome{.watched = nothing, .baseline = nothing};
  IntervalRecorder recorder{source, file, window, outcome, {}};
  const std::int64_t begin_ns = os::steady_ns();
  const auto end = [&](const char* status) {
    outcome.seconds = seconds_since(begin_ns);
    file.append(records::text_of(records::EndLine{.status = status, .seconds = outcome.seconds}));
  };
  try {
    if (source.counters) {
      watch_counters(plan, *source.counters, recorder);
    } else {
      replay(plan, source, recorder);
    }
  } catch (const std::system_error&) {
    end("failed");
    throw;
  }
  outcome.interrupted = os::interrupted();
  end(outcome.interrupted ? "interrupted" : "complete");
  return outcome;
}

}  // namespace sonde::session
