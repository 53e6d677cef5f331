#pragma once

#include "commands/exit_status.hpp"
#include "commands/watch.hpp"
#include "session/watch.hpp"

namespace sonde::commands {

/// `sonde watch --self-check` with an opened source: known traffic, and what its counters saw. `something_failed` where
/// a counter may not be believed, or none is of memory. Throws UsageError.
ExitStatus self_check_command(const WatchOptions& options, session::WatchSource& source);

}  // namespace sonde::commands
