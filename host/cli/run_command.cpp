#include "cli/run_command.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>

#include "cli/devices.hpp"
#include "cli/host.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/selection.hpp"
#include "cli/sizes.hpp"
#include "cli/summary.hpp"
#include "cli/terminal.hpp"
#include "cli/usage_error.hpp"
#include "cli/worker_task.hpp"
#include "probes/catalog.hpp"
#include "probes/levels_agreement.hpp"
#include "records/record_file.hpp"
#include "version.hpp"

namespace sonde::cli {
namespace {

using measure::WorkerEnd;
using records::Line;

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

std::vector<gpu::Api> wanted_apis(const std::string& word, const Target& target) {
  if (target.description) return {gpu::Api::model};
  if (word == "opencl") return {gpu::Api::opencl};
  if (word == "vulkan") return {gpu::Api::vulkan};
  return {gpu::Api::opencl, gpu::Api::vulkan};
}

void check_sizes(const measure::Request& request, const records::DeviceRecord& device) {
  const auto text = [](std::uint64_t bytes) { return measure::size_text(static_cast<double>(bytes)); };
  if (request.smallest_bytes && *request.smallest_bytes < device.line_bytes) {
    throw UsageError("--sizes starts at " + text(*request.smallest_bytes) + ", below one line of " + device.name + " (" +
                     text(device.line_bytes) + ")");
  }
  if (request.largest_bytes && device.memory_bytes != 0 && *request.largest_bytes > device.memory_bytes) {
    throw UsageError("--sizes ends at " + text(*request.largest_bytes) + ", above the memory of " + device.name + " (" +
                     text(device.memory_bytes) + ")");
  }
}

/// A part of a file name: what a shell or a file system could mind becomes a dash.
std::string file_word(const std::string& text, std::size_t longest) {
  std::string word;
  for (const char letter : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '_';
    if (plain) {
      word += letter;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  word.resize(std::min(word.size(), longest));
  while (!word.empty() && word.back() == '-') word.pop_back();
  return word;
}

std::string driver_word(const Target& target, const std::string& api) {
  std::string word;
  for (const gpu::Api one : wanted_apis(api, target)) {
    const records::ApiDevice* device = through(target.record, one);
    if (device == nullptr) continue;
    const std::string version = file_word(device->info.driver_version, 16);
    if (version == word) continue;  // both APIs of one driver package
    word += (word.empty() ? "" : "+") + version;
  }
  return word.empty() ? "simulated" : word;
}

std::filesystem::path default_path(const std::vector<Target>& targets, const RunOptions& options,
                                   const records::RunRecord& run) {
  const bool cpu = targets.front().record.type == gpu::DeviceType::cpu;
  const std::string device = targets.size() > 1 ? std::to_string(targets.size()) + "-devices"
                             : cpu              ? "cpu"
                                                : file_word(targets.front().record.name, 40);
  const std::string stem = file_word(run.host.name, 30) + "-" + device + "-" + driver_word(targets.front(), options.api) +
                           "-" + compact_time(run.time);
  std::error_code problem;
  std::filesystem::create_directories("results", problem);
  if (problem) throw UsageError("cannot make the folder results: " + problem.message() + "; choose a file with --out");
  std::filesystem::path path = std::filesystem::path("results") / (stem + ".jsonl");
  for (int count = 2; std::filesystem::exists(path); ++count) {
    path = std::filesystem::path("results") / (stem + "-" + std::to_string(count) + ".jsonl");
  }
  return path;
}

/// The run as it goes: what workers send is appended to the file, shown and kept for the summary.
class Run {
 public:
  Run(const RunOptions& options, std::vector<const measure::Probe*> probes, measure::Request request,
      records::RecordFile& file, int workers)
      : options_(options),
        probes_(std::move(probes)),
        request_(request),
        file_(file),
        progress_(options.progress && is_terminal(STDERR_FILENO), workers) {
    if (options.time_limit_seconds > 0) {
      end_ = start_ + std::chrono::milliseconds(static_cast<std::int64_t>(options.time_limit_seconds * 1000));
    }
  }

  void append(const std::string& text) {
    file_.append(text);
    if (const auto line = records::parse_line(text)) lines_.push_back(*line);
  }

  void probe(const Target& target, gpu::Api api) {
    measure::Request request = request_;
    request.line_bytes = target.record.line_bytes;
    const WorkerTask task{target, api, probes_, request, start_};
    Line last_point;
    const auto take = [&](std::string_view text) {
      const auto line = records::parse_line(text);
      if (!line) {
        spdlog::error("a worker sent something that is no record: {}", text);
      } else if (line->kind == "plan") {
        progress_.planned(line->expected_seconds);
      } else if (line->kind == "point") {
        last_point = *line;
        progress_.point_started(line->name, line->expected_seconds);
      } else if (line->kind != "alive") {
        file_.append(text);
        lines_.push_back(*line);
      }
    };
    const auto diagnose = [&](std::string_view text) {
      if (!options_.verbose) return;
      progress_.clear();
      std::cerr << text;
    };
    progress_.worker_started(target.record.name + ", " + spoken_name(api));
    const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(options_.silence_limit_seconds * 1000));
    const WorkerEnd end =
        measure::run_worker([&task](const measure::SendLine& send) { do_task(task, send); },
                   {.line = take, .tick = [this] { progress_.draw(); }, .diagnostics = diagnose}, {limit, end_}, interrupted());
    progress_.worker_ended();
    if (end.how == WorkerEnd::How::out_of_time) {
      skip_for_time({target.record.id, records::api_name(api), last_point.origin.probe}, last_point);
    }
    if (end.how == WorkerEnd::How::crashed || end.how == WorkerEnd::How::silent) {
      record_death(end, {target.record.id, records::api_name(api), last_point.origin.probe}, last_point);
    }
  }

  std::size_t count(const std::string& kind) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines_, [&](const Line& line) { return line.kind == kind; }));
  }

