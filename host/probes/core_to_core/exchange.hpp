#pragma once

#include <cstdint>
#include <vector>

#include "cpu/region.hpp"
#include "probes/core_to_core/pair.hpp"
#include "probes/core_to_core/plan.hpp"
#include "workloads/walk/line_layout.hpp"

namespace sonde::probes {

enum class Exchange {
  compare_and_swap,  ///< both try on one line until the other's number stands there
  store              ///< each stores its number in a line of its own, which the other reads until it is there
};

/// Lines on pages of their own, at different offsets, that stand on the node of the CPU that first wrote them: the
/// one on which this is made.
class ExchangedLines {
 public:
  ExchangedLines(const ExchangeSize& size, std::uint32_t line_bytes, std::uint64_t seed);

  /// Round trips over each line, one line after the other; nanoseconds a round trip, for each line the median of its
  /// samples. Throws device::Error where a line does not hold the number of its round trips afterwards.
  std::vector<double> round_trips(Pair& pair, Exchange exchange);

 private:
  /// The word of a line; lines come in twos, for there and back.
  [[nodiscard]] std::uint64_t& word_of(int line, int way);

  ExchangeSize size_;
  workloads::LineLayout layout_;
  cpu::Region memory_;
};

}  // namespace sonde::probes
