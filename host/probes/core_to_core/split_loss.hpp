#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "probes/core_to_core/split_locks.hpp"

namespace sonde::probes {

/// What a core reaches while others lock, and right before without them; a value for each window.
struct Loss {
  std::vector<double> idle;
  std::vector<double> loaded;
};

/// What the core that is slowed does in a window: ns of a dependent load, or GB/s of reading.
enum class SlowedWork { load, read };

/// In a working set of so many bytes, on the core that is slowed. Throws device::TooShort where others left hardly a
/// window in which one core worked and others locked, device::Error where the work was not done.
Loss loss_while_locked(const SplitLockCores& cores, LockedWord& word, SlowedWork work, double bytes,
                       const Request& request, int windows, const std::function<void()>& alive);

}  // namespace sonde::probes
