#include "workloads/walk/beside_load.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/number_text.hpp"
#include "analysis/statistics.hpp"
#include "measure/counted_work.hpp"
#include "measure/repetitions.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

using device::Nanoseconds;

/// A delay so many times as long follows one that did next to nothing.
constexpr double growth = 8;
constexpr double next_to_nothing = 0.9;

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

Dispatch dispatched(CycleChase& chase, std::uint64_t hops, const std::function<void()>& alive) {
  const Nanoseconds time = chase.run(hops);
  if (const auto failure = chase.proof_failure()) throw device::Error(*failure);
  alive();
  return {time.count(), static_cast<double>(chase.beside->bytes())};
}

/// The hops of a dispatch that lasts about `wanted`, or as long as the load may.
std::uint64_t hops_that_last(CycleChase& chase, Nanoseconds wanted, const std::function<void()>& alive) {
  std::uint64_t hops = hops_per_trip * short_part;
  (void)dispatched(chase, hops, alive);  // compiles
  const std::uint64_t most = most_hops(chase.device.info());
  while (hops * 2 <= most) {
    const Dispatch now = dispatched(chase, hops, alive);
    if (now.ns >= wanted.count() * 0.7 || 2 * chase.beside->share_of_rounds() > most_share_of_rounds) break;
    hops *= 2;
  }
  return hops;
}

/// The dispatches whose load did not come late; a round more or less is chance.
std::vector<Dispatch> well_loaded(std::vector<Dispatch> dispatches, double round_bytes) {
  std::vector<double> rates;
  for (const Dispatch& one : dispatches) rates.push_back(one.bytes / one.ns);
  const double fast = analysis::quantile(rates, 0.9);
  std::erase_if(dispatches, [&](const Dispatch& one) {
    return !((one.bytes + round_bytes) / one.ns >= loaded_most_of_the_time * fast);
  });
  return dispatches;
}

double median_of(const std::vector<Dispatch>& dispatches, double Dispatch::* figure) {
  std::vector<double> values;
  for (const Dispatch& one : dispatches) values.push_back(one.*figure);
  return analysis::quantile(values, 0.5);
}

measure::Repetitions repeat(CycleChase& chase, const measure::Curve& load_curve, const measure::Limits& limits,
                            const std::function<void()>& alive) {
  const std::uint64_t many = hops_that_last(chase, limits.stretch, alive);
  const std::uint64_t few = many / short_part;
  double warming_ns = 0;
  for (std::uint64_t walked = 0; walked < 2 * chase.places.size() && warming_ns < longest_warm_up.count();
       walked += many) {
    warming_ns += dispatched(chase, many, alive).ns;
  }

  const double round_bytes = chase.beside->round_bytes();
  std::vector<Dispatch> shorts;
  std::vector<Dispatch> longs;
  std::vector<double> values;
  std::vector<double> gbps;
  double few_ns = 0;
  double spent_ns = 0;
  for (int attempt = 0; attempt < most_attempts * limits.most_repetitions; ++attempt) {
    for (auto [hops, into] : {std::pair(few, &shorts), std::pair(many, &longs)}) {
      const Dispatch dispatch = [&] {
        const measure::CountedWindow window(limits, hops);
        return dispatched(chase, hops, alive);
      }();
      spent_ns += dispatch.ns;
      // A load that ended by itself may have ended before the walk: what delays the walk does not always delay it.
      if (chase.beside->share_of_rounds() < 1) into->push_back(dispatch);
    }
    if (shorts.empty() || longs.empty()) continue;
    // Evaluated anew with every pair: which dispatches count is known only from all of them.
    const std::vector<Dispatch> brief = well_loaded(shorts, round_bytes);
    few_ns = median_of(brief, &Dispatch::ns);
    const double few_bytes = median_of(brief, &Dispatch::bytes);
    values.clear();
    gbps.clear();
    for (const Dispatch& dispatch : well_loaded(longs, round_bytes)) {
      const double ns = std::max(dispatch.ns - few_ns, 1.0);
      values.push_back(ns / static_cast<double>(many - few));
      gbps.push_back(std::max(dispatch.bytes - few_bytes, 0.0) / ns);  // a byte a nanosecond is a GB/s
    }
    measure::StoppingRule rule(limits);
    for (const double value : values) rule.add(value, Nanoseconds(spent_ns / static_cast<double>(values.size())));
    if (rule.done()) break;
  }
  if (static_cast<int>(values.size()) < limits.least_repetitions) {
    throw device::Unsupported(
        "the driver seldom let the load run as long as the walk, so the two were not measured side by side");
  }

  measure::Repetitions result{.values = values, .steps = many};
  result.launch_ns = std::max(0.0, few_ns - analysis::quantile(values, 0.5) * static_cast<double>(few));
  result.reached.gpu_gbps = analysis::quantile(gbps, 0.5);
  if (*result.reached.gpu_gbps <= 0)
    throw device::Unsupported("the driver ran nothing beside the walk, so memory was not loaded");
  result.extra.push_back({.curve = &load_curve, .values = gbps});
  return result;
}

}  // namespace

