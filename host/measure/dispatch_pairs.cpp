#include "measure/dispatch_pairs.hpp"

#include <algorithm>
#include <string>

namespace sonde::measure {
namespace {

using gpu::Nanoseconds;

/// Without the pairs taken beside SMT interference, where at least so many others are left; else all.
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

Pairs tried_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                  const Workload& workload, const InterferenceWatch& watch) {
  Pairs pairs{.few = few, .many = many, .short_ns = {}, .long_ns = {}};
  StoppingRule rule(limits);
  std::vector<bool> interfered;
  bool before = watch.outlasts_a_wait();
  while (!rule.done()) {
    // Short and long alternate, so that a slow change of the clock reaches both alike.
    const Nanoseconds short_time = run(few);
    const Nanoseconds long_time = run(many);
    pairs.short_ns.push_back(short_time.count());
    pairs.long_ns.push_back(long_time.count());
    const bool after = watch.present();
    interfered.push_back(before || after);
    before = after && watch.outlasts_a_wait();
    // Where interference outlasts the wait, or comes back again and again, values beside it have to do.
    const bool may_be_better = static_cast<int>(interfered.size()) < 2 * limits.most_repetitions;
    const Nanoseconds time = short_time + long_time;
    if (interfered.back() && !before && may_be_better && watch.may_repeat(time)) continue;
    rule.add(workload.value(pairs.slope(pairs.long_ns.size() - 1, workload)), time);
  }
  return without_smt_interference(pairs, interfered, limits.least_repetitions);
}

}  // namespace

Pairs take_pairs(const ProvedRun& run, std::uint64_t few, std::uint64_t many, const Limits& limits,
                 const Workload& workload, const InterferenceWatch& watch) {
  constexpr int most_tries = 3;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Pairs pairs = tried_pairs(run, few, many, limits, workload, watch);
    if (pairs.are_distinct()) return pairs;
  }
  throw gpu::TooShort("starting it takes so unevenly long that a short run often takes longer than one of " +
                      std::to_string(many / few) +
                      " times the work, so nothing is known of the work's own time; other programs disturb this "
                      "device or its driver: measure again when it is idle");
}

}  // namespace sonde::measure
