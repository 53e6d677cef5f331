#pragma once

#include "commands/exit_status.hpp"

namespace sonde::commands {

enum class ListFormat { text, json };

/// `sonde list`: every device, its drivers, and what each probe says to it.
ExitStatus list_command(ListFormat format);

}  // namespace sonde::commands
