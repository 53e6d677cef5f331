#pragma once

#include <atomic>

#include "cpu/pinned.hpp"
#include "cpu/region.hpp"
#include "probes/core_to_core/core_to_core.hpp"
#include "workloads/walk/walk.hpp"

// Two threads, each kept on a CPU of its own, and what they do to each other.
namespace sonde::probes::core_to_core_probe {

/// Waits for what the other thread does, without sleep.
class SpinWait {
 public:
  /// Tries `ready` until it is true. Throws device::Unsupported where the other thread has given up, or did nothing for
  /// seconds because the system ran something else in its place.
  template <typename Ready>
  void until(Ready ready) {
    for (device::Nanoseconds waited_since{-1};; check_time(waited_since)) {
      // The clock is read so rarely that this is no part of what is timed.
      for (int attempt = 0; attempt < attempts_between_checks; ++attempt) {
        if (ready()) return;
      }
    }
  }
  void give_up() { given_up_ = true; }

 private:
  static constexpr int attempts_between_checks = 1 << 14;
  void check_time(device::Nanoseconds& waited_since) const;

  std::atomic<bool> given_up_ = false;
};

/// The calling thread stays on one CPU while this lives; the partner that each `run_on_both` starts is kept on the
/// other.
class PinnedPair {
 public:
  PinnedPair(int here, int there);

  /// Runs both at once and returns when both have ended; throws what either threw.
  void run_on_both(const std::function<void(SpinWait&)>& here, const std::function<void(SpinWait&)>& there);

  /// False where the system refused to keep one of them on its CPU: then they are wherever it puts them.
  [[nodiscard]] bool pinned() const { return here_.holds() && there_holds_; }

 private:
  cpu::Pinned here_;
  int there_cpu_;
  bool there_holds_ = true;
};

/// Lines on pages of their own, at different offsets, that two threads pass to and fro. They stand on the node of the
/// CPU that first wrote them: the one on which this is made.
class ExchangedLines {
 public:
  ExchangedLines(const ExchangeSize& size, std::uint32_t line_bytes, std::uint64_t seed);

  /// Nanoseconds a round trip, for each line the median of its samples. By compare-and-swap both try on one line until
  /// the other's number stands there; by stores each writes its number to a line of its own, which the other reads.
  /// Throws device::Error where a line does not hold the number of its round trips afterwards.
  std::vector<double> round_trips(PinnedPair& pair, Exchange exchange);

 private:
  /// The word of a line; lines come in twos, for there and back.
  [[nodiscard]] std::uint64_t& word_of(std::uint32_t line, std::uint32_t way);

  ExchangeSize size_;
  workloads::LineLayout layout_;
  cpu::Region memory_;
};

/// The times that one of several pairs found, nanoseconds a round trip of each line.
struct PairTimes {
  std::vector<double> by_compare_and_swap;
  std::vector<double> by_stores;
};

/// Round trips of pairs that share no core, begun together, each pair on memory of its own that its first CPU wrote
/// first. Throws what any of them threw, and device::Unsupported where not every thread was kept on its CPU.
std::vector<PairTimes> exchanges_at_once(const std::vector<CpuPair>& pairs, const ExchangeSize& size,
                                         std::uint32_t line_bytes, std::uint64_t seed);

/// Lines 4 KiB apart at different offsets, linked in a random cycle, that one CPU holds in its caches and another walks
/// through.
class HeldLines {
 public:
  /// On a NUMA node, or where the calling thread is.
  HeldLines(std::uint32_t line_bytes, std::uint64_t seed, std::optional<int> node = std::nullopt);

  /// Nanoseconds a dependent load of the partner, while the calling thread holds the lines as memory has them, or
  /// modified; a value for each of so many walks, before which it takes them all back. Throws device::Error where a
  /// walk did not see what was written for it.
  std::vector<double> walks(PinnedPair& pair, LineState held, int count);

  [[nodiscard]] std::uint32_t size() const { return count_; }

 private:
  struct SharedLine {
    const SharedLine* next;
    std::uint64_t walk;
  };
  [[nodiscard]] SharedLine& line(std::uint32_t index);

  std::uint32_t count_;
  workloads::LineLayout layout_;
  cpu::Region memory_;
};

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

 private:
  [[nodiscard]] std::byte* chunk(int index) const {
    return memory_.data() + static_cast<std::uint64_t>(index) * (data_bytes_ + line_bytes_);
  }

  int chunks_;
  std::uint32_t data_bytes_;
  std::uint32_t line_bytes_;
  cpu::Region memory_;
};

/// Memory that one thread fills from its caches and another then copies out into its own, all of it at a time: the
/// baseline beside the queue in the same study. The data goes by way of memory whichever CPUs the two are on, and shows
/// nothing of what lies between them.
class BulkCopy {
 public:
  explicit BulkCopy(std::uint64_t bytes) : memory_(bytes, cpu::widest_pages()) {}

  /// The calling thread writes, its partner reads; neither works while the other does. Calls `alive` often.
  /// Throws device::Error where what was read is not what was written.
  QueueRates trials(PinnedPair& pair, int count, const std::function<void()>& alive);

 private:
  cpu::Region memory_;
};

}  // namespace sonde::probes::core_to_core_probe
