#pragma once

#include <string>
#include <vector>

#include "commands/exit_status.hpp"

namespace sonde::commands {

/// Whether a first word is a command's name that this program does not have itself.
bool is_external(const std::string& word);

/// Understands the command line and runs what it asks for. Throws UsageError.
ExitStatus parse_and_run(const std::vector<std::string>& words);

}  // namespace sonde::commands
