#include "commands/commands.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <exception>
#include <iostream>
#include <system_error>

#include "commands/output.hpp"
#include "os/process.hpp"
#include "os/terminal.hpp"
#include "os/this_process.hpp"
#include "records/record_file.hpp"
#include "session/host.hpp"
#include "session/usage_error.hpp"
#include "session/watch.hpp"
#include "summary/layout.hpp"
#include "summary/live_traffic.hpp"

namespace sonde::commands {
namespace {

using session::UsageError;
using session::WatchedPart;
using session::WatchOutcome;
using session::WatchSource;

/// "fabric 210 GB/s, memory 57.1 GB/s, hit rate 72.8 %".
std::string describe(const WatchedPart& part) {
  std::string text = "fabric " + summary::or_unknown(part.fabric_gbps, "GB/s") + ", memory " +
                     summary::or_unknown(part.memory_gbps, "GB/s");
  if (part.hit_rate) text += ", hit rate " + summary::or_unknown(part.hit_rate, "%", 100);
  if (part.cpu_latency_ns) text += ", CPU latency behind L3 " + summary::or_unknown(part.cpu_latency_ns, "ns");
  return text;
}

void print_busiest(const char* where, const std::optional<WatchedPart>& busiest) {
  if (!busiest) return;
  print_paragraph(fmt::format("Most traffic at {}, {:.3g} s from {:.3f} s on: {}", where, busiest->seconds,
                              busiest->begin_seconds, describe(*busiest)));
}

void print_hit_rate(const WatchOutcome& outcome, const WatchedPart& whole) {
  if (!whole.hit_rate) {
    print_paragraph("Hit rate: not known, as " + whole.no_hit_rate);
    return;
  }
  print_paragraph(
      fmt::format("Hit rate of the whole time: {} ({} of reads){}", summary::or_unknown(whole.hit_rate, "%", 100),
                  summary::or_unknown(whole.hit_rate_of_reads, "%", 100),
                  whole.hit_rate_without_cpu
                      ? ", without the CPU's own requests, which a memory-side cache of the GPU does not serve"
                      : "; the CPU's own requests are in it, as its stations are not counted"));
  const session::Watched& watched = outcome.watched;
  if (const auto middle = watched.hit_rate_quantile(0.5)) {
    print_paragraph(fmt::format(
        "Hit rate over time: p10 {}, p50 {}, p90 {}, of {} intervals of {} in which it is known",
        summary::or_unknown(watched.hit_rate_quantile(0.1), "%", 100), summary::or_unknown(middle, "%", 100),
        summary::or_unknown(watched.hit_rate_quantile(0.9), "%", 100), watched.intervals_with_hit_rate(),
        watched.intervals()));
  }
}

/// Prints the traffic by requester, where the counters show it.
void print_by_requester(const WatchedPart& whole) {
  if (!whole.cpu_gbps) return;
  const bool apart = whole.gpu_gbps.has_value();
  std::string text = fmt::format("By requester, at {}: CPU {}", apart ? "memory" : "the fabric",
                                 summary::or_unknown(whole.cpu_gbps, "GB/s"));
  if (apart) {
    text += ", GPU " + summary::or_unknown(whole.gpu_gbps, "GB/s") + ", devices " +
            summary::or_unknown(whole.devices_gbps, "GB/s");
  } else {
    text += ", GPU and devices together " + summary::or_unknown(whole.gpu_and_devices_gbps, "GB/s") +
            ", as no known counter tells them apart";
  }
  print_paragraph(text);
}

void print_sampler(const WatchOutcome& outcome) {
  const counters::SamplerCounts& counts = outcome.sampler;
  if (counts.taken == 0) return;
  print_paragraph(
      fmt::format("Samples: {}, of which {} late; {} skipped and {} lost, whose time is in the next; sampling used "
                  "{:.1f} % of a core",
                  counts.taken, counts.late, counts.skipped, counts.lost, 100 * counts.cpu_seconds / outcome.seconds));
}

void print_outcome(const WatchOutcome& outcome, const WatchSource& source) {
  if (outcome.watched.intervals() == 0) {
    print_paragraph("Watched for less than an interval: nothing was sampled");
    return;
  }
  const WatchedPart whole = outcome.watched.whole();
  print_paragraph(fmt::format("Watched {:.3g} s with {}: {}", whole.seconds, source.name, describe(whole)));
  if (outcome.baseline)
    print_paragraph(
        fmt::format("Idle before that, {:.2g} s: {}", outcome.baseline->seconds, describe(*outcome.baseline)));
  print_busiest("memory", outcome.watched.busiest_at_memory());
  print_busiest("the fabric", outcome.watched.busiest_at_fabric());
  print_hit_rate(outcome, whole);
  if (!whole.no_cpu_latency.empty()) print_paragraph("CPU latency behind L3: not known, as " + whole.no_cpu_latency);
  print_by_requester(whole);
  std::string labels;
  for (const counters::Label label : outcome.watched.labels())
    labels += (labels.empty() ? "" : ", ") + std::string(counters::name_of(label));
  if (!labels.empty()) print_paragraph("Some intervals are labelled: " + labels);
  print_sampler(outcome);
}

void check(const WatchOptions& options) {
  if (options.watched.empty()) return;
  if (options.self_check) throw UsageError("a self-check makes its own traffic, so there is no COMMAND to start");
  if (options.source.starts_with("replay:"))
    throw UsageError("a replay watches a file, so there is no COMMAND to start");
  if (!os::is_program(options.watched.front()))
    throw UsageError("there is no program '" + options.watched.front() + "' that may be run");
}

/// Opens the counters, and gives up the right to open any.
WatchSource source_of(const WatchOptions& options) {
  WatchSource source = session::open_watch_source(options.source, options.sysfs_root);
  os::drop_capabilities();  // COMMAND must not have it
  return source;
}

}  // namespace

ExitStatus watch_command(const WatchOptions& options) {
  check(options);
  WatchSource source = source_of(options);
  for (const std::string& missing : source.missing) spdlog::warn("{}", missing);
  if (!source.note.empty()) spdlog::warn("{}", source.note);
  if (options.self_check) return self_check_command(options, source);
  const records::RunRecord record = run_record_of(options.command, 1, "normal");
  const auto default_path = [&] { return session::default_watch_path(source.name, record); };
  records::RecordFile file = new_record_file(options.out, default_path, record);
  os::watch_for_interrupt();
  const bool drawn = os::is_terminal(os::StandardStream::errors);
  summary::LiveTraffic live(drawn, message_columns());
  const session::WatchPlan plan{
      .interval = std::chrono::nanoseconds(static_cast<std::int64_t>(std::llround(options.interval_ms * 1e6))),
      .seconds = options.seconds,
      .window_seconds = options.window_seconds,
      .command = options.watched};
  const auto show = [&live](const WatchedPart& part) {
    std::cerr << live.next({part.begin_seconds + part.seconds, part.fabric_gbps, part.memory_gbps, part.hit_rate,
                            part.cpu_latency_ns})
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

}  // namespace sonde::commands
