#include "measure/repetitions.hpp"

#include "measure/runner.hpp"

namespace sonde::measure {
namespace {

using device::Nanoseconds;

/// A short dispatch makes this part of a long one's steps at most: what is left has to tell the time.
constexpr std::uint64_t largest_short_part = 4;
constexpr Nanoseconds most_refilled{40e6};
constexpr Nanoseconds longest_for_a_refill{8e6};
constexpr int launches_timed = 5;

/// Grows the dispatch until it lasts about `wanted`; returns the time of a step. The launch is still in it, so a step
/// is over-estimated rather than under-estimated, and no dispatch lasts longer than predicted by much.
double calibrate(const ProvedRun& run, Nanoseconds wanted, const SteppedWork& work) {
  run(work.quantum);  // the first launch compiles, allocates and wakes the device: its time means nothing
  const std::uint64_t most = work.most / work.quantum * work.quantum;
  std::uint64_t steps = work.quantum;
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    // The shorter of two counts: one that was interrupted would make every dispatch too short.
    const Nanoseconds first = run(steps);
    const Nanoseconds time = std::min(first, run(steps));
    // Dispatches do not grow until a watchdog ends them.
    const bool is_long = steps >= most || std::chrono::steady_clock::now() - begin > longest_dispatch;
    if (time.count() <= 0 && is_long) {
      throw device::Error(
          "the driver's clock did not move while the device worked, so nothing can be timed by it; a newer or another "
          "driver may have a clock that works");
    }
    const double per_step = time.count() / static_cast<double>(steps);
    if (time >= wanted / 2 || steps >= most) return per_step;
    // A dispatch grows at most eightfold at once: the first steps may have hit a cache that the next ones miss.
    const std::uint64_t next = std::min(steps * 8, steps_for(wanted, per_step, work));
    if (next <= steps) return per_step;
    steps = next;
  }
}

/// Long dispatches last so long that a quarter takes in again what a launch pushes out of a CPU's second cache, where
/// little time does that; a set that takes more is a larger cache's, of which a launch pushes out next to nothing. Half
/// a lap of a cycle takes in nothing of what its other half lost, so a quarter is a whole lap, or it is not tried.
Nanoseconds long_enough_to_refill(Nanoseconds stretch, double per_step, const SteppedWork& work) {
  const auto least = static_cast<double>(largest_short_part * (work.refill + work.quantum));
  const Nanoseconds wanted(least * per_step);
  const Nanoseconds most_wanted = work.refills_in_part ? most_refilled : longest_for_a_refill;
  return wanted > most_wanted ? stretch : std::max(stretch, std::min(wanted, longest_for_a_refill));
}

/// Steps of the short dispatches beside long ones of `many`. Between two dispatches the driver and the system, on a GPU
/// the launch itself, push lines out of the caches, up to half of them: both walk so far that they are in again.
std::uint64_t steps_of_a_short_one(std::uint64_t many, const SteppedWork& work) {
  const std::uint64_t most = many / largest_short_part / work.quantum;
  const std::uint64_t wanted = work.refill / work.quantum;
  const bool enough = wanted <= most || work.refills_in_part;
  return std::max<std::uint64_t>(1, enough ? std::min(wanted, most) : 0) * work.quantum;
}

/// The time of a dispatch of next to no work.
double launch_and_a_quantum_ns(const ProvedRun& run, const SteppedWork& work) {
  std::vector<double> times;
  for (int launch = 0; launch < launches_timed; ++launch) times.push_back(run(work.quantum).count());
  return analysis::quantile(times, 0.5);
}

/// A disturbance of a pair, for which the pair may be left out.
struct PairDisturbance {
  bool smt_interference = false;
  bool interruption = false;

