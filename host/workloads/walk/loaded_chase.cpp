#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/error.hpp"
#include "measure/counted_work.hpp"
#include "measure/repetitions.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

using device::Nanoseconds;

/// Share of its rounds that the load may use up in the longest dispatch: it must not end before the walk.
constexpr double most_share_of_rounds = 0.4;
/// A long dispatch is so many short ones: a short one has to last longer than it takes until all groups run.
constexpr std::uint64_t short_part = 4;
/// Time for laps before anything is timed; a walk through more than that never comes to a line again.
constexpr Nanoseconds longest_warm_up{100e6};
/// A dispatch counts if its load moved so much of what the faster ones moved in its time: where a driver's threads
/// sleep, some begin long after the walk. The short dispatch that is subtracted takes their delay away.
constexpr double loaded_most_of_the_time = 0.5;
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
    if (const auto failure = chase_->proof_failure()) throw device::Error(*failure);
    alive_();
    return {time.count(), static_cast<double>(chase_->beside->bytes())};
  }

  /// Whether a load ended by itself, maybe before the walk: what delays the walk does not always delay the load.
  bool ended_first() const { return chase_->beside->share_of_rounds() >= 1; }

  /// The hops of a dispatch that lasts about `wanted`, or as long as the load may.
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

/// The dispatches whose load did not come late; a round more or less is chance.
std::vector<Dispatch> well_loaded(const std::vector<Dispatch>& dispatches, double round_bytes) {
  std::vector<double> rates;
  for (const Dispatch& one : dispatches) rates.push_back(one.bytes / one.ns);
  const double fast = analysis::quantile(rates, 0.9);
  std::vector<Dispatch> kept;
  std::ranges::copy_if(dispatches, std::back_inserter(kept), [&](const Dispatch& one) {
    return (one.bytes + round_bytes) / one.ns >= loaded_most_of_the_time * fast;
  });
  return kept;
}

double median_of(const std::vector<Dispatch>& dispatches, double Dispatch::* figure) {
  std::vector<double> values;
  for (const Dispatch& one : dispatches) values.push_back(one.*figure);
  return analysis::quantile(values, 0.5);
}

measure::Repetitions repeat(const std::shared_ptr<CycleChase>& chase, const measure::Curve& load_curve,
                            const measure::Limits& limits, const std::function<void()>& alive) {
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
  // Evaluated anew with every pair: which dispatches count is known only from all of them.
  const auto evaluate = [&] {
    const std::vector<Dispatch> brief = well_loaded(shorts, round_bytes);
    const double few_ns = median_of(brief, &Dispatch::ns);
    const double bytes_of_a_brief_one = median_of(brief, &Dispatch::bytes);
    values.clear();
    gbps.clear();
    for (const Dispatch& dispatch : well_loaded(longs, round_bytes)) {
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
  result.launch_ns = std::max(0.0, median_of(well_loaded(shorts, round_bytes), &Dispatch::ns) -
                                       analysis::quantile(values, 0.5) * static_cast<double>(few));
  result.reached.gpu_gbps = analysis::quantile(gbps, 0.5);
  if (*result.reached.gpu_gbps <= 0)
    throw device::Unsupported("the driver ran nothing beside the walk, so memory was not loaded");
  result.extra.push_back({.curve = &load_curve, .values = gbps});
  return result;
}

}  // namespace

measure::Workload chase_under_load(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                   std::uint64_t seed, const BackgroundLoad& load, const measure::Curve& load_curve) {
  const std::uint64_t largest = std::max(load.bytes, std::uint64_t{count} * layout.slot_bytes());
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, load, use_for(device.info(), largest));
  if (load.absent) return {.work = walk_work(chase, count), .one_core = true, .shape = named(load.shape)};
  return {.work = measure::SelfTimedWork{.repeat =
                                             [chase, &load_curve](const measure::Limits& limits,
                                                                  const std::function<void()>& alive) {
                                               return repeat(chase, load_curve, limits, alive);
                                             }},
          .one_core = false,  // the load needs the others
          .shape = named(load.shape)};
}

}  // namespace sonde::workloads
