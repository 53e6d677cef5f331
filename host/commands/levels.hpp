#pragma once

#include <string>

#include "commands/exit_status.hpp"

namespace sonde::commands {

enum class LevelsFormat { text, json };

/// `sonde levels FILE`: finds the cache levels again from the samples in a record file. Throws UsageError.
ExitStatus levels_command(const std::string& file, LevelsFormat format);

}  // namespace sonde::commands
