#pragma once

#include <vector>

#include "probes/core_to_core/plan.hpp"

namespace sonde::probes {

/// What each of several pairs found, nanoseconds a round trip of each line.
struct PairTimes {
  std::vector<double> swapped;
  std::vector<double> stored;
};

/// Round trips of pairs that share no core, begun together, each pair on memory of its own that its first CPU wrote
/// first. `pinned` says whether every thread was kept on its CPU. Throws what any of them threw.
std::vector<PairTimes> exchanges_at_once(const std::vector<CpuPair>& pairs, const ExchangeSize& size,
                                         std::uint32_t line_bytes, std::uint64_t seed, bool& pinned);

}  // namespace sonde::probes
