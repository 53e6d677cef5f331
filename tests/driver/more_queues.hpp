#pragma once

#include <cstdint>

namespace sonde::test {

/// The GPU that lavapipe looks like from the next device on: it has three queues for kernels and a family of two that
/// only copies. Each has a thread of its own that waits for a submission's semaphores, then hands it to the one real
/// queue; so lists begin as on several queues, but take turns.
struct MoreQueues {
  std::uint32_t transfer_timestamp_bits = 0;
  bool imports_memory = true;  ///< VK_EXT_external_memory_host
  bool shows_events = true;    ///< otherwise no event ever appears set
  bool keeps_fences = false;   ///< no fence appears signalled before it is waited for
  /// If not zero, the ticks between the two timestamps of every pair, with 100 more for each copy in between.
  std::uint64_t stamps_ticks = 0;
};
inline MoreQueues more_queues;

}  // namespace sonde::test
