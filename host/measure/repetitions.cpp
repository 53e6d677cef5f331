#include "measure/repetitions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "analysis/statistics.hpp"
#include "gpu/error.hpp"

namespace sonde::measure {
namespace {

using gpu::Nanoseconds;

constexpr std::uint64_t parts_of_a_lap = 8;
/// A short dispatch makes this part of a long one's steps at most: what is left has to tell the time.
constexpr std::uint64_t largest_short_part = 4;
constexpr Nanoseconds most_refilled{40e6};
constexpr Nanoseconds longest_for_a_refill{8e6};
constexpr int launches_timed = 5;

class ProvedRun {
 public:
  ProvedRun(const Workload& workload, const std::function<void()>& alive) : workload_(workload), alive_(alive) {}

  Nanoseconds operator()(std::uint64_t steps) {
    const Nanoseconds time = workload_.run(steps);
    if (const auto flaw = workload_.flaw()) throw gpu::Error(*flaw);
    walked_ += steps;
    alive_();
    return time;
  }

  std::uint64_t walked() const { return walked_; }

 private:
  const Workload& workload_;
  const std::function<void()>& alive_;
  std::uint64_t walked_ = 0;
};

/// Whole quanta that are predicted to last `wanted`, at least one and at most what a run may take.
std::uint64_t steps_for(Nanoseconds wanted, double nanoseconds_per_step, const Workload& workload) {
  const double steps = wanted.count() / std::max(nanoseconds_per_step, 1e-3);
  const auto quanta = static_cast<std::uint64_t>(steps / static_cast<double>(workload.quantum));
  return std::clamp<std::uint64_t>(quanta, 1, workload.most / workload.quantum) * workload.quantum;
}

/// Grows the dispatch until it lasts about `wanted`; returns the time of a step. The launch is still in it, so a
/// step is over-estimated rather than under-estimated, and no dispatch lasts longer than predicted by much.
double calibrate(ProvedRun& run, Nanoseconds wanted, const Workload& workload) {
  run(workload.quantum);  // the first launch compiles, allocates and wakes the device: its time says nothing
  const std::uint64_t most = workload.most / workload.quantum * workload.quantum;
  std::uint64_t steps = workload.quantum;
  for (;;) {
    // The shorter of two: an interruption taken at its word would make every dispatch too short.
    const Nanoseconds first = run(steps);
    const Nanoseconds time = std::min(first, run(steps));
    if (time.count() <= 0 && steps >= most) {
      throw gpu::Error("the device's clock did not move while it worked, so nothing can be timed by it");
    }
    const double per_step = time.count() / static_cast<double>(steps);
    if (time >= wanted / 2 || steps >= most) return per_step;
    // At most eight times as long at once: the first steps may have hit a cache that the next ones miss.
    const std::uint64_t next = std::min(steps * 8, steps_for(wanted, per_step, workload));
    if (next <= steps) return per_step;
    steps = next;
  }
}

/// Walks `steps` in dispatches of allowed length; returns the time of a step.
double walk(ProvedRun& run, std::uint64_t steps, double per_step, const Workload& workload) {
  Nanoseconds time{0};
  std::uint64_t walked = 0;
  while (walked < steps) {
    const std::uint64_t left = (steps - walked + workload.quantum - 1) / workload.quantum * workload.quantum;
    const std::uint64_t now = std::min(left, steps_for(longest_dispatch / 2, per_step, workload));
    const Nanoseconds piece = run(now);
    per_step = piece.count() / static_cast<double>(now);
    time += piece;
    walked += now;
  }
  return time.count() / static_cast<double>(walked);
}

/// Times of a step in the parts of every lap walked. A part of a lap is held against the same part of another, which
/// touched the same lines, and the median of all parts speaks: one interruption does not.
class Laps {
 public:
  explicit Laps(std::size_t parts) : parts_(parts) {}