  bool measured(const std::string& probe) const {
    return std::ranges::any_of(lines_, [&](const Line& line) { return line.kind == "sample" && line.origin.probe == probe; });
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  const std::vector<Line>& lines() const { return lines_; }
  void clear_progress() { progress_.clear(); }

  bool out_of_time() const { return std::chrono::steady_clock::now() > end_; }

  /// Where the run's time ended, in words; `last_point` may be empty.
  void skip_for_time(records::Origin origin, const Line& last_point) {
    const std::string where = last_point.name.empty() ? "" : ", at " + last_point.name;
    if (origin.probe.empty()) origin.probe = std::string(probes_.front()->name);
    append(records::skip_line(origin, last_point.name.empty() ? nullptr : &last_point.point,
                              "the run's --time-limit was reached" + where + "; a larger one goes on"));
  }

  /// What both APIs of a device say of its levels, held against each other.
  void compare_apis(const Target& target) {
    std::array<std::vector<measure::FoundLevel>, 2> levels;
    for (const Line& line : lines_) {
      if (line.kind != "level" || line.origin.device != target.record.id) continue;
      levels[line.origin.api == records::api_name(gpu::Api::vulkan) ? 1 : 0].push_back(line.level);
    }
    const auto finding = probes::disagreement(levels[0], levels[1]);
    if (!finding) return;
    for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan}) {
      append(records::finding_line({target.record.id, records::api_name(api), std::string(probes::latency.name)}, *finding));
    }
  }

 private:
  void record_death(const WorkerEnd& end, records::Origin origin, const Line& last_point) {
    std::string reason = end.reason;
    const bool at_a_point = !last_point.name.empty();
    reason += at_a_point ? ", at " + last_point.name : ", before its first point";
    if (!end.last_words.empty()) reason += "; its last words: " + end.last_words;
    if (origin.probe.empty()) origin.probe = std::string(probes_.front()->name);
    append(records::error_line(origin, at_a_point ? &last_point.point : nullptr, reason));
  }

  const RunOptions& options_;
  std::vector<const measure::Probe*> probes_;
  measure::Request request_;
  records::RecordFile& file_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
  std::vector<Line> lines_;
};

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
  watch_for_interrupt();
  const bool only_models = !options.devices.empty() && std::ranges::all_of(options.devices, [](const std::string& selector) {
    return selector.starts_with("model:");
  });
  const auto silence_limit = std::chrono::milliseconds(static_cast<std::int64_t>(options.silence_limit_seconds * 1000));
  const Machine machine = only_models ? Machine{} : look_around(silence_limit);
  if (interrupted()) return ExitStatus::interrupted;
  const auto warn_of_problems = [&machine] {
    for (const auto& [api, problem] : machine.problems) spdlog::warn("{}: {}", spoken_name(api), problem);
  };
  const auto nothing_here = [&warn_of_problems] {
    warn_of_problems();
    return UsageError("there is no device to measure; sonde list says what is missing");
  };
  if (!only_models && machine.devices.empty()) throw nothing_here();
  const std::vector<Target> targets = select(machine.devices, options.devices);
  std::vector<std::pair<const Target*, gpu::Api>> work;
  for (const Target& target : targets) {
    check_sizes(request, target.record);
    for (const gpu::Api api : wanted_apis(options.api, target)) {
      if (through(target.record, api) != nullptr) work.emplace_back(&target, api);
    }
  }
  if (work.empty()) throw nothing_here();

  const records::RunRecord run_record{.run = random_uuid(),
                                      .time = time_now(),
                                      .version = version,
                                      .commit = commit,
                                      .command = options.command,
                                      .seed = options.seed,
                                      .effort = options.effort,
                                      .host = describe_host()};
  std::optional<records::RecordFile> file;
  try {
    file.emplace(options.out.empty() ? default_path(targets, options, run_record) : std::filesystem::path(options.out));
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
  warn_of_problems();
  say_what_is_measured(options, machine, targets);
  Run run(options, probes, request, *file, static_cast<int>(work.size()));
  run.append(records::run_line(run_record));
  for (const Target& target : targets) run.append(records::device_line(target.record));
  for (const Target& target : targets) {
    for (const gpu::Api api : wanted_apis(options.api, target)) {
      if (interrupted()) break;
      if (through(target.record, api) != nullptr) {
        if (run.out_of_time()) {
          run.skip_for_time({target.record.id, records::api_name(api), ""}, {});
        } else {
          run.probe(target, api);
        }
        continue;
      }
      const auto problem = machine.problems.find(api);
      const std::string reason = problem != machine.problems.end()
                                     ? problem->second
                                     : "no " + spoken_name(api) + " driver shows this device; install the GPU's";
      for (const measure::Probe* probe : probes) {
        run.append(records::skip_line({target.record.id, records::api_name(api), std::string(probe->name)}, nullptr, reason));
      }
    }
    run.compare_apis(target);
  }
  run.clear_progress();

  const bool failed = run.count("error") > 0;
  run.append(records::end_line({.status = interrupted() ? "interrupted" : failed ? "failed" : "complete",
                                .seconds = run.seconds(),
                                .samples = run.count("sample"),
                                .skips = run.count("skip"),
                                .errors = run.count("error")}));
  std::cout << summary(targets, run.lines(), output_has_colour());
  std::cout << "\nRecord: " << file->path().string() << "\n" << std::flush;
  if (interrupted()) {
    spdlog::warn("Interrupted: everything measured so far is in {}.", file->path().string());
    return ExitStatus::interrupted;
  }
  const bool asked_in_vain =
      std::ranges::any_of(options.probes, [&](const std::string& probe) { return !run.measured(probe); });
  return failed || asked_in_vain ? ExitStatus::something_failed : ExitStatus::done;
}

}  // namespace sonde::cli
