#include "commands/commands.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <iostream>
#include <thread>

#include "os/process.hpp"
#include "os/this_process.hpp"
#include "session/self_check.hpp"
#include "summary/layout.hpp"
#include "summary/live_traffic.hpp"

namespace sonde::commands {
namespace {

using counters::CheckedRole;
using counters::LoadKind;
using session::UsageError;
using session::WatchedPart;
using session::WatchOutcome;
using session::WatchSource;

/// The time of all loads of a self-check where the user asks for no other: repetitions of memory-bound loads are steady
/// with it.
constexpr double usual_seconds = 12;

std::string gbps(const std::optional<double>& value) { return summary::or_unknown(value, "GB/s"); }
std::string percent(const std::optional<double>& share) { return summary::or_unknown(share, "%", 100); }

/// "fabric 210 GB/s, memory 57.1 GB/s, hit rate 72.8 %".
std::string describe(const WatchedPart& part) {
  std::string text = "fabric " + gbps(part.fabric_gbps) + ", memory " + gbps(part.memory_gbps);
  if (const auto& rate = part.hit_rate.reads_and_writes) text += ", hit rate " + percent(rate);
  if (const auto& ns = part.cpu_latency.ns) text += ", CPU latency behind L3 " + summary::or_unknown(ns, "ns");
  return text;
}

void print_busiest(const char* where, const std::optional<WatchedPart>& busiest) {
  if (!busiest) return;
  print_paragraph(fmt::format("Most traffic at {}, {} s from {:.3f} s on: {}", where,
                              summary::three_digits(busiest->seconds), busiest->begin_seconds, describe(*busiest)));
}

void print_hit_rate(const session::Watched& watched, const counters::HitRate& rate) {
  if (!rate.reads_and_writes) {
    print_paragraph("Hit rate: not known, as " + rate.why_not);
    return;
  }
  print_paragraph(fmt::format(
      "Hit rate of the whole time: {} ({} of reads){}", percent(rate.reads_and_writes), percent(rate.reads),
      rate.without_cpu ? ", without the CPU's own requests, which a memory-side cache of the GPU does not serve"
                       : "; the CPU's own requests are in it, as its stations are not counted"));
  if (const auto middle = watched.hit_rate_quantile(0.5)) {
    print_paragraph(
        fmt::format("Hit rate over time: p10 {}, p50 {}, p90 {}, of {} intervals of {} in which it is known",
                    percent(watched.hit_rate_quantile(0.1)), percent(middle), percent(watched.hit_rate_quantile(0.9)),
                    watched.hit_rates.size(), watched.intervals));
  }
}

/// Prints the traffic by requester, where the counters show it.
void print_by_requester(const WatchedPart& whole) {
  if (!whole.cpu_gbps) return;
  if (whole.gpu_gbps) {
    print_paragraph(fmt::format("By requester, at memory: CPU {}, GPU {}, devices {}", gbps(whole.cpu_gbps),
                                gbps(whole.gpu_gbps), gbps(whole.devices_gbps)));
  } else {
    print_paragraph(
        fmt::format("By requester, at the fabric: CPU {}, GPU and devices together {}, as no known counter tells them "
                    "apart",
                    gbps(whole.cpu_gbps), gbps(whole.gpu_and_devices_gbps)));
  }
}

void print_outcome(const WatchOutcome& outcome, const WatchSource& source) {
  const session::Watched& watched = outcome.watched;
  if (watched.intervals == 0) {
    print_paragraph("Watched for less than an interval: nothing was sampled");
    return;
  }
  const WatchedPart whole = watched.whole();
  print_paragraph(
      fmt::format("Watched {} s with {}: {}", summary::three_digits(whole.seconds), source.name, describe(whole)));
  if (outcome.baseline.intervals > 0) {
    const WatchedPart idle = outcome.baseline.whole();
    print_paragraph(fmt::format("Idle before that, {:.2g} s: {}", idle.seconds, describe(idle)));
  }
  print_busiest("memory", watched.busiest_at_memory);
  print_busiest("the fabric", watched.busiest_at_fabric);
  print_hit_rate(watched, whole.hit_rate);
  if (const std::string& why = whole.cpu_latency.why_not; !why.empty())
    print_paragraph("CPU latency behind L3: not known, as " + why);
  print_by_requester(whole);
  if (!watched.labels.empty()) print_paragraph("Some intervals are labelled: " + counters::names_of(watched.labels));
  const counters::SamplerCounts& counts = outcome.sampler;
  if (counts.taken == 0) return;
  print_paragraph(
      fmt::format("Samples: {}, of which {} late; {} skipped and {} lost, whose time is in the next; sampling used "
                  "{:.1f} % of a core",
                  counts.taken, counts.late, counts.skipped, counts.lost, 100 * counts.cpu_seconds / outcome.seconds));
}

ExitStatus watch(const WatchOptions& options, std::chrono::nanoseconds interval, WatchSource& source,
                 records::RecordFile& file) {
  summary::LiveTraffic live(os::is_terminal(os::StandardStream::errors), message_columns());
  const session::WatchPlan plan{.interval = interval,
                                .seconds = options.seconds,
                                .window_seconds = options.window_seconds,
                                .command = options.watched};
  const auto show = [&live](const WatchedPart& part) {
    std::cerr << live.next({part.begin_seconds + part.seconds, part.fabric_gbps, part.memory_gbps,
                            part.hit_rate.reads_and_writes, part.cpu_latency.ns})
              << std::flush;
  };
  std::optional<WatchOutcome> outcome;
  try {
    outcome = session::watch(plan, source, file, show);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("{} cannot be started: {}", options.watched.front(), error.code().message()));
  }
  std::cerr << live.end() << std::flush;
  print_outcome(*outcome, source);
  finish_record_file(file);
  if (outcome->command_status) return static_cast<ExitStatus>(*outcome->command_status);
  return outcome->interrupted ? ExitStatus::interrupted : ExitStatus::done;
}

/// Has a program run to its end; its exit status.
ExitStatus run_unwatched(const std::vector<std::string>& words) try {
  os::watch_for_interrupt();
  os::Command command(words);
  while (!command.status()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return static_cast<ExitStatus>(*command.status());
} catch (const std::system_error& error) {
  throw UsageError(fmt::format("{} cannot be started: {}", words.front(), error.code().message()));
}

void check(const WatchOptions& options) {
  if (options.watched.empty()) return;
  if (options.self_check) throw UsageError("a self-check makes its own traffic, so there is no COMMAND to start");
  if (options.source.starts_with("replay:"))
    throw UsageError("a replay watches a file, so there is no COMMAND to start");
  if (!os::is_program(options.watched.front()))
    throw UsageError("there is no program '" + options.watched.front() + "' that may be run");
}

std::string title_of(const counters::Load& load) {
  const std::string cores = load.cpu_threads == 1 ? "1 core" : fmt::format("{} cores", load.cpu_threads);
  switch (load.kind) {
    case LoadKind::idle: return "idle";
    case LoadKind::read_in_cache: return "reads within its cache, " + cores;
    case LoadKind::read: return "reads, " + cores;
    case LoadKind::write: return "ordinary stores, " + cores;
    case LoadKind::non_temporal_write: return "non-temporal stores, " + cores;
  }
  return "";
}

std::string gigabytes(double bytes) { return summary::three_digits(bytes * 1e-9); }

void print_table(const std::vector<CheckedRole>& roles) {
  summary::TextTable table({{.head = "counter", .left = true},
                            {.head = "load", .left = true},
                            {.head = "moved, GB"},
                            {.head = "seen, GB"},
                            {.head = "ratio"},
                            {.head = "from"},
                            {.head = "to"}});
  bool has_unjudged = false;
  for (const CheckedRole& role : roles) {
    for (const counters::CheckedLoad& one : role.loads) {
      std::vector<std::string> cells{role.title, title_of(one.load), gigabytes(one.moved_bytes),
                                     one.seen_bytes ? gigabytes(*one.seen_bytes) : "unknown"};
      if (one.share) {
        cells.push_back(summary::three_digits(one.share->value) + (one.judged ? "" : " *"));
        cells.push_back(summary::three_digits(one.share->low));
        cells.push_back(summary::three_digits(one.share->high));
        has_unjudged = has_unjudged || !one.judged;
      }
      table.add(std::move(cells));
    }
  }
  std::cout << "\n" << table.text(output_columns());
  if (has_unjudged)
    print_paragraph("* not judged: whether an ordinary store reads its line first depends on the processor");
}

/// Prints what the CPU moved by its own count, which shows that the loads ran.
void print_loads(const std::vector<counters::Repetition>& repetitions) {
  std::map<counters::Load, std::pair<double, double>> moved;
  for (const auto& [known, seen] : repetitions) {
    auto& [bytes, seconds] = moved[known.load];
    bytes += known.moved_bytes;
    seconds += seen.seconds;
  }
  std::string text;
  for (const auto& [load, one] : moved) {
    if (load.kind == LoadKind::idle) continue;
    text += fmt::format("{}{} {} GB/s", text.empty() ? "" : "; ", title_of(load),
                        summary::three_digits(one.first / one.second * 1e-9));
  }
  print_paragraph("Moved by the CPU: " + text);
}

/// Prints a verdict on each counter; returns whether every one may be believed.
bool print_verdicts(const session::SelfCheck& check) {
  if (check.repetitions.empty()) {
    print_paragraph("Ended before the first repetition: nothing is known");
    return false;
  }
  print_loads(check.repetitions);
  const std::vector<CheckedRole> roles = counters::check_roles(check.repetitions);
  if (roles.empty()) {
    print_paragraph(
        fmt::format("{} counts no bytes of memory, so there is nothing to check. The counters of memory traffic "
                    "that this machine has are checked without --source",
                    check.source));
    return false;
  }
  print_table(roles);
  std::cout << "\n";
  for (const CheckedRole& role : roles) print_paragraph(counters::explain(role));
  return std::ranges::all_of(roles, [](const CheckedRole& role) { return counters::is_fine(role.verdict); });
}

/// Makes known traffic and holds the counters against it. Something has failed where a counter may not be believed, or
/// none counts memory.
ExitStatus self_check(const WatchOptions& options, std::chrono::nanoseconds interval, session::SelfCheck& check,
                      WatchSource& source, records::RecordFile& file) {
  session::SelfCheckPlan plan{.interval = interval};
  const auto parts = static_cast<double>(std::max<std::size_t>(1, check.maker.loads.size() * plan.repetitions));
  plan.repetition_seconds = (options.seconds > 0 ? options.seconds : usual_seconds) / parts;
  const bool interrupted = session::run_self_check(plan, check, source, file);
  print_paragraph(fmt::format("Self-check of {}: known traffic of the CPU, idle traffic subtracted", check.source));
  const bool fine = print_verdicts(check);
  finish_record_file(file);
  if (interrupted) return ExitStatus::interrupted;
  return fine ? ExitStatus::done : ExitStatus::something_failed;
}

}  // namespace

ExitStatus watch_command(const WatchOptions& options) {
  check(options);
  WatchSource source = session::open_watch_source(options.source, options.sysfs_root);
  os::drop_capabilities();  // COMMAND must not have the right to open counters
  if (!source.why_not_counted.empty()) {
    // A source that was asked for by its name is what the user wants most.
    if (options.watched.empty() || !options.source.empty()) throw UsageError(source.why_not_counted);
    spdlog::warn("{}. {} runs all the same, and nothing is counted", source.why_not_counted, options.watched.front());
    return run_unwatched(options.watched);
  }
  for (const std::string& missing : source.missing) spdlog::warn("{}", missing);
  if (!source.note.empty()) spdlog::warn("{}", source.note);
  std::optional<session::SelfCheck> to_check;
  if (options.self_check) to_check = session::prepare_self_check(source);
  const records::RunLine record = run_record_of(options.command, 1, "normal");
  const auto default_path = [&] { return commands::default_watch_path(source.name, record); };
  records::RecordFile file = new_record_file(options.out, default_path, record);
  os::watch_for_interrupt();
  const std::chrono::nanoseconds interval(std::llround(options.interval_ms * 1e6));
  return to_check ? self_check(options, interval, *to_check, source, file) : watch(options, interval, source, file);
}

}  // namespace sonde::commands