  void add(double nanoseconds_per_step) { times_.push_back(nanoseconds_per_step); }
  std::size_t walked() const { return times_.size() / parts_; }
  double of_first_lap(std::size_t part) const { return times_[part]; }

  /// Of the last lap, whatever part of it one interruption made slow.
  double nanoseconds_per_step() const {
    const std::size_t count = std::min(parts_, times_.size());
    return analysis::quantile(std::span(times_).last(count), 0.5);
  }

  /// Whether the laps walked last are as fast as those half as many laps before. A cache that forgets old lines at a
  /// constant rate has forgotten all but the square of what is tolerated then, however slow the rate.
  bool steady() const { return ratio() >= tolerated_ratio; }

  /// The share by which they are faster, 0 where that is tolerated. Of fewer than two laps nothing is known: 1.
  double still_falling() const {
    if (walked() < 2) return 1;
    return steady() ? 0 : 1 - ratio();
  }

  static constexpr double tolerated_ratio = 0.99;

 private:
  double ratio() const {
    const std::size_t window = std::max<std::size_t>(1, walked() / 4);
    std::vector<double> ratios;
    for (std::size_t part = 0; part < parts_; ++part) {
      ratios.push_back(median_of(part, walked() - window, window) /
                       median_of(part, walked() / 2 - (window + 1) / 2, window));
    }
    return analysis::quantile(ratios, 0.5);
  }

  double median_of(std::size_t part, std::size_t first_lap, std::size_t laps) const {
    std::vector<double> times;
    for (std::size_t lap = first_lap; lap < first_lap + laps; ++lap) times.push_back(times_[lap * parts_ + part]);
    return analysis::quantile(times, 0.5);
  }

  std::size_t parts_;
  std::vector<double> times_;
};

struct WarmUp {
  double nanoseconds_per_step = 0;
  double settling = 0;  // as in Repetitions
};

/// One lap, then further ones while they get faster: a cache that replaces at random keeps for many laps what others
/// left in it. Ends early in the second lap where that is as fast as the first, or when `limits` says.
WarmUp warm_up(ProvedRun& run, double per_step, const Limits& limits, const Workload& workload) {
  const std::uint64_t stretch = steps_for(limits.stretch, per_step, workload);
  const std::uint64_t lap = std::max(workload.lap, stretch);
  const std::uint64_t part = std::max(stretch, (lap / parts_of_a_lap / workload.quantum + 1) * workload.quantum);
  const std::uint64_t parts = (lap + part - 1) / part;
  Laps laps(parts);
  double walked_ns = 0;
  const auto walk_part = [&](std::uint64_t index) {
    per_step = walk(run, std::min(part, lap - index * part), per_step, workload);
    laps.add(per_step);
    walked_ns += per_step * static_cast<double>(part);
  };
  for (std::uint64_t i = 0; i < parts; ++i) walk_part(i);

  const double latest_ns = walked_ns + limits.warm_up.count();
  const std::uint64_t looked_at = std::min<std::uint64_t>(3, parts);
  const std::uint64_t wanted = std::min<std::uint64_t>(2, parts);
  std::uint64_t faster = 0;
  std::size_t next_look = 2;
  for (std::uint64_t again = 0;; ++again) {
    const std::uint64_t i = again % parts;
    walk_part(i);
    if (walked_ns > latest_ns) return {laps.nanoseconds_per_step(), laps.still_falling()};
    if (again < looked_at) {
      // A cache that settles is faster in every part but one that was interrupted; noise alone seldom is in two.
      faster += per_step < Laps::tolerated_ratio * laps.of_first_lap(i) ? 1 : 0;
      const std::uint64_t still_to_look_at = looked_at - again - 1;
      if (faster + still_to_look_at < wanted) break;
    }
    if (i + 1 == parts && laps.walked() >= next_look) {
      if (laps.steady()) break;
      // 2, 3, 4, 6, 8, 12 … laps
      next_look += std::max<std::size_t>(1, std::bit_floor(next_look) / 2);
    }
  }
  return {laps.nanoseconds_per_step(), 0};
}

/// Long dispatches last so long that a quarter takes in again what a launch pushes out of a CPU's second cache, where
/// little time does that; a set that takes more is a larger cache's, of which a launch pushes out next to nothing.
/// Half a lap of a cycle takes in nothing of what its other half lost, so a quarter is a whole lap, or it is not tried.
Nanoseconds long_enough_to_refill(Nanoseconds stretch, double per_step, const Workload& workload) {
  const auto least = static_cast<double>(largest_short_part * (workload.refill + workload.quantum));
  const Nanoseconds wanted(least * per_step);
  const Nanoseconds most_wanted = workload.refills_in_part ? most_refilled : longest_for_a_refill;
  return wanted > most_wanted ? stretch : std::max(stretch, std::min(wanted, longest_for_a_refill));
}

/// Steps of the short dispatches beside long ones of `many`. Between two dispatches the driver and the system, on a GPU
/// the launch itself, push lines out of the caches, up to half of them: both walk so far that they are in again.
std::uint64_t steps_of_a_short_one(std::uint64_t many, const Workload& workload) {
  const std::uint64_t most = many / largest_short_part / workload.quantum;
  const std::uint64_t wanted = workload.refill / workload.quantum;
  const bool enough = wanted <= most || workload.refills_in_part;
  return std::max<std::uint64_t>(1, enough ? std::min(wanted, most) : 0) * workload.quantum;
}

/// Whether there are neighbours; none where nobody can tell.
struct LookAround {
  SmtInterference* smt_interference = nullptr;
  const std::function<void()>& alive;

