#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/exit_status.hpp"

namespace sonde::commands {

/// `sonde run` as typed; words are checked when the command starts.
struct RunOptions {
  std::vector<std::string> devices;
  std::string api = "all";
  std::vector<std::string> probes;
  std::string sizes;
  std::string effort = "normal";
  std::string frame;  ///< a file; empty for the frame that is built in
  std::uint64_t seed = 1;
  std::string out;
  double silence_limit_seconds = 30;
  double time_limit_seconds = 0;  ///< of all runs together; 0 for none
  int runs = 1;
  bool counters = false;     ///< with traffic beside each point
  std::vector<std::string> allowed;  ///< options that a probe needs, "allow-split-locks"
  std::string sysfs_root = "/";
  bool progress = true;
  bool verbose = false;
  std::vector<std::string> command;  ///< the whole command line, for the record
};

/// Probes, writes the record file or one for each run, prints a summary. Throws UsageError before anything is measured.
ExitStatus run_command(const RunOptions& options);

}  // namespace sonde::commands
