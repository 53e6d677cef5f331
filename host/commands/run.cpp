#include "commands/commands.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <iostream>

#include "os/file.hpp"
#include "os/this_process.hpp"
#include "session/progress.hpp"
#include "session/run.hpp"
#include "summary/layout.hpp"
#include "summary/summary.hpp"

namespace sonde::commands {
namespace {

using session::Run;
using session::SelectedDevices;
using session::UsageError;

/// A file for each run, numbered where there are several; an empty name stands for the default. Throws UsageError where
/// one is there already, before any run is made.
std::vector<std::string> files_of(const RunOptions& options) {
  const auto runs = static_cast<std::size_t>(options.runs);
  if (runs == 1 || options.out.empty()) return std::vector<std::string>(runs, options.out);
  const std::size_t digits = std::to_string(runs).size();
  std::vector<std::string> files;
  for (std::size_t run = 1; run <= runs; ++run) {
    const std::string number = std::to_string(run);
    const std::string zeros(digits - number.size(), '0');
    const std::filesystem::path file = records::numbered(os::path_of(options.out), zeros + number);
    refuse_if_there(file);
    files.push_back(file.string());
  }
  return files;
}

ExitStatus one_run(const RunOptions& options, const SelectedDevices& choice, bool is_first) {
  const session::RunRequest asked = run_request(options);
  const session::RunLimits limits = run_limits(options);
  const double seconds = limits.budget_seconds;
  const records::RunLine record = run_record_of(options.command, options.seed, effort_within(seconds));
  // The file is made before anything is measured, so that one that cannot be written is noticed then.
  records::RecordFile file = new_record_file(options.out, [&] { return default_path(choice, record); }, record);
  if (is_first) warn_of_special_cases(options, asked.request, choice);

  std::vector<std::string> names;
  for (const measure::Probe* probe : asked.probes) names.emplace_back(probe->name);
  const auto screen = [&](const std::vector<records::Line>& lines) {
    summary::FirstScreenLayout layout = first_screen_layout("");
    layout.columns = message_columns();
    layout.awaited = names;
    return summary::first_screen(lines, layout);
  };
  session::Progress progress(options.progress && os::is_terminal(os::StandardStream::errors), screen);
  Run run(asked, limits, record, file, progress);
  run.measure(choice);
  progress.clear();

  if (options.verbose) std::cout << tables_of(run.lines()) << "\n";
  std::cout << summary::first_screen(run.lines(), first_screen_layout(file.path().string())) << std::flush;
  file.keep();
  if (options.verbose) std::cerr << run.time_spent();
  if (const std::size_t unfinished = run.unfinished(); unfinished > 0 && !os::interrupted())
    std::cerr << summary::wrapped(fmt::format("{:g} s were not enough for all points that {} of {} probes plan at "
                                              "first: a longer run (--time) is sharper.",
                                              seconds, unfinished, asked.probes.size()),
                                  message_columns(), 0);
  if (file.was_made_again())
    spdlog::warn("The record file was removed while it was written; {} has everything again.", file.path().string());
  const bool in_place = file.is_in_place();
  if (!in_place)
    spdlog::warn("The record file is no longer at {}: it was moved or replaced while it was written.",
                 file.path().string());
  if (os::interrupted()) {
    spdlog::warn("Interrupted: everything measured so far is in {}.", file.path().string());
    return ExitStatus::interrupted;
  }
  const bool probe_without_result =
      std::ranges::any_of(options.probes, [&](const std::string& probe) { return !run.measured(probe); });
  const bool nothing_counted = options.counters && run.count<records::CounterLine>() == 0;
  return run.count<records::ErrorLine>() > 0 || probe_without_result || nothing_counted || !in_place
             ? ExitStatus::something_failed
             : ExitStatus::done;
}

}  // namespace

ExitStatus run_command(const RunOptions& options) {
  const session::RunRequest asked = run_request(options);
  os::watch_for_interrupt();
  const SelectedDevices choice = session::choose(asked, listing_time(options.silence_limit_seconds));
  const bool measures_the_cpu = std::ranges::any_of(
      choice.chosen, [](const auto& one) { return std::ranges::find(one.apis, device::Api::cpu) != one.apis.end(); });
  if (!options.allowed.empty() && !measures_the_cpu)
    throw UsageError("--allow-split-locks is for the CPU, which --device leaves out; --device cpu measures it");
  if (os::interrupted()) return ExitStatus::interrupted;
  const std::vector<std::string> files = files_of(options);
  const auto begin = std::chrono::steady_clock::now();
  ExitStatus worst = ExitStatus::done;
  for (std::size_t run = 0; run < files.size(); ++run) {
    RunOptions one = options;
    one.out = files[run];
    one.seed += run;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    one.time_limit_seconds -= options.time_limit_seconds > 0 ? spent.count() : 0;
    if (options.time_limit_seconds > 0 && one.time_limit_seconds <= 0) {
      spdlog::warn("The --time-limit was reached after {} of {} runs; a larger one makes all.", run, files.size());
      return std::max(worst, ExitStatus::something_failed);
    }
    if (files.size() > 1) std::cerr << "Run " << run + 1 << " of " << files.size() << "\n";
    const ExitStatus status = one_run(one, choice, run == 0);
    if (status == ExitStatus::interrupted) return status;
    worst = std::max(worst, status);
  }
  return worst;
}

}  // namespace sonde::commands
