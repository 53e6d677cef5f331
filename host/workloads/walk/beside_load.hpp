#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measure/measurement.hpp"

// Probes that walk beside a load share how they choose its delays, as the delay that gets a point to some place on the
// curve over the bandwidth of the load is only known from those before; and the kinds of what is concluded.
namespace sonde::workloads {

/// The bandwidth of a load that waited so long between its rounds.
struct ReachedLoad {
  double delay = 0;
  double gbps = 0;  ///< above zero
};

/// The delays that may be asked for, beside none.
struct LoadDelays {
  double first = 1;    ///< what is tried after none: about what a round takes by itself
  double longest = 1;  ///< with more, too little would move to be counted
};

/// The delay that cuts the widest gap in bandwidth in halves, where no load counts as 0 GB/s; nothing where there are
/// as many points as are wanted, or all gaps are narrow enough or cannot be cut. `by_delay`: the shortest first. A
/// round takes a + b * delay, so one over the bandwidth is interpolated.
std::optional<double> delay_in_the_widest_gap(const std::vector<ReachedLoad>& by_delay, std::size_t wanted_points,
                                              const LoadDelays& delays);

/// A sentence about a point that other programs disturbed; empty where they did not.
std::string describe_disturbance(const measure::State& state);

inline constexpr measure::FindingKind idle_latency{
    .name = "idle-latency",
    .heading = "Latency without load",
    .meaning =
        "The time of a load while nothing else loads memory; of the CPU itself `p90_ns` and `p99_ns` in details "
        "are its windows' percentiles.",
    .better = measure::Better::lower,
    .compared = measure::Comparison::by_ratio,
    .feature = "latency without load",
    .per_clock = 1};
inline constexpr measure::FindingKind full_load_latency{
    .name = "full-load-latency",
    .heading = "Latency under full load",
    .meaning =
        "The time of a load beside the highest load; of the CPU itself details have `p90_ns` and `p99_ns` of its "
        "windows, and `load_gbps` that the load moved.",
    .better = measure::Better::lower,
    .compared = measure::Comparison::by_ratio,
    .feature = "latency under full load",
    .per_clock = 1};

}  // namespace sonde::workloads
