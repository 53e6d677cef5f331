#pragma once

#include <string>
#include <vector>

#include "commands/exit_status.hpp"

namespace sonde::commands {

/// Understands the command line and runs what it asks for: a command of this program, or another program that is one.
/// Throws UsageError.
ExitStatus parse_and_run(const std::vector<std::string>& words);

}  // namespace sonde::commands
