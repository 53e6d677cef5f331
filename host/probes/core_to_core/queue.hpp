#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cpu/region.hpp"
#include "probes/core_to_core/pair.hpp"

namespace sonde::probes {

/// GB/s of data at either end of a queue, a value for each trial.
struct QueueRates {
  std::vector<double> writer;
  std::vector<double> reader;
};

/// A queue from one writer to one reader, each chunk a line with a number and its data, as in Mick's study of Zen
/// (2020, github.com/dpzmick/ryzen_numa). No chunk is used twice in a trial, so that the writer never
/// waits for room.
class ChunkQueue {
 public:
  /// On a NUMA node, or where the calling thread is.
  ChunkQueue(int chunks, std::uint32_t data_bytes, std::uint32_t line_bytes, std::optional<int> node = std::nullopt);

  /// The calling thread writes, its partner reads; all lines are flushed before each trial, the first is untimed.
  /// Throws device::Error where what was read is not what was written.
  QueueRates trials(PinnedPair& pair, int count);

  [[nodiscard]] bool on_huge_pages() const { return pages_ == cpu::PageKind::huge; }

 private:
  [[nodiscard]] std::byte* chunk(int index) const;

  int chunks_;
  std::uint32_t data_bytes_;
  std::uint32_t line_bytes_;
  cpu::PageKind pages_;
  cpu::Region memory_;
};

/// Memory that one thread fills from its caches and another then copies out into its own, all of it at a time: the
/// baseline beside the queue in the same study. The data goes by way of memory whichever CPUs the two are on, and shows
/// nothing of what lies between them.
class BulkCopy {
 public:
  explicit BulkCopy(std::uint64_t bytes);

  /// The calling thread writes, its partner reads; neither works while the other does. Calls `alive` often.
  /// Throws device::Error where what was read is not what was written.
  QueueRates trials(PinnedPair& pair, int count, const std::function<void()>& alive);

  [[nodiscard]] bool on_huge_pages() const { return pages_ == cpu::PageKind::huge; }

 private:
  cpu::PageKind pages_;
  cpu::Region memory_;
};

}  // namespace sonde::probes
