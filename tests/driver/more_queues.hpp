#pragma once

#include <cstdint>

namespace sonde::test {

/// What lavapipe is made to look like from the next device on: a GPU with three queues for kernels and a
/// family of two that only copies. Each has a thread of its own that waits for what a submission waits for,
/// then hands it to the one real queue; so lists begin as on several queues, but take turns.
struct MoreQueues {
  std::uint32_t transfer_timestamp_bits = 0;
  bool imports_memory = true;  ///< VK_EXT_external_memory_host
  bool shows_events = true;    ///< else no event is ever seen to be set
  bool keeps_fences = false;   ///< no fence is seen to be signalled before it is waited for
  std::uint64_t stamps_ticks =
      0;  ///< above zero: time between two stamps of every pair, with 100 more for each copy since
};
inline MoreQueues more_queues;

}  // namespace sonde::test
