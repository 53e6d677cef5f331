#include "measure/repetitions.hpp"

#include "measure/runner.hpp"

namespace sonde::measure {
namespace {

using device::Nanoseconds;

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
    if (may_be_better && (interruption || (disturbances.back().smt_interference && watch.may_repeat(time)))) continue;
    rule.add(work.value(pairs.slope(pairs.long_ns.size() - 1, work)), time);
  }
  return undisturbed(pairs, disturbances, limits.least_repetitions);
}

}  // namespace

Pairs take_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                 const SteppedWork& work, const InterferenceWatch& watch) {
  constexpr int most_tries = 3;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Pairs pairs = tried_pairs(run, few, many, limits, work, watch);
    if (pairs.are_distinct()) return pairs;
  }
  throw device::TooShort("starting it takes so unevenly long that a short run often takes longer than one of " +
                         std::to_string(many / few) +
                         " times the work, so nothing is known of the work's own time; other programs disturb this "
                         "device or its driver: measure again when it is idle");
}

}  // namespace sonde::measure