BackgroundStream::BackgroundStream(device::Device& device, const BackgroundLoad& load, device::Use use,
                                   std::uint64_t seed)
    : absent_(load.absent),
      delay_(load.delay),
      most_rounds_(std::max(1u, device.info().most_trips / (1 + delay_))),
      walk_(load.shape, load.sharing, load.bytes),
      memory_(device.make_buffer(walk_.array_bytes(), use)),
      sums_(walk_, write_noise(*memory_, Noise(seed), walk_.shape.piece_words())),
      sums_before_(walk_.shape.groups) {}

std::vector<std::uint32_t> BackgroundStream::scalars(std::uint32_t trips, std::uint32_t launch) {
  start_ = next_start_;
  // The groups go on where the one that came furthest stopped, as far as is known.
  return walk_.scalars(trips, start_, {launch, most_rounds_, delay_, 1, 0});
}

std::optional<std::string> BackgroundStream::proof_failure(std::span<const std::uint32_t> cursor) {
  bytes_ = 0;
  longest_ = 0;
  for (std::uint32_t group = 0; group < groups(); ++group) {
    const std::uint32_t rounds = cursor[words_of_walk + std::size_t{2} * group];
    const std::uint32_t sum = cursor[words_of_walk + std::size_t{2} * group + 1];
    const std::uint32_t read = sum - sums_before_[group];
    sums_before_[group] = sum;
    if (rounds > most_rounds_ ||
        read != sums_.sum(group, walk_.position(group, start_), std::uint64_t{blocks_per_round} * rounds)) {
      return "work-group " + std::to_string(group + 1) + " beside the walk did not read what it claims in " +
             std::to_string(rounds) + " rounds; please report the driver";
    }
    bytes_ += std::uint64_t{rounds} * blocks_per_round * walk_.shape.block_words() * sizeof(std::uint32_t);
    longest_ = std::max(longest_, rounds);
  }
  next_start_ = start_ + std::uint64_t{blocks_per_round} * longest_;
  return std::nullopt;
}

std::optional<double> delay_in_the_widest_gap(const std::vector<ReachedLoad>& by_delay, std::size_t wanted_points,
                                              const LoadDelays& delays) {
  if (by_delay.empty() || by_delay.size() >= wanted_points) return std::nullopt;
  if (by_delay.size() == 1) return by_delay.front().delay == 0 ? std::optional(delays.first) : std::nullopt;
  const ReachedLoad& longest = by_delay.back();
  if (longest.gbps > next_to_nothing * by_delay.front().gbps) {
    return longest.delay < delays.longest ? std::optional(std::min(delays.longest, longest.delay * growth))
                                          : std::nullopt;
  }
  const double narrow = by_delay.front().gbps / static_cast<double>(wanted_points + 1);
  double widest = narrow;
  std::optional<double> wanted;
  for (std::size_t i = 0; i < by_delay.size(); ++i) {
    const bool is_last = i + 1 == by_delay.size();
    const double lower = is_last ? 0 : by_delay[i + 1].gbps;
    const double gap = by_delay[i].gbps - lower;
    if (gap <= widest) continue;
    // The line goes through this point and the next; beyond the last one, through the last two.
    const ReachedLoad& first = is_last ? by_delay[i - 1] : by_delay[i];
    const ReachedLoad& second = is_last ? by_delay[i] : by_delay[i + 1];
    const double slope = (1 / second.gbps - 1 / first.gbps) / (second.delay - first.delay);
    if (slope <= 0) continue;
    const double target = (by_delay[i].gbps + lower) / 2;
    const double delay = std::min(delays.longest, std::round(first.delay + (1 / target - 1 / first.gbps) / slope));
    const bool is_new = delay > by_delay[i].delay && (is_last || delay < by_delay[i + 1].delay);
    if (!is_new) continue;
    widest = gap;
    wanted = delay;
  }
  return wanted;
}

std::string describe_disturbance(const measure::State& state) {
  if (!state.disturbed) return "";
  const double share = std::max(state.foreign_cpu, state.steal);
  constexpr double hardly_any = 0.001;
  return (share < hardly_any ? " Meanwhile something else worked on the same core"
                             : " Meanwhile other programs took " + analysis::percent_text(share) + " of the CPU") +
         std::string(": measure again on an idle machine.");
}

std::string times_as_long(double ratio, int digits) {
  std::string times = analysis::number_text(ratio, digits);
  if (times == "1") times = analysis::number_text(ratio);
  return times == "1" ? "as long" : times + " times as long";
}

measure::Workload chase_under_load(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                   std::uint64_t seed, const BackgroundLoad& load, const measure::Curve& load_curve) {
  const std::uint64_t largest = std::max(load.bytes, std::uint64_t{count} * layout.slot_bytes());
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, load, use_for(device.info(), largest));
  if (load.absent) return {.work = walk_work(chase, count), .one_core = true, .shape = named(load.shape)};
  return {.work = measure::SelfTimedWork{[chase, &load_curve](const auto& limits, const auto& alive) {
            return repeat(*chase, load_curve, limits, alive);
          }},
          .one_core = false,  // the load needs the others
          .shape = named(load.shape)};
}

}  // namespace sonde::workloads
