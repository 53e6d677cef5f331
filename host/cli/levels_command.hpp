#pragma once

#include <string>

#include "cli/exit_status.hpp"

namespace sonde::cli {

enum class LevelsFormat { text, json };

/// `sonde levels FILE`: finds the cache levels again from the samples in a record file. Throws UsageError.
ExitStatus levels_command(const std::string& file, LevelsFormat format);

}  // namespace sonde::cli
