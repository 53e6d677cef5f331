#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/error.hpp"
#include "measure/counted_window.hpp"
#include "measure/stopping.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/cycle_chase.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

using device::Nanoseconds;

/// The load may use so much of the rounds that it is allowed in the longest dispatch: it must not end before the walk.
constexpr double most_share_of_rounds = 0.4;
/// A short dispatch is so much of a long one: longer than it takes until all groups run.
constexpr std::uint64_t short_part = 4;
/// For laps before anything is timed; a walk through more than that never comes to a line again.
constexpr Nanoseconds longest_warm_up{100e6};
/// A dispatch counts if its load moved so much of what the faster ones moved in its time: where a driver's threads
/// sleep, some begin long after the walk. What they are late by leaves with the short dispatch.
constexpr double there_most_of_the_time = 0.5;
/// Dispatches for each that counts, on average.
constexpr int most_attempts = 4;

/// One dispatch as it was: how long it took, and what the load moved.
struct Dispatch {
  double ns = 0;
  double bytes = 0;
};

class UnderLoad {
 public:
  UnderLoad(std::shared_ptr<CycleChase> chase, const std::function<void()>& alive)
      : chase_(std::move(chase)), alive_(alive) {}

  Dispatch run(std::uint64_t hops) {
    const Nanoseconds time = chase_->run(hops);
    if (const auto flaw = chase_->flaw()) throw device::Error(*flaw);
    alive_();
    return {time.count(), static_cast<double>(chase_->beside->bytes())};
  }

  /// Whether a load ended by itself, maybe before the walk: whoever holds up the walk does not always hold up the load.
  bool ended_first() const { return chase_->beside->share_of_rounds() >= 1; }

  /// Hops of a dispatch that lasts about `wanted`, or as long as the load may.
  std::uint64_t long_enough(Nanoseconds wanted) {
    std::uint64_t hops = hops_per_trip * short_part;
    (void)run(hops);  // compiles
    const std::uint64_t most = most_hops(chase_->device.info());
    while (hops * 2 <= most) {
      const Dispatch now = run(hops);
      if (now.ns >= wanted.count() * 0.7 || 2 * chase_->beside->share_of_rounds() > most_share_of_rounds) break;
      hops *= 2;
    }
    return hops;
  }

 private:
  std::shared_ptr<CycleChase> chase_;
  const std::function<void()>& alive_;
};

/// Without those whose load came late; a round more or less is chance.
std::vector<Dispatch> loaded_most_of_the_time(const std::vector<Dispatch>& dispatches, double round_bytes) {
  std::vector<double> rates;
  for (const Dispatch& one : dispatches) rates.push_back(one.bytes / one.ns);
  const double fast = analysis::quantile(rates, 0.9);
  std::vector<Dispatch> kept;
  std::ranges::copy_if(dispatches, std::back_inserter(kept), [&](const Dispatch& one) {
    return (one.bytes + round_bytes) / one.ns >= there_most_of_the_time * fast;
  });
  return kept;
}

double median(const std::vector<Dispatch>& dispatches, double Dispatch::* figure) {
  std::vector<double> values;
  for (const Dispatch& one : dispatches) values.push_back(one.*figure);
  return analysis::quantile(values, 0.5);
}

measure::Repetitions observe(const std::shared_ptr<CycleChase>& chase, const measure::Limits& limits,
                             const std::function<void()>& alive) {
  UnderLoad under_load(chase, alive);
  const std::uint64_t many = under_load.long_enough(limits.stretch);
  const std::uint64_t few = many / short_part;
  double warming_ns = 0;
  for (std::uint64_t walked = 0; walked < 2 * chase->places.size() && warming_ns < longest_warm_up.count();
       walked += many) {
    warming_ns += under_load.run(many).ns;
  }

  const double round_bytes = chase->beside->round_bytes();
  std::vector<Dispatch> shorts;
  std::vector<Dispatch> longs;
  std::vector<double> values;
  std::vector<double> gbps;
  // Anew with every pair: which dispatches count is known only from all of them.
  const auto evaluate = [&] {
    const std::vector<Dispatch> brief = loaded_most_of_the_time(shorts, round_bytes);
    const double few_ns = median(brief, &Dispatch::ns);
    const double bytes_of_a_brief_one = median(brief, &Dispatch::bytes);
    values.clear();
    gbps.clear();
    for (const Dispatch& dispatch : loaded_most_of_the_time(longs, round_bytes)) {
      const double ns = std::max(dispatch.ns - few_ns, 1.0);
      values.push_back(ns / static_cast<double>(many - few));
      gbps.push_back(std::max(dispatch.bytes - bytes_of_a_brief_one, 0.0) / ns);  // a byte a nanosecond is a GB/s
    }
  };
  double spent_ns = 0;
  for (int attempt = 0; attempt < most_attempts * limits.most_repetitions; ++attempt) {
    for (auto [hops, into] : {std::pair(few, &shorts), std::pair(many, &longs)}) {
      const Dispatch dispatch = [&] {
        const measure::CountedWindow window(limits, hops);
        return under_load.run(hops);
      }();
      spent_ns += dispatch.ns;
      if (!under_load.ended_first()) into->push_back(dispatch);
    }
    if (shorts.empty() || longs.empty()) continue;
    evaluate();
    measure::StoppingRule rule(limits);
    for (const double value : values) rule.add(value, Nanoseconds(spent_ns / static_cast<double>(values.size())));
    if (rule.done()) break;
  }
  if (static_cast<int>(values.size()) < limits.least_repetitions) {
    throw device::Unsupported(
        "the driver seldom let the load run as long as the walk, so the two were not measured side by side");
  }

  measure::Repetitions result{.values = values, .steps = many};
  result.launch_ns = std::max(0.0, median(loaded_most_of_the_time(shorts, round_bytes), &Dispatch::ns) -
                                       analysis::quantile(values, 0.5) * static_cast<double>(few));
  result.reached["gpu_gbps"] = analysis::quantile(gbps, 0.5);
  if (result.reached["gpu_gbps"] <= 0)
    throw device::Unsupported("the driver ran nothing beside the walk, so memory was not loaded");
  result.further.push_back({.series = {}, .unit = "GB/s", .values = gbps});
  return result;
}

}  // namespace

measure::Workload chase_under_load(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                   std::uint64_t seed, const BackgroundLoad& load) {
  const std::uint64_t largest = std::max(load.bytes, std::uint64_t{count} * layout.slot_bytes());
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, load, use_for(device.info(), largest));
  measure::Workload workload = walk_workload(chase, count);
  workload.shape = named(load.shape);
  if (load.absent) return workload;
  workload.one_core = false;  // the load needs the others
  workload.observe = [chase](const measure::Limits& limits, const std::function<void()>& alive) {
    return observe(chase, limits, alive);
  };
  return workload;
}

}  // namespace sonde::workloads