  bool now() const { return smt_interference != nullptr && smt_interference->present(); }
  bool after_a_wait() const { return smt_interference != nullptr && !smt_interference->wait_until_gone(alive); }
  bool may_repeat(Nanoseconds time) const { return smt_interference != nullptr && smt_interference->may_repeat(time); }
};

/// A short and a long dispatch in turn, again and again.
struct Pairs {
  std::uint64_t few = 0;
  std::uint64_t many = 0;
  std::vector<double> short_ns;
  std::vector<double> long_ns;
  double smt_interference = 0;  ///< share of them beside which there were any

  /// Times of a step, free of the launch, in the order taken.
  std::vector<double> slopes(const Workload& workload) const {
    std::vector<double> all;
    for (std::size_t pair = 0; pair < long_ns.size(); ++pair) all.push_back(slope(pair, workload));
    return all;
  }
  /// A launch is best told by all of them. Where short ones work as well, they get faster with the device's clock, or
  /// as others leave the caches; what makes a single one slower is an interruption.
  double slope(std::size_t pair, const Workload& workload) const {
    const double usual = analysis::quantile(short_ns, 0.5);
    const double short_one = few > workload.quantum ? std::min(short_ns[pair], usual) : usual;
    return (long_ns[pair] - short_one) / static_cast<double>(many - few);
  }
  /// Whether the work outlasts what others do to the launches: what is left of the time is more than nothing in all but
  /// some interrupted pairs.
  bool told_apart() const { return analysis::quantile(long_ns, 0.25) > analysis::quantile(short_ns, 0.5); }
};

/// Those of the pairs that had no neighbours, where they are at least so many; else all.
Pairs without_smt_interference(const Pairs& pairs, const std::vector<bool>& with, int least) {
  const auto count = std::ranges::count(with, true);
  if (count == 0) return pairs;
  Pairs kept{.few = pairs.few, .many = pairs.many, .short_ns = {}, .long_ns = {}};
  for (std::size_t pair = 0; pair < with.size(); ++pair) {
    if (with[pair]) continue;
    kept.short_ns.push_back(pairs.short_ns[pair]);
    kept.long_ns.push_back(pairs.long_ns[pair]);
  }
  if (static_cast<int>(kept.long_ns.size()) >= least) return kept;
  kept = pairs;
  kept.smt_interference = static_cast<double>(count) / static_cast<double>(with.size());
  return kept;
}

Pairs take_pairs(ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits, const Workload& workload,
                 const LookAround& around) {
  Pairs pairs{.few = few, .many = many, .short_ns = {}, .long_ns = {}};
  StoppingRule rule(limits);
  std::vector<bool> interfered;
  bool before = around.after_a_wait();
  while (!rule.done()) {
    // Short and long alternate, so that a slow change of the clock reaches both alike.
    const Nanoseconds short_time = run(few);
    const Nanoseconds long_time = run(many);
    pairs.short_ns.push_back(short_time.count());
    pairs.long_ns.push_back(long_time.count());
    const bool after = around.now();
    interfered.push_back(before || after);
    before = after && around.after_a_wait();
    // Where they were waited for in vain, or come back again and again, values with them have to do.
    const bool may_be_better = static_cast<int>(interfered.size()) < 2 * limits.most_repetitions;
    const Nanoseconds time = short_time + long_time;
    if (interfered.back() && !before && may_be_better && around.may_repeat(time)) continue;
    rule.add(workload.value(pairs.slope(pairs.long_ns.size() - 1, workload)), time);
  }
  return without_smt_interference(pairs, interfered, limits.least_repetitions);
}

/// The first pairs that can be told apart. Throws gpu::TooShort where none can be.
Pairs take_clear_pairs(ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                       const Workload& workload, const LookAround& around) {
  constexpr int most_tries = 3;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Pairs pairs = take_pairs(run, few, many, limits, workload, around);
    if (pairs.told_apart()) return pairs;
  }
  throw gpu::TooShort("starting it takes so unevenly long that a short run often takes longer than one of " +
                      std::to_string(many / few) +
                      " times the work, so nothing is known of the work's own time; other programs disturb this "
                      "device or its driver: measure again when it is idle");
}

/// What a dispatch of next to no work takes.
double launch_and_a_quantum_ns(ProvedRun& run, const Workload& workload) {
  std::vector<double> times;
  for (int launch = 0; launch < launches_timed; ++launch) times.push_back(run(workload.quantum).count());
  return analysis::quantile(times, 0.5);
}

}  // namespace

