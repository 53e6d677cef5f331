#pragma once

#include <atomic>

namespace sonde::session {

/// True once the user pressed Ctrl-C, or the system asked the program to end (SIGTERM, SIGHUP).
const std::atomic<bool>& interrupted();

/// From now on those signals set the flag instead of ending the program.
void watch_for_interrupt();

}  // namespace sonde::session
