#pragma once

#include <string>
#include <vector>

#include "commands/exit_status.hpp"

namespace sonde::commands {

/// `sonde watch` as typed.
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

/// Samples memory counters while a command or the machine runs, writes the record file, prints what was seen. The
/// status is the command's where there is one. Throws UsageError before anything is measured.
ExitStatus watch_command(const WatchOptions& options);

}  // namespace sonde::commands
