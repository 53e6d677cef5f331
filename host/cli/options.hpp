#pragma once

#include <string>
#include <vector>

#include "cli/exit_status.hpp"

namespace sonde::cli {

/// Whether a first word is a command's name that this program does not have itself.
bool is_external(const std::string& word);

/// Understands the command line and runs what it asks for. Throws UsageError.
ExitStatus parse_and_run(const std::vector<std::string>& words);

}  // namespace sonde::cli
