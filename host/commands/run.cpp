#include "commands/run.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "commands/sizes.hpp"
#include "probes/catalog.hpp"
#include "records/record_file.hpp"
#include "session/devices.hpp"
#include "session/host.hpp"
#include "session/interrupt.hpp"
#include "session/plan.hpp"
#include "session/progress.hpp"
#include "session/result_path.hpp"
#include "session/run.hpp"
#include "session/selection.hpp"
#include "session/terminal.hpp"
#include "session/usage_error.hpp"
#include "summary/summary.hpp"
#include "version.hpp"

namespace sonde::commands {
namespace {

using session::Machine;
using session::Run;
using session::Target;
using session::UsageError;

measure::Effort effort_of(const std::string& word) {
  if (word == "quick") return measure::Effort::quick;
  return word == "normal" ? measure::Effort::normal : measure::Effort::thorough;
}

std::vector<const measure::Probe*> wanted_probes(const std::vector<std::string>& names) {
  std::vector<const measure::Probe*> probes;
  for (const std::string& name : names) {
    const measure::Probe* probe = probes::find(name);
    if (probe == nullptr) throw UsageError("there is no probe '" + name + "'; sonde list shows them");
    if (std::ranges::find(probes, probe) == probes.end()) probes.push_back(probe);
  }
  if (names.empty()) probes.assign(probes::catalog().begin(), probes::catalog().end());
  return probes;
}

/// Whether the processor itself is asked anything: where no driver's API was chosen, or such a probe by its name.
bool asks_the_cpu(const RunOptions& options, std::span<const measure::Probe* const> probes) {
  return std::ranges::any_of(probes, &measure::Probe::of_the_cpu) && (options.api == "all" || !options.probes.empty());
}

std::vector<gpu::Api> wanted_apis(const RunOptions& options, std::span<const measure::Probe* const> probes,
                                  const Target& target) {
  if (target.description) return {gpu::Api::model};
  std::vector<gpu::Api> apis;
  if (!target.beside_gpus && !std::ranges::all_of(probes, &measure::Probe::of_the_cpu)) {
    if (options.api != "vulkan") apis.push_back(gpu::Api::opencl);
    if (options.api != "opencl") apis.push_back(gpu::Api::vulkan);
  }
  if (target.record.cpu && asks_the_cpu(options, probes)) apis.push_back(gpu::Api::cpu);
  return apis;
}

/// What a run measures where nobody said: the GPUs, and beside them the processor that shares their memory.
void add_the_cpu(std::vector<Target>& targets, const std::vector<records::DeviceRecord>& devices) {
  const auto is_cpu = [](const records::DeviceRecord& device) { return device.type == gpu::DeviceType::cpu; };
  if (std::ranges::any_of(targets, is_cpu, &Target::record)) return;
  const auto cpu = std::ranges::find_if(devices, is_cpu);
  if (cpu != devices.end()) targets.push_back({.record = *cpu, .description = std::nullopt, .beside_gpus = true});
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

void check_sizes(const measure::Request& request, const records::DeviceRecord& device) {
  const auto text = [](std::uint64_t bytes) { return measure::size_text(static_cast<double>(bytes)); };
  if (request.smallest_bytes && *request.smallest_bytes < device.line_bytes) {
    throw UsageError("--sizes starts at " + text(*request.smallest_bytes) + ", below one line of " + device.name +
                     " (" + text(device.line_bytes) + ")");
  }
  if (request.largest_bytes && device.memory_bytes != 0 && *request.largest_bytes > device.memory_bytes) {
    throw UsageError("--sizes ends at " + text(*request.largest_bytes) + ", above the memory of " + device.name + " (" +
                     text(device.memory_bytes) + ")");
  }
}

void say_what_is_measured(const RunOptions& options, const Machine& machine, const std::vector<Target>& targets) {
  const bool no_gpu = std::ranges::none_of(
      machine.devices, [](const records::DeviceRecord& device) { return device.type != gpu::DeviceType::cpu; });
  if (options.devices.empty() && no_gpu) {
    spdlog::warn("No GPU found: the CPU is measured through OpenCL and Vulkan instead, so the curves show its caches.");
  }
  for (const Target& target : targets) {
    if (target.description) spdlog::warn("{} is simulated: its results are no measurement.", target.record.name);
  }
}

}  // namespace

ExitStatus run_command(const RunOptions& options) {
  const std::vector<const measure::Probe*> probes = wanted_probes(options.probes);
  measure::Request request{.effort = effort_of(options.effort),
                           .smallest_bytes = std::nullopt,
                           .largest_bytes = std::nullopt,
                           .seed = options.seed};
  if (!options.sizes.empty()) {
    const auto [least, most] = parse_size_range(options.sizes);
    request.smallest_bytes = least;
    request.largest_bytes = most;
  }
  session::watch_for_interrupt();
  const bool only_models =
      !options.devices.empty() &&
      std::ranges::all_of(options.devices, [](const std::string& selector) { return selector.starts_with("model:"); });
  const auto silence_limit = milliseconds(options.silence_limit_seconds);
  const Machine machine = only_models ? Machine{} : session::discover_devices(silence_limit);
  if (session::interrupted()) return ExitStatus::interrupted;
  const auto warn_of_problems = [&machine] {
    for (const auto& [api, problem] : machine.problems) spdlog::warn("{}: {}", records::spoken_name(api), problem);
  };
  const auto nothing_here = [&warn_of_problems] {
    warn_of_problems();
    return UsageError("there is no device to measure; sonde list says what is missing");
  };
  if (!only_models && machine.devices.empty()) throw nothing_here();
  std::vector<Target> targets = session::select(machine.devices, options.devices);
  if (options.devices.empty() && asks_the_cpu(options, probes)) add_the_cpu(targets, machine.devices);
  std::vector<std::pair<const Target*, gpu::Api>> work;
  for (const Target& target : targets) {
    check_sizes(request, target.record);
    for (const gpu::Api api : wanted_apis(options, probes, target)) {
      if (records::through(target.record, api) != nullptr) work.emplace_back(&target, api);
    }
  }
  if (work.empty() && std::ranges::all_of(probes, &measure::Probe::of_the_cpu)) {
    throw UsageError("what was asked is asked of the CPU itself; choose it with --device cpu");
  }
  if (work.empty()) throw nothing_here();

  const records::RunRecord run_record{.run = session::random_uuid(),
                                      .time = session::time_now(),
                                      .version = version,
                                      .commit = commit,
                                      .command = options.command,
                                      .seed = options.seed,
                                      .effort = options.effort,
                                      .host = session::describe_host()};
  std::optional<records::RecordFile> file;
  try {
    file.emplace(options.out.empty()
                     ? session::default_path(targets, wanted_apis(options, probes, targets.front()), run_record)
                     : std::filesystem::path(options.out));
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
  warn_of_problems();
  say_what_is_measured(options, machine, targets);
  std::cerr << session::plan(work, probes, request, options.time_limit_seconds);
  int workers = 0;
  for (const auto& [target, api] : work) workers += Run::workers_for(*target, api, probes);
  session::Progress progress(options.progress && session::is_terminal(STDERR_FILENO), workers);
  const session::RunLimits limits{.silence = silence_limit,
                                  .whole_run = milliseconds(options.time_limit_seconds),
                                  .sysfs_root = options.sysfs_root};
  Run run(probes, request, limits, *file, progress, options.verbose);
  run.append(records::run_line(run_record));
  for (const Target& target : targets) run.append(records::device_line(target.record));
  for (const Target& target : targets) {
    for (const gpu::Api api : wanted_apis(options, probes, target)) {
      if (session::interrupted()) break;
      if (records::through(target.record, api) != nullptr) {
        run.probe(target, api);
        continue;
      }
      const auto problem = machine.problems.find(api);
      const std::string reason = problem != machine.problems.end() ? problem->second
                                                                   : "no " + records::spoken_name(api) +
                                                                         " driver shows this device; install the GPU's";
      run.skip(target, api, reason);
    }
    run.compare_apis(target);
  }
  progress.clear();

  const bool failed = run.count("error") > 0;
  run.append(records::end_line({.status = session::interrupted() ? "interrupted"
                                          : failed               ? "failed"
                                                                 : "complete",
                                .seconds = run.seconds(),
                                .samples = run.count("sample"),
                                .skips = run.count("skip"),
                                .errors = run.count("error")}));
  std::vector<records::DeviceRecord> devices;
  for (const Target& target : targets) devices.push_back(target.record);
  std::cout << summary::summary(devices, run.lines(), session::output_has_colour());
  std::cout << "\nRecord: " << file->path().string() << "\n" << std::flush;
  if (session::interrupted()) {
    spdlog::warn("Interrupted: everything measured so far is in {}.", file->path().string());
    return ExitStatus::interrupted;
  }
  const bool asked_in_vain =
      std::ranges::any_of(options.probes, [&](const std::string& probe) { return !run.measured(probe); });
  return failed || asked_in_vain ? ExitStatus::something_failed : ExitStatus::done;
}

}  // namespace sonde::commands
