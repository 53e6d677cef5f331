#include "commands/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

#include "commands/external.hpp"
#include "commands/levels.hpp"
#include "commands/list.hpp"
#include "commands/output.hpp"
#include "commands/run.hpp"
#include "commands/watch.hpp"
#include "measure/worker.hpp"
#include "os/file.hpp"
#include "os/this_process.hpp"
#include "probes/catalog.hpp"
#include "session/usage_error.hpp"
#include "session/worker.hpp"
#include "version.hpp"

namespace sonde::commands {
namespace {

using session::UsageError;

constexpr const char* main_examples = R"(
Examples:
  sonde list                          what can be measured here
  sonde run                           measure every GPU, or the CPU where there is none
  sonde report results/X.jsonl -o X.html --png pictures
                                      the picture of a run
  sonde compare results/old.jsonl results/new.jsonl
                                      what got slower, faster, or changed
  sonde watch -- ./game               memory traffic and hit rate while a program runs

Exit status: 0 what was asked is done, 1 something that was asked failed, 2 the request was wrong and nothing was
measured, 130 interrupted; what was measured until then is in the record file.)";

constexpr const char* list_examples = R"(
Examples:
  sonde list
  sonde list --json | jq '.[].name')";

constexpr const char* levels_examples = R"(
Examples:
  sonde levels results/X.jsonl
  sonde levels results/X.jsonl --json | jq '[.level, .bytes.value, .latency_ns.value]')";

constexpr const char* run_examples = R"(
Examples:
  sonde run --effort quick            a first look, in two or three minutes
  sonde run --device radeon --api vulkan
  sonde run --sizes 4K:1G --effort thorough -o mine.jsonl
  sonde run --runs 5 -o before.jsonl  before-1.jsonl to before-5.jsonl, for sonde compare
  sonde run --device model:strix-halo a simulated GPU, to see what the tool shows

Efforts, by the device's time (all take at least 7 repetitions, until the median is known within 1 %):
  quick     repetitions of  2 ms, at most  9, working sets up to  64 MiB; on a CPU 2 to 3 min
  normal    repetitions of  6 ms, at most 15, working sets up to 256 MiB; on a CPU some minutes
  thorough  repetitions of 20 ms, at most 30, working sets up to   1 GiB, on a GPU 8 GiB; minutes
Where latency or bandwidth still changes at the end of a quick or normal sweep, it goes on: on a CPU to twice as much,
else to four times.
The plan and its estimate are shown before anything is measured. The record file is never overwritten.)";

constexpr const char* watch_examples = R"(
Examples:
  sonde watch -- ./game               memory traffic and hit rate while a program runs
  sonde watch --seconds 10            of the whole machine; without --seconds until Ctrl-C
  sonde watch --interval 5 --window 0.5 -o game.jsonl -- ./game --demo
  sonde watch -o traffic.jsonl -- sonde run --probe frames -o frames.jsonl
                                      the same of frames, from the lowest resolution to the highest
  sonde watch --source replay:game.jsonl
                                      the same again from a record file, on any machine
  sonde watch --source msr -- ./game  counts nothing of memory: shows what watching costs
  sonde watch --self-check -o me.jsonl
                                      whether this machine's counters see what the CPU really moves

It needs counters of the fabric and the memory controllers, which few machines have, and the right to read them; where
one is missing it says which and how to get it. A self-check takes about 20 s and at least 512 MiB. It has the CPU
move memory, never a GPU, and tells of each counter what it saw of that. Its record file shows the same again by
--source replay:FILE --self-check on any machine.)";

/// For options whose text CLI11 would read too kindly: -1 as a large seed, nothing as "not given", and after "--out="
/// the next option as a file.
const CLI::Validator not_empty(
    [](const std::string& text) {
      return text.empty() || text.front() == '-' ? "wants a value, not '" + text + "'" : std::string();
    },
    "");
const CLI::Validator whole_number(
    [](const std::string& text) {
      std::uint64_t number = 0;
      const char* const end = text.data() + text.size();
      const auto [rest, problem] = std::from_chars(text.data(), end, number);
      if (!text.empty() && rest == end && problem == std::errc{}) return std::string();
      return "'" + text + "' is no whole number from 0 to 18446744073709551615";
    },
    "");
