#include <CLI/CLI.hpp>

#include "commands/commands.hpp"
#include "measure/worker.hpp"
#include "os/file.hpp"
#include "os/process.hpp"
#include "os/this_process.hpp"
#include "session/worker.hpp"
#include "version.hpp"

namespace sonde::commands {
namespace {

using session::UsageError;

constexpr const char* main_examples = R"(
Examples:
  sonde list                          what can be measured here
  sonde run                           measure every GPU, or the CPU where there is none
  sonde show results/X.jsonl          what a run printed, or with -v all its tables
  sonde report results/X.jsonl -o X.html --png pictures
                                      the picture of a run
  sonde compare results/old.jsonl results/new.jsonl
                                      what got slower, faster, or changed
  sonde duel --new VK_DRIVER_FILES=/opt/new/icd.json
                                      two drivers in turn, point by point
  sonde watch -- ./game               memory traffic and hit rate while a program runs

Exit status: 0 what was asked is done, 1 something that was asked failed, 2 the request was wrong and nothing was
measured, 130 interrupted; what was measured until then is in the record file.)";

constexpr const char* list_examples = R"(
Examples:
  sonde list
  sonde list -v                       each driver's file too, and what it said
  sonde list --json | jq '.[].name')";

ExitStatus parsed_and_run(const std::vector<std::string>& words) {
  CLI::App app("Sonde measures what GPUs and iGPUs really do with memory.", "sonde");
  app.footer(main_examples);
  app.set_version_flag("--version", std::string("sonde ") + version + " (" + commit + ")");
  app.require_subcommand(1);

  CLI::App* list = app.add_subcommand("list", "Every device, its drivers, and what can be measured on it");
  list->footer(list_examples);
  bool json = false;
  list->add_flag("--json", json, "As a JSON array");
  bool verbose = false;
  list->add_flag("-v", verbose, "With every driver's file, and what the driver said");
  std::optional<double> silence_limit_seconds;
  add_silence_limit(*list, silence_limit_seconds,
                    "A driver that has listed no device after so many seconds is left out (default: 5)");

  RunOptions run_options;
  run_options.command = words;
  CLI::App* run = app.add_subcommand("run", "Measure, write a record file, print a summary");
  add_run_options(*run, run_options);

  DuelOptions duel_options;
  duel_options.run.command = words;
  CLI::App* duel =
      app.add_subcommand("duel", "Measure two drivers or settings in turn on one machine, and compare them");
  add_duel_options(*duel, duel_options);

  ShowOptions show_options;
  CLI::App* show = app.add_subcommand("show", "What sonde run printed of a record file, or its tables");
  add_show_options(*show, show_options);

  CLI::App* levels = app.add_subcommand("levels", "Find the cache levels again from a record file's samples");
  std::string file;
  add_levels_options(*levels, file, json);

  WatchOptions watch_options;
  watch_options.command = words;
  CLI::App* watch =
      app.add_subcommand("watch", "Sample memory counters while a program (after --) or the machine runs");
  add_watch_options(*watch, watch_options);

  const CLI::App* worker = app.add_subcommand("worker", "A process that sonde run and sonde list start")->group("");

  // CLI11 by itself would only complain that a command is missing.
  if (words.size() < 2) throw UsageError("say what to do: sonde run measures; sonde --help lists all commands");
  const std::string& first = words[1];
  const bool own_option = first == "-h" || first == "--help" || first == "--version";
  if (!own_option && first.starts_with('-')) {
    throw UsageError("there is no option '" + first + "' before a command; sonde --help lists what there is");
  }
  const auto is_own = [&first](const CLI::App* command) { return command->check_name(first); };
  if (!own_option && app.get_subcommands(is_own).empty()) run_external(first, {words.begin() + 2, words.end()});

  // Words after -- are the program that is watched.
  const auto end = watch->check_name(first) ? std::ranges::find(words, "--") : words.end();
  if (end != words.end()) {
    watch_options.watched.assign(end + 1, words.end());
    if (watch_options.watched.empty()) throw UsageError("a COMMAND must follow --; leave -- out to watch the machine");
  }
  std::vector<std::string> reversed(words.begin() + 1, end);
  std::ranges::reverse(reversed);
  try {
    app.parse(reversed);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return ExitStatus::done;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (see sonde --help)");
  }
  if (worker->parsed()) measure::be_a_worker(session::work);
  if (list->parsed()) return list_command(json, verbose, silence_limit_seconds);
  if (duel->parsed()) return duel_command(duel_options);
  if (show->parsed()) return show_command(show_options);
  if (levels->parsed()) return levels_command(file, json);
  if (watch->parsed()) return watch_command(watch_options);
  return run_command(run_options);
}

}  // namespace

void run_external(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string program = "sonde-" + name;
  // A name with a folder in it would run a program elsewhere.
  if (os::path_of(name).filename() == os::path_of(name)) {
    const std::filesystem::path own_folder = os::program_file().parent_path();
    const std::filesystem::path file = os::path_of(program);
    // The report shows what `sonde show --json` says, of the program that started it.
    os::set_environment_unless_set("SONDE_PROGRAM", os::program_file().string());
    os::become(own_folder / file, arguments);
    // An installed program has there what is not for the PATH: bin/ and lib/sonde/ move together.
    os::become(own_folder.parent_path() / "lib" / "sonde" / file, arguments);
    os::become(file, arguments);
    for (const auto& folder : {own_folder, own_folder.parent_path() / "lib" / "sonde"}) {
      std::error_code problem;
      if (std::filesystem::exists(folder / file, problem)) {
        throw UsageError((folder / file).string() +
                         " cannot be started: it may not be run there (a folder mounted noexec, or the file's rights), "
                         "or what it is run by is missing");
      }
    }
    if (name == "report" || name == "compare") {
      throw UsageError((own_folder / file).string() +
                       " is missing: Sonde's folder has to be moved as a whole; unpack or build it again");
    }
  }
  throw UsageError("there is no command '" + name + "'; sonde --help lists them");
}

ExitStatus parse_and_run(const std::vector<std::string>& words) {
  // Rights are given up before a driver is loaded, which only workers do: they begin here too. Commands that count keep
  // the right to it until their counters are open.
  const bool counts = words.size() > 1 && (words[1] == "watch" || words[1] == "worker");
  if (counts) {
    os::keep_only_perfmon_capability();
  } else {
    os::drop_capabilities();
  }
  return status_after_output(parsed_and_run(words));
}

}  // namespace sonde::commands
