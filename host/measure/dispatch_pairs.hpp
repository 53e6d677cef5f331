#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/statistics.hpp"
#include "measure/proved_run.hpp"
#include "measure/smt_interference.hpp"
#include "measure/stopping.hpp"

namespace sonde::measure {

/// Looks for SMT interference, where anybody can; sees none where nobody can.
struct InterferenceWatch {
  SmtInterference* smt_interference = nullptr;
  const std::function<void()>& alive;

  bool present() const { return smt_interference != nullptr && smt_interference->present(); }
  bool outlasts_a_wait() const { return smt_interference != nullptr && !smt_interference->wait_until_gone(alive); }
  bool may_repeat(device::Nanoseconds time) const {
    return smt_interference != nullptr && smt_interference->may_repeat(time);
  }
};

/// A short and a long dispatch in turn, again and again.
struct Pairs {
  std::uint64_t few = 0;
  std::uint64_t many = 0;
  std::vector<double> short_ns;
  std::vector<double> long_ns;
  double smt_interference = 0;  ///< share of them that were taken beside some
  double interrupted = 0;       ///< share of those taken in which a dispatch was interrupted
  bool disturbed = false;       ///< those are among these, as too few others were taken

  /// Times of a step, free of the launch, in the order taken.
  std::vector<double> slopes(const SteppedWork& work) const {
    std::vector<double> all;
    for (std::size_t pair = 0; pair < long_ns.size(); ++pair) all.push_back(slope(pair, work));
    return all;
  }
  /// All of them together tell a launch best. Where short ones work as well, they get faster with the device's clock,
  /// or as others leave the caches; what makes a single one slower is an interruption.
  double slope(std::size_t pair, const SteppedWork& work) const {
    const double usual = analysis::quantile(short_ns, 0.5);
    const double short_one = few > work.quantum ? std::min(short_ns[pair], usual) : usual;
    return (long_ns[pair] - short_one) / static_cast<double>(many - few);
  }
  /// Whether the work outlasts what others do to the launches: what is left of the time is more than nothing in all but
  /// some interrupted pairs.
  bool are_distinct() const { return analysis::quantile(long_ns, 0.25) > analysis::quantile(short_ns, 0.5); }
};

/// Takes pairs until the workload's value is known well enough. Throws device::TooShort where the short dispatches often
/// take longer than the long ones.
Pairs take_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                 const SteppedWork& work, const InterferenceWatch& watch);

}  // namespace sonde::measure
