#include "commands/commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "os/file.hpp"
#include "probes/catalog.hpp"

namespace sonde::commands {
namespace {

constexpr const char* levels_examples = R"(
Examples:
  sonde levels results/X.jsonl
  sonde levels results/X.jsonl --json | jq '[.level, .bytes.value, .latency_ns.value]')";

constexpr const char* show_examples = R"(
Examples:
  sonde show results/X.jsonl                    what sonde run printed: one screen
  sonde show results/X.jsonl --probe copy,compute
                                                the tables of two probes
  sonde show results/X.jsonl -v | less          all tables
  sonde show results/*.jsonl                    a screen for each file)";

constexpr const char* run_examples = R"(
Examples:
  sonde run --effort quick            an answer in a minute
  sonde run --device radeon --api vulkan
  sonde run --sizes 4K:1G --effort thorough -o mine.jsonl
  sonde run --runs 5 -o before.jsonl  before-1.jsonl to before-5.jsonl, for sonde compare
  sonde run --device model:strix-halo a simulated GPU, to see what the tool shows

An effort is a budget of time for one device through all APIs, with 40 % more for each further one: quick 60 s,
normal 300 s, thorough 1,800 s; --time is any other. A first look at everything is always finished; what time is left
goes where it sharpens most. Ctrl-C ends a run at any moment with what is known by then.
The record file is never overwritten.)";

constexpr const char* duel_examples = R"(
Examples:
  sonde duel --new VK_DRIVER_FILES=/opt/mesa-new/icd.json --api vulkan --effort quick
                                      this system's Vulkan driver against another
  sonde duel --base RADV_PERFTEST= --new RADV_PERFTEST=nggc --probe latency,bandwidth --time 120
  sonde duel --base-api opencl --new-api vulkan
  sonde duel --base-device 0 --new-device 1 -o two-gpus
  git bisect run sh -c 'ninja -C build && sonde duel --new OCL_ICD_VENDORS=$PWD/build/icd --effort quick'

Each point is visited by one side and at once by the other, in processes of their own, so that whatever slows the
machine down meets both. Time goes to the verdicts that are open; a duel ends before its time where all are known. It
leaves PREFIX-base.jsonl and PREFIX-new.jsonl, which sonde compare reads again as pairs.
A kernel driver or a firmware has no two versions at once: make two runs and compare them.

Exit status: 0 nothing got slower, 1 something did, 2 the request was wrong, 130 interrupted.)";

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
move memory, never a GPU, and shows what each counter saw of it. Its record file shows the same again by
--source replay:FILE --self-check on any machine.)";

/// Checks for options whose text CLI11 would read too kindly: -1 as a large seed, an empty text as "not given", and
/// after "--out=" the next option as a file.
const CLI::Validator not_empty(
    [](const std::string& text) {
      return text.empty() || text.front() == '-' ? "needs a value, not '" + text + "'" : std::string();
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

const CLI::Validator setting(
    [](const std::string& text) {
      const std::size_t equals = text.find('=');
      const auto is_of_a_name = [](unsigned char sign) { return std::isalnum(sign) != 0 || sign == '_'; };
      const bool fine = equals != std::string::npos && equals > 0 &&
                        std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
                        std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_of_a_name);
      return fine ? std::string() : "'" + text + "' is no NAME=VALUE of an environment";
    },
    "");

const CLI::Validator folder(
    [](const std::string& text) {
      std::error_code ignored;
      return std::filesystem::is_directory(os::path_of(text), ignored) ? std::string()
                                                                       : "there is no folder '" + text + "'";
    },
    "");

/// Adds an option with a value, which the help calls `type`.
template <typename Value>
CLI::Option* add(CLI::App& app, const char* name, Value& value, const char* help, const char* type,
                 const CLI::Validator& check) {
  return app.add_option(name, value, help)->type_name(type)->check(check);
}

/// Adds the COMMAND after --, of which CLI11 does not know, to the usage line.
class WithCommand final : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    usage.insert(usage.find_last_not_of('\n') + 1, " [-- COMMAND...]");
    return usage;
  }
};

/// What a run and each side of a duel are asked for.
void add_what_is_measured(CLI::App& run, RunOptions& options) {
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
  add(run, "--sizes", options.sizes, "Smallest and largest working set, powers of 1024, e.g. 4K:1G", "MIN:MAX",
      not_empty);
  add(run, "--frame", options.frame, "What the probe frames renders (default: a frame that is built in)", "FILE.json",
      not_empty);
  run.add_option("--effort", options.effort, "How much time to take: 60 s, 300 s or 1,800 s")
      ->check(CLI::IsMember({"quick", "normal", "thorough"}))
      ->capture_default_str();
  add(run, "--time", options.time_seconds, "Any other time, in place of an effort", "SECONDS", seconds_above_zero)
      ->excludes("--effort");
  add(run, "--seed", options.seed, "Seed of every random choice", "N", whole_number)->capture_default_str();
  add_silence_limit(
      run, options.silence_limit_seconds,
      "A worker that reports nothing for so many seconds is ended (default: 30, and 5 while devices are listed)");
  add(run, "--sysfs-root", options.sysfs_root, "Read clocks, temperature and power from a tree below DIR, for tests",
      "DIR", folder)
      ->capture_default_str();
  run.add_flag_callback("--no-progress", [&options] { options.progress = false; }, "No progress bar");
}

}  // namespace

void add_silence_limit(CLI::App& command, std::optional<double>& seconds, const char* meaning) {
  add(command, "--silence-limit", seconds, meaning, "SECONDS", seconds_above_zero);
}

void add_run_options(CLI::App& run, RunOptions& options) {
  run.footer(run_examples);
  add_what_is_measured(run, options);
  add(run, "-o,--out", options.out, "Record file (default: results/<host>-<device>-<driver>-<UTC time>.jsonl)", "FILE",
      not_empty);
  add(run, "--runs", options.runs,
      "Repeat the whole run N times, each into a numbered file, for sonde compare; the seed grows by one each time",
      "N", CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  add(run, "--time-limit", options.time_limit_seconds, "The whole run, or all runs, end after so many seconds",
      "SECONDS", seconds_above_zero);
  run.add_flag(
      "--counters", options.counters,
      "Count the traffic at the fabric and at memory beside each point, where this machine has counters for it");
  run.add_flag_callback(
      "--allow-split-locks", [&options] { options.allowed = {"allow-split-locks"}; },
      "Let core-to-core lock words across two cache lines, which slows all that runs on this machine down for a "
      "part of a second");
  run.add_flag("-v", options.verbose, "Show what the drivers print");
}

void add_duel_options(CLI::App& duel, DuelOptions& options) {
  duel.footer(duel_examples);
  add_what_is_measured(duel, options.run);
  for (DuelOptions::Side* side : {&options.base, &options.other}) {
    const std::string name = side == &options.base ? "base" : "new";
    const std::string of = " of " + std::string(side == &options.base ? "BASE" : "NEW");
    add(duel, ("--" + name).c_str(), side->settings,
        ("A variable of the environment" + of + "'s drivers, repeatable").c_str(), "NAME=VALUE", setting)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add(duel, ("--" + name + "-device").c_str(), side->device, ("The device" + of + " (as --device)").c_str(), "SEL",
        not_empty)
        ->excludes("--device");
    duel.add_option("--" + name + "-api", side->api, "The API" + of)
        ->check(CLI::IsMember({"opencl", "vulkan"}))
        ->excludes("--api");
  }
  add(duel, "--threshold", options.threshold_percent, "What counts as a change, in percent", "PCT",
      CLI::Range(0.01, 1000.0).description(""))
      ->capture_default_str();
  duel.add_option("--format", options.format, "Of the comparison: text, json, markdown or html")
      ->check(CLI::IsMember({"text", "json", "markdown", "html"}))
      ->capture_default_str();
  add(duel, "-o,--out", options.run.out,
      "PREFIX of the record files (default: results/<host>-<device>-<driver>-<UTC time>)", "PREFIX", not_empty);
  duel.add_flag("-v", options.run.verbose, "Show what the drivers print, and name what is the same");
}

void add_show_options(CLI::App& show, ShowOptions& options) {
  show.footer(show_examples);
  show.add_option("FILE", options.files, "Record files")->required()->check(not_empty);
  show.add_option("--probe", options.probes, "The tables of these probes")
      ->type_name("NAME[,NAME...]")
      ->expected(1)
      ->delimiter(',');
  show.add_flag("-v", options.verbose, "All tables");
  show.add_flag("--json", options.as_json, "The screen in its parts, a JSON object a device");
}

void add_levels_options(CLI::App& levels, std::string& file, bool& as_json) {
  levels.footer(levels_examples);
  levels.add_option("FILE", file, "A record file")->required()->check(not_empty);
  levels.add_flag("--json", as_json, "As level records, one a line");
}

void add_watch_options(CLI::App& watch, WatchOptions& options) {
  watch.formatter(std::make_shared<WithCommand>());
  watch.footer(watch_examples);
  add(watch, "-o,--out", options.out, "Record file (default: results/<host>-watch-<source>-<UTC time>.jsonl)", "FILE",
      not_empty);
  add(watch, "--interval", options.interval_ms, "Milliseconds between samples, 0.5 to 1000", "MS",
      CLI::Range(0.5, 1000.0).description(""))
      ->capture_default_str();
  add(watch, "--seconds", options.seconds,
      "Watch for so long (default: until COMMAND ends, or Ctrl-C); of a self-check, its loads together (12)", "S",
      seconds_above_zero);
  add(watch, "--window", options.window_seconds,
      "Seconds of each line that is shown, and of the busiest times at the end", "S", seconds_above_zero)
      ->capture_default_str();
  add(watch, "--source", options.source, "replay:FILE or msr (default: the counters that this machine has)", "NAME",
      not_empty);
  watch.add_flag("--self-check", options.self_check,
                 "Have the CPU move known traffic, and say what each counter saw of it");
  add(watch, "--sysfs-root", options.sysfs_root, "Look for counters in a tree below DIR, for tests", "DIR", folder)
      ->capture_default_str();
}

}  // namespace sonde::commands
