#include "measure/repetitions.hpp"

#include <bit>

#include "analysis/statistics.hpp"

namespace sonde::measure {
namespace {

using device::Nanoseconds;

constexpr std::uint64_t parts_of_a_lap = 8;
/// A lap that takes longer is left to many items.
constexpr Nanoseconds longest_lap_of_one{0.3e9};

/// Walks `steps` in dispatches of allowed length; returns the time of a step.
double walk(const ProvedRun& run, std::uint64_t steps, double per_step, const SteppedWork& work) {
  Nanoseconds time{0};
  std::uint64_t walked = 0;
  while (walked < steps) {
    const std::uint64_t left = (steps - walked + work.quantum - 1) / work.quantum * work.quantum;
    const std::uint64_t now = std::min(left, steps_for(longest_dispatch / 2, per_step, work));
    const Nanoseconds piece = run(now);
    per_step = piece.count() / static_cast<double>(now);
    time += piece;
    walked += now;
  }
  return time.count() / static_cast<double>(walked);
}

/// Times of a step in the parts of every lap walked. A part of a lap is held against the same part of another, which
/// touched the same lines, and the median of all parts counts: one interruption changes nothing.
class Laps {
 public:
  explicit Laps(std::size_t parts) : parts_(parts) {}

  void add(double nanoseconds_per_step) { times_.push_back(nanoseconds_per_step); }
  std::size_t walked() const { return times_.size() / parts_; }
  double of_first_lap(std::size_t part) const { return times_[part]; }

  /// The time of a step in the last lap; an interruption of one part does not change it.
  double nanoseconds_per_step() const {
    const std::size_t count = std::min(parts_, times_.size());
    return analysis::quantile(std::span(times_).last(count), 0.5);
  }

  /// Whether the laps walked last are as fast as those half as many laps before. A cache that forgets old lines at a
  /// constant rate has forgotten all but the square of what is tolerated then, however slow the rate.
  bool steady() const { return ratio() >= tolerated_ratio; }

  /// The share by which they are faster, 0 where that is tolerated, and 1 for fewer than two laps, of which nothing is
  /// known.
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

}  // namespace

WarmUp warm_up(const ProvedRun& run, double per_step, const Limits& limits, const SteppedWork& work) {
  const std::uint64_t stretch = steps_for(limits.stretch, per_step, work);
  const std::uint64_t lap = std::max(work.lap, stretch);
  const std::uint64_t part = std::max(stretch, (lap / parts_of_a_lap / work.quantum + 1) * work.quantum);
  const std::uint64_t parts = (lap + part - 1) / part;
  Laps laps(parts);
  double walked_ns = 0;
  std::optional<SteppedWork> many;
  if (work.by_many && static_cast<double>(lap) * per_step > longest_lap_of_one.count()) many = work.by_many();
  double per_step_of_many = per_step;
  const auto walk_part = [&](std::uint64_t index) {
    const std::uint64_t steps = std::min(part, lap - index * part);
    // What many items load at once takes as long as the slowest load, whatever share of the others hits a cache: the
    // end of the part, walked by one, tells whether laps get faster.
    const std::uint64_t by_one = many ? std::min(steps, stretch) : steps;
    if (by_one < steps) {
      per_step_of_many = walk(run.of(*many), steps - by_one, per_step_of_many, *many);
      walked_ns += per_step_of_many * static_cast<double>(steps - by_one);
    }
    per_step = walk(run, by_one, per_step, work);
    laps.add(per_step);
    walked_ns += per_step * static_cast<double>(by_one);
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

}  // namespace sonde::measure
