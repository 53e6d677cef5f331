#pragma once

#include "analysis/statistics.hpp"
#include "counters/traffic/traffic_meter.hpp"
#include "device/device.hpp"
#include "measure/probe.hpp"
#include "measure/smt_interference.hpp"
#include "measure/workload.hpp"

namespace sonde::measure {

/// The limits of one point's measurement.
struct Limits {
  device::Nanoseconds stretch{0};  ///< wanted length of one timed dispatch
  int least_repetitions = 7;       ///< 7 give the median's range 98 % coverage
  int most_repetitions = 30;
  device::Nanoseconds device_time{0};  ///< no further repetition once this much was spent
  /// The meter for work that takes its repetitions itself; null where nothing is counted.
  counters::TrafficMeter* traffic = nullptr;
  device::Nanoseconds warm_up{0};  ///< most that may be spent on untimed laps after the first
};

/// The limits of one visit: short, as what another run reads is told by several visits. A CPU has less time to warm up:
/// the share of its last cache that other programs leave changes all the time, so that laps over more than it holds
/// settle by chance, while a GPU's caches are the walk's alone.
Limits limits_of(device::DeviceType type = device::DeviceType::discrete);

/// Decides when a median is known well enough; fed with plain numbers.
class StoppingRule {
 public:
  explicit StoppingRule(const Limits& limits) : limits_(limits) {}

  /// `spent` is the device time that the repetition took.
  void add(double value, device::Nanoseconds spent);

  /// True once the median's 95 % interval is within 1 % of it, or a limit is reached.
  [[nodiscard]] bool done() const;

 private:
  Limits limits_;
  std::vector<double> values_;
  device::Nanoseconds spent_{0};
};

/// Runs stepped work, and throws device::Error where a dispatch did not do its work. Calls `alive` after each.
class ProvedRun {
 public:
  ProvedRun(const SteppedWork& work, const std::function<void()>& alive) : work_(work), alive_(alive) {}

  device::Nanoseconds operator()(std::uint64_t steps) const {
    const device::Nanoseconds time = work_.run(steps);
    if (const auto failure = work_.proof_failure()) throw device::Error(*failure);
    alive_();
    return time;
  }
  /// Runs other work in the same way.
  ProvedRun of(const SteppedWork& other) const { return {other, alive_}; }
  /// Whether the last run's thread did not have its core for all of it, where that is known.
  bool was_interrupted() const { return work_.interrupted && work_.interrupted(); }

 private:
  const SteppedWork& work_;
  const std::function<void()>& alive_;
};

/// Whole quanta that are predicted to last `wanted`, at least one and at most what a run may take.
inline std::uint64_t steps_for(device::Nanoseconds wanted, double nanoseconds_per_step, const SteppedWork& work) {
  const double steps = wanted.count() / std::max(nanoseconds_per_step, 1e-3);
  const auto quanta = static_cast<std::uint64_t>(steps / static_cast<double>(work.quantum));
  return std::clamp<std::uint64_t>(quanta, 1, work.most / work.quantum) * work.quantum;
}

/// The results of the untimed laps before the timed dispatches.
struct WarmUp {
  double nanoseconds_per_step = 0;
  double settling = 0;  ///< the same as in `Repetitions`
};

/// Walks one lap, then further ones while they get faster: a cache that replaces at random keeps for many laps what
/// others left in it. Ends early in the second lap where that is as fast as the first, or when `limits` are reached.
/// Where a lap takes long, many items make most of its steps, if they can. `per_step`: nanoseconds that a step is
/// expected to take.
WarmUp warm_up(const ProvedRun& run, double per_step, const Limits& limits, const SteppedWork& work);

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
  bool disturbed = false;       ///< disturbed pairs are among these, as too few others were taken

  /// Times of a step, free of the launch, in the order taken.
  std::vector<double> slopes(const SteppedWork& work) const {
    std::vector<double> all;
    for (std::size_t pair = 0; pair < long_ns.size(); ++pair) all.push_back(slope(pair, work));
    return all;
  }
  /// The median of all short dispatches tells a launch best. Short dispatches that work as well get faster with the
  /// device's clock, or as others leave the caches; only an interruption makes a single one slower.
  double slope(std::size_t pair, const SteppedWork& work) const {
    const double usual = analysis::quantile(short_ns, 0.5);
    const double short_one = few > work.quantum ? std::min(short_ns[pair], usual) : usual;
    return (long_ns[pair] - short_one) / static_cast<double>(many - few);
  }
  /// Whether the work outlasts the scatter of launches: the difference is above 0 in all but some interrupted pairs.
  bool are_distinct() const { return analysis::quantile(long_ns, 0.25) > analysis::quantile(short_ns, 0.5); }
};

/// Takes pairs until the workload's value is known well enough. Throws device::TooShort where the short dispatches
/// often take longer than the long ones.
Pairs take_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                 const SteppedWork& work, const InterferenceWatch& watch);

/// No dispatch may be predicted to take longer: some watchdogs end one after 640 ms.
inline constexpr device::Nanoseconds longest_dispatch{200e6};

/// Times stepped work in pairs of a short and a long dispatch whose difference is free of the launch; those taken
/// beside SMT interference, or interrupted, are left out where enough others are left. Throws device::Error where a
/// dispatch did not do its work, device::TooShort where short ones often last longer than long ones. Calls `alive`
/// after each.
Repetitions repeat(const SteppedWork& work, const Limits& limits, const std::function<void()>& alive,
                   SmtInterference* smt_interference = nullptr);

}  // namespace sonde::measure
