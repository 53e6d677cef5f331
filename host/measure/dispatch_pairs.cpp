#include "measure/dispatch_pairs.hpp"

#include <algorithm>
#include <string>

#include "measure/runner.hpp"

namespace sonde::measure {
namespace {

using device::Nanoseconds;

/// What was around a pair that it may be left out for.
struct Around {
  bool smt_interference = false;
  bool interruption = false;

  bool any() const { return smt_interference || interruption; }
};

double share_of(const std::vector<Around>& around, bool Around::* what) {
  return static_cast<double>(std::ranges::count(around, true, what)) / static_cast<double>(around.size());
}

/// Without the disturbed pairs, where at least so many others are left; else all.
Pairs undisturbed(const Pairs& pairs, const std::vector<Around>& around, int least) {
  Pairs kept{.few = pairs.few, .many = pairs.many, .short_ns = {}, .long_ns = {}};
  for (std::size_t pair = 0; pair < around.size(); ++pair) {
    if (around[pair].any()) continue;
    kept.short_ns.push_back(pairs.short_ns[pair]);
    kept.long_ns.push_back(pairs.long_ns[pair]);
  }
  const double interrupted = share_of(around, &Around::interruption);
  if (static_cast<int>(kept.long_ns.size()) < least) {
    kept = pairs;
    kept.smt_interference = share_of(around, &Around::smt_interference);
    kept.disturbed = interrupted > tolerated_foreign_share;
  }
  kept.interrupted = interrupted;
  return kept;
}

Pairs tried_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                  const Workload& workload, const InterferenceWatch& watch) {
  Pairs pairs{.few = few, .many = many, .short_ns = {}, .long_ns = {}};
  StoppingRule rule(limits);
  std::vector<Around> around;
  bool before = watch.outlasts_a_wait();
  while (!rule.done()) {
    // Short and long alternate, so that a slow change of the clock reaches both alike.
    const Nanoseconds short_time = run(few);
    const bool short_one_interrupted = run.was_interrupted();
    const Nanoseconds long_time = run(many);
    const bool interruption = short_one_interrupted || run.was_interrupted();
    pairs.short_ns.push_back(short_time.count());
    pairs.long_ns.push_back(long_time.count());
    const bool after = watch.present();
    around.push_back({.smt_interference = before || after, .interruption = interruption});
    before = after && watch.outlasts_a_wait();
    // Where interference outlasts the wait, or disturbances come again and again, values beside them have to do.
    const bool may_be_better = static_cast<int>(around.size()) < 2 * limits.most_repetitions && !before;
    const Nanoseconds time = short_time + long_time;
    if (may_be_better && (interruption || (around.back().smt_interference && watch.may_repeat(time)))) continue;
    rule.add(workload.value(pairs.slope(pairs.long_ns.size() - 1, workload)), time);
  }
  return undisturbed(pairs, around, limits.least_repetitions);
}

}  // namespace

Pairs take_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                 const Workload& workload, const InterferenceWatch& watch) {
  constexpr int most_tries = 3;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Pairs pairs = tried_pairs(run, few, many, limits, workload, watch);
    if (pairs.are_distinct()) return pairs;
  }
  throw device::TooShort("starting it takes so unevenly long that a short run often takes longer than one of " +
                      std::to_string(many / few) +
                      " times the work, so nothing is known of the work's own time; other programs disturb this "
                      "device or its driver: measure again when it is idle");
}

}  // namespace sonde::measure