  bool any() const { return smt_interference || interruption; }
};

double share_of(const std::vector<PairDisturbance>& pairs, bool PairDisturbance::* what) {
  return static_cast<double>(std::ranges::count(pairs, true, what)) / static_cast<double>(pairs.size());
}

/// The undisturbed pairs where there are at least `least` of them, else all.
Pairs undisturbed(const Pairs& pairs, const std::vector<PairDisturbance>& disturbances, int least) {
  Pairs kept{.few = pairs.few, .many = pairs.many, .short_ns = {}, .long_ns = {}};
  for (std::size_t pair = 0; pair < disturbances.size(); ++pair) {
    if (disturbances[pair].any()) continue;
    kept.short_ns.push_back(pairs.short_ns[pair]);
    kept.long_ns.push_back(pairs.long_ns[pair]);
  }
  const double interrupted = share_of(disturbances, &PairDisturbance::interruption);
  if (static_cast<int>(kept.long_ns.size()) < least) {
    kept = pairs;
    kept.smt_interference = share_of(disturbances, &PairDisturbance::smt_interference);
    kept.disturbed = interrupted > tolerated_foreign_share;
  }
  kept.interrupted = interrupted;
  return kept;
}

/// Leaves out the pairs whose long dispatch took less time than the short one: something held up the short one, and no
/// step takes less than nothing. Few do where the pairs are distinct, so that the others' median stays what it is.
void leave_out_what_says_nothing(Pairs& pairs, const SteppedWork& work) {
  for (std::size_t pair = 0; pair < pairs.long_ns.size();) {
    if (pairs.slope(pair, work) > 0) {
      ++pair;
      continue;
    }
    pairs.short_ns.erase(pairs.short_ns.begin() + static_cast<std::ptrdiff_t>(pair));
    pairs.long_ns.erase(pairs.long_ns.begin() + static_cast<std::ptrdiff_t>(pair));
    pair = 0;
  }
}

Pairs tried_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                  const SteppedWork& work, const InterferenceWatch& watch) {
  Pairs pairs{.few = few, .many = many, .short_ns = {}, .long_ns = {}};
  StoppingRule rule(limits);
  std::vector<PairDisturbance> disturbances;
  bool before = watch.outlasts_a_wait();
  while (!rule.done()) {
    // Short and long dispatches alternate, so that a slow change of the clock reaches both alike.
    const Nanoseconds short_time = run(few);
    const bool short_one_interrupted = run.was_interrupted();
    const Nanoseconds long_time = run(many);
    const bool interruption = short_one_interrupted || run.was_interrupted();
    pairs.short_ns.push_back(short_time.count());
    pairs.long_ns.push_back(long_time.count());
    const bool after = watch.present();
    disturbances.push_back({.smt_interference = before || after, .interruption = interruption});
    before = after && watch.outlasts_a_wait();
    // Disturbed values are kept where interference outlasts the wait, or disturbances come again and again.
    const bool may_be_better = static_cast<int>(disturbances.size()) < 2 * limits.most_repetitions && !before;
    const Nanoseconds time = short_time + long_time;
    const bool says_nothing = pairs.slope(pairs.long_ns.size() - 1, work) <= 0;
    if (may_be_better &&
        (says_nothing || interruption || (disturbances.back().smt_interference && watch.may_repeat(time))))
      continue;
    rule.add(work.value(pairs.slope(pairs.long_ns.size() - 1, work)), time);
  }
  return undisturbed(pairs, disturbances, limits.least_repetitions);
}

}  // namespace

Repetitions repeat(const SteppedWork& work, const Limits& limits, const std::function<void()>& alive,
                   SmtInterference* smt_interference) {
  const ProvedRun run(work, alive);
  double per_step = calibrate(run, limits.stretch, work);

  const WarmUp warm = warm_up(run, per_step, limits, work);
  per_step = warm.nanoseconds_per_step;

  const Nanoseconds wanted = std::min(long_enough_to_refill(limits.stretch, per_step, work), longest_dispatch / 2);
  const std::uint64_t many = std::max(steps_for(wanted, per_step, work), 2 * work.quantum);
  const std::uint64_t few = steps_of_a_short_one(many, work);
  const double briefest_ns = few > work.quantum ? launch_and_a_quantum_ns(run, work) : 0;
  const Pairs pairs = take_pairs(run, few, many, limits, work, {smt_interference, alive});

  const std::vector<double> slopes = pairs.slopes(work);
  Repetitions result{.values = {},
                     .steps = many,
                     .launch_ns = 0,
                     .settling = warm.settling,
                     .smt_interference = pairs.smt_interference,
                     .interrupted = pairs.interrupted,
                     .disturbed = pairs.disturbed};
  for (const double slope : slopes) result.values.push_back(work.value(slope));
  for (const DerivedCurve& derived : work.derived) {
    result.extra.push_back({.curve = derived.curve, .varied = derived.varied});
    for (const double slope : slopes) result.extra.back().values.push_back(derived.value(slope));
  }
  const double quantum_ns = analysis::quantile(slopes, 0.5) * static_cast<double>(work.quantum);
  const double shortest_ns = few > work.quantum ? briefest_ns : analysis::quantile(pairs.short_ns, 0.5);
  result.launch_ns = std::max(0.0, shortest_ns - quantum_ns);
  return result;
}

Limits limits_of(device::DeviceType type) {
  const bool cpu = type == device::DeviceType::cpu;
  return {.stretch = device::Nanoseconds(2e6),
          .most_repetitions = 9,
          .device_time = device::Nanoseconds(70e6),
          .warm_up = device::Nanoseconds(cpu ? 0.25e9 : 10e9)};
}

void StoppingRule::add(double value, device::Nanoseconds spent) {
  values_.push_back(value);
  spent_ += spent;
}

bool StoppingRule::done() const {
  const int count = static_cast<int>(values_.size());
  if (count < limits_.least_repetitions) return false;
  if (count >= limits_.most_repetitions || spent_ >= limits_.device_time) return true;
  const analysis::Interval interval = analysis::median_interval(values_);
  return (interval.high - interval.low) / 2 < 0.01 * analysis::summarize(values_).median;
}

Pairs take_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                 const SteppedWork& work, const InterferenceWatch& watch) {
  constexpr int most_tries = 3;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Pairs pairs = tried_pairs(run, few, many, limits, work, watch);
    if (!pairs.are_distinct()) continue;
    leave_out_what_says_nothing(pairs, work);
    if (static_cast<int>(pairs.long_ns.size()) >= limits.least_repetitions) return pairs;
  }
  throw device::TooShort("starting it takes so unevenly long that a short run often takes longer than one of " +
                         std::to_string(many / few) +
                         " times the work, so nothing is known of the work's own time; other programs disturb this "
                         "device or its driver: measure again when it is idle");
}

}  // namespace sonde::measure