Repetitions repeat(const Workload& workload, const Limits& limits, const std::function<void()>& alive,
                   SmtInterference* smt_interference) {
  ProvedRun run(workload, alive);
  double per_step = calibrate(run, limits.stretch, workload);

  const WarmUp warm = warm_up(run, per_step, limits, workload);
  per_step = warm.nanoseconds_per_step;

  const Nanoseconds wanted = std::min(long_enough_to_refill(limits.stretch, per_step, workload), longest_dispatch / 2);
  const std::uint64_t many = std::max(steps_for(wanted, per_step, workload), 2 * workload.quantum);
  const std::uint64_t few = steps_of_a_short_one(many, workload);
  const double briefest_ns = few > workload.quantum ? launch_and_a_quantum_ns(run, workload) : 0;
  const Pairs pairs = take_clear_pairs(run, few, many, limits, workload, {smt_interference, alive});

  const std::vector<double> slopes = pairs.slopes(workload);
  Repetitions result{.values = {},
                     .steps = many,
                     .launch_ns = 0,
                     .settling = warm.settling,
                     .smt_interference = pairs.smt_interference};
  for (const double slope : slopes) result.values.push_back(workload.value(slope));
  for (const Also& also : workload.also) {
    result.further.push_back({.series = also.series, .unit = also.unit, .values = {}});
    for (const double slope : slopes) result.further.back().values.push_back(also.value(slope));
  }
  const double quantum_ns = analysis::quantile(slopes, 0.5) * static_cast<double>(workload.quantum);
  const double shortest_ns = few > workload.quantum ? briefest_ns : analysis::quantile(pairs.short_ns, 0.5);
  result.launch_ns = std::max(0.0, shortest_ns - quantum_ns);
  return result;
}

}  // namespace sonde::measure
