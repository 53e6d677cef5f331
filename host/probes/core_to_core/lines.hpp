#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/region.hpp"
#include "probes/core_to_core/pair.hpp"
#include "probes/core_to_core/plan.hpp"
#include "workloads/walk/walk.hpp"

namespace sonde::probes {

/// Lines on pages of their own, at different offsets, that two threads pass to and fro. They stand on the node of the
/// CPU that first wrote them: the one on which this is made.
class ExchangedLines {
 public:
  ExchangedLines(const ExchangeSize& size, std::uint32_t line_bytes, std::uint64_t seed);

  /// Round trips over each line, one line after the other; nanoseconds a round trip, for each line the median of its
  /// samples. By compare-and-swap both try on one line until the other's number stands there; by stores each writes its
  /// number to a line of its own, which the other reads until it is there. Throws device::Error where a line does not
  /// hold the number of its round trips afterwards.
  std::vector<double> round_trips(PinnedPair& pair, Exchange exchange);

 private:
  /// The word of a line; lines come in twos, for there and back.
  [[nodiscard]] std::uint64_t& word_of(int line, int way);

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
/// first. `pinned` says whether every thread was kept on its CPU. Throws what any of them threw.
std::vector<PairTimes> exchanges_at_once(const std::vector<CpuPair>& pairs, const ExchangeSize& size,
                                         std::uint32_t line_bytes, std::uint64_t seed, bool& pinned);

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
  struct Line {
    const Line* next;
    std::uint64_t walk;
  };
  [[nodiscard]] Line& line(std::uint32_t index);

  std::uint32_t count_;
  workloads::LineLayout layout_;
  cpu::Region memory_;
  std::vector<std::uint32_t> cycle_;
};

}  // namespace sonde::probes
