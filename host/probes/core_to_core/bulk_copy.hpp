#pragma once

#include <cstdint>
#include <functional>

#include "cpu/region.hpp"
#include "probes/core_to_core/pair.hpp"
#include "probes/core_to_core/queue.hpp"

namespace sonde::probes {

/// Memory that one thread fills from its caches and another then copies out into its own, all of it at a time: as in
/// Mick's study of Zen, the baseline beside the queue. It goes by way of memory whoever the two are, and shows nothing
/// of what is between them.
class BulkCopy {
 public:
  explicit BulkCopy(std::uint64_t bytes);

  /// The calling thread writes, its partner reads; neither works while the other does. Calls `alive` often.
  /// Throws device::Error where what was read is not what was written.
  QueueRates trials(Pair& pair, int count, const std::function<void()>& alive);

  [[nodiscard]] bool on_huge_pages() const { return pages_ == cpu::PageKind::huge; }

 private:
  cpu::PageKind pages_;
  cpu::Region memory_;
};

}  // namespace sonde::probes
