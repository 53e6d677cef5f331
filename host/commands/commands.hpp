#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
  std::string frame;  ///< a file; empty for the built-in frame
  std::uint64_t seed = 1;
  std::string out;
  double silence_limit_seconds = 30;
  double time_limit_seconds = 0;  ///< limit for all runs together; 0 for none
  int runs = 1;
  bool counters = false;             ///< count traffic beside each point
  std::vector<std::string> allowed;  ///< options without which a probe is not asked: "allow-split-locks"
  std::string sysfs_root = "/";
  bool progress = true;
  bool verbose = false;
  std::vector<std::string> command;  ///< the whole command line, for the record
};

/// `sonde run`: measures, writes a record file for each run and prints a summary. Throws UsageError before anything is
/// measured.
ExitStatus run_command(const RunOptions& options);

/// The options of `sonde levels`.
struct LevelsOptions {
  std::string file;
  bool json = false;
};

/// `sonde levels FILE`: finds the cache levels again from the samples in a record file. Throws UsageError.
ExitStatus levels_command(const LevelsOptions& options);

/// `sonde list`: every device, its drivers, and whether each probe can measure it.
ExitStatus list_command(bool as_json);

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

}  // namespace sonde::commands
