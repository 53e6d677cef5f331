#pragma once

#include "records/record_file.hpp"
#include "session/run.hpp"
#include "summary/first_screen.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

// The commands of the program, with their options as typed: words are checked when a command starts.
namespace sonde::commands {

enum class ExitStatus : int {
  done = 0,
  something_failed = 1,  ///< it finished, but something that was asked failed
  wrong_request = 2,     ///< nothing was measured
  interrupted = 130,     ///< all measurements so far are in the file
};

/// Understands the command line and runs what it asks for: a command of this program, or another program that is one.
/// Throws UsageError.
ExitStatus parse_and_run(const std::vector<std::string>& words);

/// The options of `sonde run`.
struct RunOptions {
  std::vector<std::string> devices;
  std::string api = "all";
  std::vector<std::string> probes;
  std::string sizes;
  std::string effort = "normal";
  double time_seconds = 0;  ///< any budget; 0 for that of the effort
  std::string frame;        ///< a file; empty for the built-in frame
  std::uint64_t seed = 1;
  std::string out;
  std::optional<double> silence_limit_seconds;
  double time_limit_seconds = 0;  ///< limit for all runs together; 0 for none
  int runs = 1;
  bool counters = false;             ///< count traffic beside each point
  std::vector<std::string> allowed;  ///< options without which a probe is not asked: "allow-split-locks"
  std::string sysfs_root = "/";
  bool progress = true;
  bool verbose = false;
  std::vector<std::string> command;  ///< the whole command line, for the record
};

/// The run that the options ask for, and its limits. Throws UsageError.
session::RunRequest run_request(const RunOptions& options);
session::RunLimits run_limits(const RunOptions& options);

/// The longest effort that has no more time; the shortest where all have more.
std::string effort_within(double seconds);

/// Logs what a user should know of these devices and options before they are measured.
void warn_of_special_cases(const RunOptions& options, const measure::Request& request,
                           const session::SelectedDevices& choice);

/// `sonde run`: measures, writes a record file for each run and prints a summary. Throws UsageError before anything is
/// measured.
ExitStatus run_command(const RunOptions& options);

/// The options of `sonde duel`: those of a run for both sides, and what is a side's own.
struct DuelOptions {
  struct Side {
    std::vector<std::string> settings;  ///< of the environment: NAME=VALUE
    std::string device;                 ///< empty for those of the run
    std::string api;
  };
  RunOptions run;
  Side base;
  Side other;
  double threshold_percent = 0.5;  ///< what counts as a change
  std::string format = "text";     ///< of the comparison
};

/// `sonde duel`: measures two drivers, settings, APIs or devices in turn, point by point, writes a record file for each
/// side and becomes `sonde compare` on both. Throws UsageError before anything is measured.
ExitStatus duel_command(const DuelOptions& options);

/// Becomes sonde-NAME from the program's own folder, from ../lib/sonde beside it, or from the PATH, as git does with
/// commands it does not know. Returns only when there is none, by throwing UsageError.
[[noreturn]] void run_external(const std::string& name, const std::vector<std::string>& arguments);

/// `sonde levels FILE`: finds the cache levels again from the samples in a record file. Throws UsageError.
ExitStatus levels_command(const std::string& file, bool as_json);

/// The options of `sonde show`.
struct ShowOptions {
  std::vector<std::string> files;
  std::vector<std::string> probes;  ///< the tables of these alone
  bool verbose = false;             ///< the tables of all
  bool as_json = false;             ///< the first screens in parts
};

/// `sonde show FILE...`: the first screen of record files, or their tables. Throws UsageError before anything is shown.
ExitStatus show_command(const ShowOptions& options);

/// The lines of a record file; a note about an unfinished one is logged. Throws UsageError.
std::vector<records::Line> lines_of(const std::string& file);

/// All tables of a run's lines, and the first screen, as `run` and `show` print them, for this terminal.
std::string tables_of(std::span<const records::Line> lines);
summary::FirstScreenLayout first_screen_layout(const std::string& file);

/// The time that drivers have to list their devices where a user has set this limit, or none.
std::chrono::milliseconds listing_time(std::optional<double> silence_limit_seconds);

/// `sonde list`: every device, its drivers, and whether each probe can measure it; where it is verbose every driver's
/// file too, and what that said.
ExitStatus list_command(bool as_json, bool verbose, std::optional<double> silence_limit_seconds);

/// The options of `sonde watch`.
struct WatchOptions {
  std::string out;
  double interval_ms = 1;
  double seconds = 0;  ///< 0 for no limit
  double window_seconds = 1;
  std::string source;
  std::string sysfs_root = "/";
  bool self_check = false;
  std::vector<std::string> watched;  ///< the command and its arguments; empty for the whole machine
  std::vector<std::string> command;  ///< the whole command line, for the record
};

/// `sonde watch`: samples memory counters while a command or the machine runs, writes the record file and prints a
/// summary. The status is the command's where there is one. Throws UsageError before anything is measured.
ExitStatus watch_command(const WatchOptions& options);

/// The bytes of "4K", "1.5M" or "2GiB", powers of 1024. Throws UsageError.
std::uint64_t parse_size(const std::string& text);

/// "4K:1G" as {least, most}; throws UsageError unless 0 < least <= most.
std::pair<std::uint64_t, std::uint64_t> parse_size_range(const std::string& text);

/// Each adds a command's options to its parser, which writes what the user typed into `options`.
void add_run_options(CLI::App& run, RunOptions& options);
void add_duel_options(CLI::App& duel, DuelOptions& options);
void add_show_options(CLI::App& show, ShowOptions& options);
void add_silence_limit(CLI::App& command, std::optional<double>& seconds, const char* meaning);
void add_levels_options(CLI::App& levels, std::string& file, bool& as_json);
void add_watch_options(CLI::App& watch, WatchOptions& options);

/// Opens standard streams that are closed, and makes every message a line "sonde: ..." on standard error. It is called
/// before anything else.
void start_messages();

/// Columns for what is printed to standard output, and for messages: the terminal's, within what can be read, or 120
/// where it is none.
int output_columns();
int message_columns();

/// Prints a paragraph to standard output, wrapped to its columns.
void print_paragraph(const std::string& text);

/// Flushes standard output. A command that is done has failed where its results could not be written, as on a full disk
/// or to a reader that has left.
ExitStatus status_after_output(ExitStatus status);

/// The first line of the record that a command begins now.
records::RunLine run_record_of(const std::vector<std::string>& command, std::uint64_t seed, const std::string& effort);

/// results/HOST-DEVICE-DRIVER-TIME.jsonl for a run, results/HOST-watch-SOURCE-TIME.jsonl for a watch, which another may
/// have taken; makes the folder. Throws UsageError.
std::filesystem::path default_path(const session::SelectedDevices& choice, const records::RunLine& run);
std::filesystem::path default_watch_path(const std::string& source, const records::RunLine& run);

/// The file `out`, or where that is empty the default, numbered where its name is taken. Its first line is written at
/// once, so that a command that is killed leaves a record file. Throws UsageError.
records::RecordFile new_record_file(const std::string& out, const std::function<std::filesystem::path()>& default_path,
                                    const records::RunLine& record);

/// Throws UsageError where something has the name of a record file, before anything is measured.
void refuse_if_there(const std::filesystem::path& file);

/// Makes sure that the file is there, and prints its path.
void finish_record_file(records::RecordFile& file);

}  // namespace sonde::commands
