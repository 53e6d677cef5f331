#include "commands/commands.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "commands/output.hpp"
#include "os/this_process.hpp"
#include "records/record_file.hpp"
#include "session/host.hpp"
#include "session/self_check.hpp"
#include "summary/layout.hpp"

namespace sonde::commands {
namespace {

using counters::CheckedLoad;
using counters::CheckedRole;
using counters::LoadKind;

/// The time of all loads together where the user asks for no other: repetitions of memory-bound loads are steady with
/// it.
constexpr double usual_seconds = 12;

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
  summary::Table table({{.head = "counter", .left = true},
                        {.head = "load", .left = true},
                        {.head = "moved, GB"},
                        {.head = "seen, GB"},
                        {.head = "ratio"},
                        {.head = "from"},
                        {.head = "to"}});
  bool has_unjudged = false;
  for (const CheckedRole& role : roles) {
    for (const CheckedLoad& one : role.loads) {
      std::vector<std::string> cells{counters::title_of(role.role), title_of(one.load), gigabytes(one.moved_bytes),
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
bool print_verdicts(const std::string& source, const session::SelfCheckOutcome& outcome) {
  const std::vector<CheckedRole>& roles = outcome.roles;
  if (outcome.repetitions.empty()) {
    print_paragraph("Ended before the first repetition: nothing is known");
    return false;
  }
  print_loads(outcome.repetitions);
  if (roles.empty()) {
    print_paragraph(
        fmt::format("{} counts no bytes of memory, so there is nothing to check. The counters of memory traffic "
                    "that this machine has are checked without --source",
                    source));
    return false;
  }
  print_table(roles);
  std::cout << "\n";
  for (const CheckedRole& role : roles) print_paragraph(counters::explain(role));
  return std::ranges::all_of(roles, [](const CheckedRole& role) { return counters::is_fine(role.verdict); });
}

}  // namespace

ExitStatus self_check_command(const WatchOptions& options, session::WatchSource& source) {
  const session::SelfCheck check = session::prepare_self_check(source);
  const records::RunRecord record = run_record_of(options.command, 1, "normal");
  const auto default_path = [&] { return session::default_watch_path(source.name, record); };
  records::RecordFile file = new_record_file(options.out, default_path, record);
  os::watch_for_interrupt();
  session::SelfCheckPlan plan{
      .interval = std::chrono::nanoseconds(static_cast<std::int64_t>(std::llround(options.interval_ms * 1e6)))};
  const auto parts = static_cast<double>(std::max<std::size_t>(1, check.maker.loads.size() * plan.repetitions));
  plan.repetition_seconds = (options.seconds > 0 ? options.seconds : usual_seconds) / parts;
  const session::SelfCheckOutcome outcome = session::run_self_check(plan, check, source, file);
  print_paragraph(fmt::format("Self-check of {}: known traffic of the CPU, idle traffic subtracted", check.source));
  const bool fine = print_verdicts(check.source, outcome);
  finish_record_file(file);
  if (outcome.interrupted) return ExitStatus::interrupted;
  return fine ? ExitStatus::done : ExitStatus::something_failed;
}

}  // namespace sonde::commands
