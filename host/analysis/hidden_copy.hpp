#pragma once

#include <string>
#include <vector>

namespace sonde::analysis {

/// How long a round between CPU and device took at one size, in ns: the median, and half the width of the middle half.
struct RoundTime {
  double bytes = 0;
  double median_ns = 0;
  double half_width_ns = 0;
};

/// What the driver does with a whole buffer of which one word changes.
struct HiddenCopy {
  enum class Verdict { none, copy, maintenance, unclear };
  Verdict verdict = Verdict::unclear;
  double gbps = 0;       ///< at which time grows with the size: of `copy` and `maintenance`
  double growth_ns = 0;  ///< from the smallest size to the largest
  std::string why;       ///< of `unclear`
};

/// From the rounds at several sizes, in any order, and the rate of a copy that was asked for (0: not known).
[[nodiscard]] HiddenCopy find_hidden_copy(std::vector<RoundTime> rounds, double copy_gbps);

}  // namespace sonde::analysis
