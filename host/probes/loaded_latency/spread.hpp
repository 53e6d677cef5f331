#pragma once

#include <cstddef>
#include <optional>
#include <vector>

// Where on a curve over the bandwidth that a load reaches the next point belongs; the delay that gets it there is only
// known from those before.
namespace sonde::probes {

/// What a load moved that waited so long between its rounds.
struct Reached {
  double delay = 0;
  double gbps = 0;  ///< above zero
};

/// The delays that may be asked for, beside none.
struct Delays {
  double first = 1;    ///< what is tried after none: about what a round takes by itself
  double longest = 1;  ///< with more, too little would move to be counted
};

/// The delay that cuts the widest gap in bandwidth in halves, without load counting as 0 GB/s; nothing where there are
/// as many points as are wanted, or all gaps are narrow enough or cannot be cut. `by_delay`: the shortest first. A
/// round takes a + b * delay, so one over the bandwidth is interpolated.
std::optional<double> delay_in_the_widest_gap(const std::vector<Reached>& by_delay, std::size_t wanted_points,
                                              const Delays& delays);

}  // namespace sonde::probes
