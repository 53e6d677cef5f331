#include "commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <iostream>
#include <system_error>

#include "os/file.hpp"
#include "os/this_process.hpp"
#include "probes/catalog.hpp"
#include "probes/split_locks/split_locks.hpp"
#include "records/input_files.hpp"
#include "session/progress.hpp"
#include "session/run.hpp"
#include "summary/layout.hpp"
#include "summary/summary.hpp"

namespace sonde::commands {
namespace {

using session::Run;
using session::SelectedDevices;
using session::UsageError;

/// The probes that are asked; `allowed` has the given options among those without which some probes are not asked.
std::vector<const measure::Probe*> wanted_probes(const std::vector<std::string>& names,
                                                 const std::vector<std::string>& allowed) {
  std::vector<const measure::Probe*> probes;
  for (const std::string& name : names) {
    const std::vector<const measure::Probe*> named = probes::named(name);
    if (named.empty()) throw UsageError("there is no probe '" + name + "'; sonde list shows them");
    for (const measure::Probe* probe : named) {
      if (std::ranges::find(probes, probe) == probes.end()) probes.push_back(probe);
    }
  }
  if (names.empty()) probes.assign(probes::catalog().begin(), probes::catalog().end());
  std::erase_if(probes, [&](const measure::Probe* probe) {
    return !probe->needs_option.empty() && std::ranges::find(allowed, probe->needs_option) == allowed.end();
  });
  return probes;
}

/// The frame that is rendered; throws UsageError where the file is wrong, or given for nothing.
measure::Frame wanted_frame(const RunOptions& options) {
  if (options.frame.empty()) return records::parse_frame(records::built_in_frame_text());
  const bool is_asked = options.probes.empty() || std::ranges::find(options.probes, "frames") != options.probes.end();
  if (!is_asked) throw UsageError("--frame is for the probe frames, which --probe leaves out");
  try {
    return records::parse_frame(records::read_json_text(os::path_of(options.frame), "frame"));
  } catch (const records::InvalidFile& error) {
    throw UsageError(error.what());
  }
}

session::RunRequest run_request(const RunOptions& options) {
  session::RunRequest asked{.devices = options.devices,
                            .api = options.api,
                            .probes = wanted_probes(options.probes, options.allowed),
                            .probes_by_name = !options.probes.empty(),
                            .request = {.seed = options.seed, .frame = wanted_frame(options)}};
  for (const std::string& option : options.allowed) {
    const auto* const probe = *std::ranges::find(probes::catalog(), option, &measure::Probe::needs_option);
    if (std::ranges::find(asked.probes, probe) == asked.probes.end())
      throw UsageError(fmt::format("--{} is for the probe {}, which --probe leaves out", option, probe->name));
  }
  if (!options.sizes.empty()) {
    const auto [least, most] = parse_size_range(options.sizes);
    asked.request.smallest_bytes = least;
    asked.request.largest_bytes = most;
  }
  return asked;
}

constexpr double usual_silence_limit_seconds = 30;

/// The time rounded up, as no time at all means no limit.
std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

/// The budgets that have names, the shortest first.
struct Effort {
  std::string_view name;
  double seconds;
};
constexpr std::array efforts{Effort{"quick", 60}, Effort{"normal", 300}, Effort{"thorough", 1800}};

/// The seconds that an effort stands for, or those that were asked for.
double budget_seconds(const RunOptions& options) {
  if (options.time_seconds > 0) return options.time_seconds;
  return std::ranges::find(efforts, options.effort, &Effort::name)->seconds;
}

/// The longest effort that has no more time; the shortest where all have more.
std::string effort_within(double seconds) {
  const auto longer = std::ranges::find_if(efforts, [seconds](const Effort& one) { return one.seconds > seconds; });
  return std::string(longer == efforts.begin() ? longer->name : std::prev(longer)->name);
}

/// "OpenCL, Vulkan and native code": the APIs that the chosen devices are measured through.
std::string api_names(const SelectedDevices& choice) {
  std::vector<std::string> names;
  for (const auto& [target, api] : choice.work()) {
    if (std::ranges::find(names, records::spoken_name(api)) == names.end()) names.push_back(records::spoken_name(api));
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

void warn_of_special_cases(const RunOptions& options, const measure::Request& request, const SelectedDevices& choice) {
  const bool no_gpu = std::ranges::none_of(choice.machine.devices, [](const records::DeviceRecord& device) {
    return device.type != device::DeviceType::cpu;
  });
  if (options.devices.empty() && no_gpu && !choice.work().empty()) {
    spdlog::warn("No GPU found: the CPU is measured instead, by {}, so the curves show its caches.", api_names(choice));
  }
  if (!options.allowed.empty()) spdlog::warn("{}", probes::split_lock_notice(cpu::split_lock_rule()));
  for (const auto& [target, apis] : choice.chosen) {
    if (target.record.type == device::DeviceType::model)
      spdlog::warn("{} is simulated: its results are no measurement.", target.record.name);
    const std::uint64_t line_bytes = std::max(1u, target.record.line_bytes);
    if (request.smallest_bytes.value_or(0) % line_bytes != 0 || request.largest_bytes.value_or(0) % line_bytes != 0) {
      spdlog::warn("Working sets are whole lines of {} B on {}: what --sizes {} names between them is rounded.",
                   line_bytes, target.record.name, options.sizes);
    }
  }
}

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
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored)))
      throw UsageError(records::already_there(file));
    files.push_back(file.string());
  }
  return files;
}

ExitStatus one_run(const RunOptions& options, const SelectedDevices& choice, bool is_first) {
  const session::RunRequest asked = run_request(options);
  const double seconds = budget_seconds(options);
  const records::RunLine record = run_record_of(options.command, options.seed, effort_within(seconds));
  // The file is made before anything is measured, so that one that cannot be written is noticed then.
  records::RecordFile file = new_record_file(options.out, [&] { return default_path(choice, record); }, record);
  if (is_first) {
    session::warn_of_problems(choice.machine);
    warn_of_special_cases(options, asked.request, choice);
  }

  std::vector<std::string> names;
  for (const measure::Probe* probe : asked.probes) names.emplace_back(probe->name);
  const auto screen = [&](const std::vector<records::Line>& lines) {
    summary::FirstScreenLayout layout = first_screen_layout("");
    layout.columns = message_columns();
    layout.awaited = names;
    return summary::first_screen(lines, layout);
  };
  session::Progress progress(options.progress && os::is_terminal(os::StandardStream::errors), screen);
  const session::RunLimits limits{
      .budget_seconds = seconds,
      .silence = milliseconds(options.silence_limit_seconds.value_or(usual_silence_limit_seconds)),
      .whole_run = milliseconds(options.time_limit_seconds),
      .counts_traffic = options.counters,
      .sysfs_root = options.sysfs_root,
      .shows_diagnostics = options.verbose};
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

std::chrono::milliseconds listing_time(std::optional<double> silence_limit_seconds) {
  return silence_limit_seconds ? milliseconds(*silence_limit_seconds) : session::usual_listing_time;
}

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
