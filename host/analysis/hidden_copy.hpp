#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/prediction.hpp"

namespace sonde::analysis {

/// How long a round between CPU and device took at one size: the median of one visit.
struct RoundTime {
  double bytes = 0;
  double nanoseconds = 0;
};

/// What the driver does with a whole buffer of which one word changes.
struct HiddenCopy {
  enum class Verdict { none, copy, maintenance, unclear };
  Verdict verdict = Verdict::unclear;
  Estimate gbps = {};    ///< at which time grows with the size: of `copy` and `maintenance`
  std::string why = {};  ///< of `unclear`
  bool is_open = false;  ///< unclear only because the visits disagree: further ones may decide
};

/// From the rounds at several sizes, in any order, all visits together and each by itself, and the rate of a copy that
/// was asked for (0: not known). A verdict is given where all that another run may find would give the same.
[[nodiscard]] HiddenCopy find_hidden_copy(std::span<const RoundTime> rounds,
                                          std::span<const std::vector<RoundTime>> visits, double copy_gbps);

}  // namespace sonde::analysis
