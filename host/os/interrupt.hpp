#pragma once

#include <atomic>

namespace sonde::os {

/// Whether the user wants this program to stop: by Ctrl-C, or because its terminal is gone.
const std::atomic<bool>& interrupted();

/// From here on such a wish is noted, in place of ending the process.
void watch_for_interrupt();

}  // namespace sonde::os