const CLI::Validator seconds_above_zero(
    [](const std::string& text) {
      double seconds = 0;
      const bool fine = CLI::detail::lexical_cast(text, seconds) && seconds > 0 && seconds <= 1e6;
      return fine ? std::string() : "'" + text + "' is no number of seconds above 0 (and at most a million)";
    },
    "");

const CLI::Validator folder(
    [](const std::string& text) {
      std::error_code ignored;
      return std::filesystem::is_directory(os::path_of(text), ignored) ? std::string()
                                                                       : "there is no folder '" + text + "'";
    },
    "");

void add_run_options(CLI::App& run, RunOptions& options) {
  run.footer(run_examples);
  run.add_option("--device", options.devices,
                 "Which device, repeatable: index, part of the name, UUID, PCI address, cpu, gpu, all, model:NAME or "
                 "model:FILE.json")
      ->type_name("SEL")
      ->expected(1);
  run.get_option("--device")->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run.add_option("--api", options.api, "Through which API")
      ->check(CLI::IsMember({"opencl", "vulkan", "all"}))
      ->capture_default_str();
  std::string names;
  for (const probes::Probe* const probe : probes::catalog()) {
    if (probe->id == probe->name) names += (names.empty() ? "" : ", ") + std::string(probe->name);
  }
  run.add_option("--probe", options.probes, "Which probes: " + names + " (default: all that apply)")
      ->type_name("NAME[,NAME...]")
      ->delimiter(',');
  run.add_option("--sizes", options.sizes, "Smallest and largest working set, powers of 1024, e.g. 4K:1G")
      ->type_name("MIN:MAX")
      ->check(not_empty);
  run.add_option("--frame", options.frame, "What the probe frames renders (default: a frame that is built in)")
      ->type_name("FILE.json")
      ->check(not_empty);
  run.add_option("--effort", options.effort, "How much to measure")
      ->check(CLI::IsMember({"quick", "normal", "thorough"}))
      ->capture_default_str();
  run.add_option("--seed", options.seed, "Seed of every random choice")
      ->type_name("N")
      ->check(whole_number)
      ->capture_default_str();
  run.add_option("-o,--out", options.out, "Record file (default: results/<host>-<device>-<driver>-<UTC time>.jsonl)")
      ->type_name("FILE")
      ->check(not_empty);
  run.add_option("--silence-limit", options.silence_limit_seconds,
                 "A worker that reports nothing for so many seconds is ended")
      ->type_name("SECONDS")
      ->check(seconds_above_zero)
      ->capture_default_str();
  run.add_option("--runs", options.runs,
                 "Repeat the whole run N times, each into a numbered file, for sonde compare; the seed grows by one each time")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  run.add_option("--time-limit", options.time_limit_seconds, "The whole run, or all runs, end after so many seconds")
      ->type_name("SECONDS")
      ->check(seconds_above_zero);
  run.add_flag(
      "--counters", options.counters,
      "Count what moves at the fabric and at memory beside each point, where this machine has counters for it");
  run.add_flag_callback(
      "--allow-split-locks", [&options] { options.allowed = {"allow-split-locks"}; },
      "Let core-to-core lock words across two cache lines, which slows all that runs on this machine down for a "
      "part of a second");
  run.add_option("--sysfs-root", options.sysfs_root,
                 "Read clocks, temperature and power from a tree below DIR, for tests")
      ->type_name("DIR")
      ->check(folder)
      ->capture_default_str();
  run.add_flag_callback("--no-progress", [&options] { options.progress = false; }, "No progress bar");
  run.add_flag("-v", options.verbose, "Show what the drivers print");
}

/// CLI11 does not know of what stands after --.
class WithCommand final : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    usage.insert(usage.find_last_not_of('\n') + 1, " [-- COMMAND...]");
    return usage;
  }
};

void add_watch_options(CLI::App& watch, WatchOptions& options) {
  watch.formatter(std::make_shared<WithCommand>());
  watch.footer(watch_examples);
  watch.add_option("-o,--out", options.out, "Record file (default: results/<host>-watch-<source>-<UTC time>.jsonl)")
      ->type_name("FILE")
      ->check(not_empty);
  watch.add_option("--interval", options.interval_ms, "Milliseconds between samples, 0.5 to 1000")
      ->type_name("MS")
      ->check(CLI::Range(0.5, 1000.0).description(""))
      ->capture_default_str();
  watch
      .add_option(
          "--seconds", options.seconds,
          "Watch for so long (default: until COMMAND ends, or Ctrl-C); of a self-check, its loads together (12)")
      ->type_name("S")
      ->check(seconds_above_zero);
  watch
      .add_option("--window", options.window_seconds,
                  "Seconds of each line that is shown, and of the busiest times at the end")
      ->type_name("S")
      ->check(seconds_above_zero)
      ->capture_default_str();
  watch.add_option("--source", options.source, "replay:FILE or msr (default: the counters that this machine has)")
      ->type_name("NAME")
      ->check(not_empty);
  watch.add_flag("--self-check", options.self_check,
                 "Have the CPU move known traffic, and say what each counter saw of it");
  watch.add_option("--sysfs-root", options.sysfs_root, "Look for counters in a tree below DIR, for tests")
      ->type_name("DIR")
      ->check(folder)
      ->capture_default_str();
}

/// Where the words of `watch` end and those of the program that it watches begin.
std::size_t own_words(const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  return static_cast<std::size_t>(end - words.begin());
}

ExitStatus parsed_and_run(const std::vector<std::string>& words) {
  CLI::App app("Sonde measures what GPUs and iGPUs really do with memory.", "sonde");
  app.footer(main_examples);
  app.set_version_flag("--version", std::string("sonde ") + version + " (" + commit + ")");
  app.require_subcommand(1);

  CLI::App* list = app.add_subcommand("list", "Every device, its drivers, and what can be measured on it");
  list->footer(list_examples);
  bool json = false;
  list->add_flag("--json", json, "As a JSON array");

  RunOptions run_options;
  run_options.command = words;
  CLI::App* run = app.add_subcommand("run", "Measure, write a record file, print a summary");
  add_run_options(*run, run_options);

  CLI::App* levels = app.add_subcommand("levels", "Find the cache levels again from a record file's samples");
  levels->footer(levels_examples);
  std::string levels_file;
  bool levels_json = false;
  levels->add_option("FILE", levels_file, "A record file")->required()->check(not_empty);
  levels->add_flag("--json", levels_json, "As level records, one a line");

  WatchOptions watch_options;
  watch_options.command = words;
  CLI::App* watch =
      app.add_subcommand("watch", "Sample memory counters while a program (after --) or the machine runs");
  add_watch_options(*watch, watch_options);

  const CLI::App* worker = app.add_subcommand("worker", "A process that sonde run and sonde list start")->group("");

  // CLI11 would only say that a command is missing.
  if (words.size() < 2) throw UsageError("say what to do: sonde run measures; sonde --help lists all commands");
  const std::string& first = words[1];
  const bool own_option = first == "-h" || first == "--help" || first == "--version";
  if (!own_option && first.starts_with('-')) {
    throw UsageError("there is no option '" + first + "' before a command; sonde --help lists what there is");
  }
  const auto is_own = [&first](const CLI::App* command) { return command->check_name(first); };
  if (!own_option && app.get_subcommands(is_own).empty()) run_external(first, {words.begin() + 2, words.end()});

  std::size_t end = words.size();
  if (watch->check_name(first) && (end = own_words(words)) < words.size()) {
    watch_options.watched.assign(words.begin() + static_cast<std::ptrdiff_t>(end) + 1, words.end());
    if (watch_options.watched.empty())
      throw UsageError("after -- a COMMAND is wanted; leave -- out to watch the machine");
  }
  std::vector<std::string> reversed(words.rbegin() + static_cast<std::ptrdiff_t>(words.size() - end), words.rend() - 1);
  try {
    app.parse(reversed);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return ExitStatus::done;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (see sonde --help)");
  }
  if (worker->parsed()) measure::be_a_worker(session::work);
  if (list->parsed()) return list_command(json ? ListFormat::json : ListFormat::text);
  if (levels->parsed()) return levels_command(levels_file, levels_json ? LevelsFormat::json : LevelsFormat::text);
  if (watch->parsed()) return watch_command(watch_options);
  return run_command(run_options);
}

}  // namespace

ExitStatus parse_and_run(const std::vector<std::string>& words) {
  // Before a driver is loaded, which only workers do: they begin here too. What counts gives up the right to it once
  // its counters are open.
  const bool counts = words.size() > 1 && (words[1] == "watch" || words[1] == "worker");
  if (counts) {
    os::keep_only_perfmon_capability();
  } else {
    os::drop_capabilities();
  }
  return after_all_is_said(parsed_and_run(words));
}

}  // namespace sonde::commands
