#include "measure/settle.hpp"

#include <bit>

#include "analysis/statistics.hpp"
#include "measure/probe.hpp"
#include "measure/repetitions.hpp"

namespace sonde::measure {
namespace {

constexpr std::size_t windows_that_agree = 5;
constexpr double agreement = 0.005;
constexpr device::Nanoseconds settling_window{10e6};

/// A look at the clock is long beside a launch and short beside a point.
constexpr device::Nanoseconds look_at_the_clock{1e6};
constexpr double as_fast_as_usual = 1.02;

/// The checked work is long beside a launch, by the host's clock.
constexpr device::Nanoseconds checked_work{5e6};
constexpr int checks = 5;
/// Where these checks speak against the clock, further ones are each twice as long as the one before: what else keeps
/// the host waiting does not grow with the work.
constexpr int further_checks = 8;
constexpr device::Nanoseconds longest_checked{200e6};
/// A launch and the way to the device are in the host's time alone; a clock that counts the host's is no error.
constexpr double least_share = 0.1;
constexpr double most_share = 1.5;

using device::Nanoseconds;

constexpr std::uint64_t parts_of_a_lap = 8;

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

std::optional<std::string> why_clock_is_wrong(const SteppedWork& arithmetic) {
  using Clock = std::chrono::steady_clock;
  std::uint64_t steps = arithmetic.quantum;
  arithmetic.run(steps);  // compiles
  // Others may keep the host waiting, so that one run that agrees is enough.
  double best = 0;
  device::Nanoseconds step = device::Nanoseconds::max();  // an upper bound: the shortest wait
  device::Nanoseconds device{0};
  device::Nanoseconds host{0};
  for (int check = 0; check < checks + further_checks;) {
    const Clock::time_point begin = Clock::now();
    device = arithmetic.run(steps);
    host = Clock::now() - begin;
    if (host < checked_work && steps * 2 <= arithmetic.most) {
      steps *= 2;
      continue;
    }
    best = std::max(best, device / host);
    step = std::min(step, host / static_cast<double>(steps));
    ++check;
    if (check < checks) continue;
    if (best >= least_share) break;
    if (steps * 2 <= arithmetic.most && static_cast<double>(steps * 2) * step <= longest_checked) steps *= 2;
  }
  if (best >= least_share && best <= most_share) return std::nullopt;
  return "work for which the host waits " + time_text(host.count()) + " takes " + time_text(device.count()) +
         " by the driver's clock, so nothing that it times can be believed; a newer or another driver may have a clock "
         "that works";
}

Settled settle_clock(const SteppedWork& arithmetic, device::Nanoseconds longest, const std::function<void()>& alive) {
  std::uint64_t steps = arithmetic.quantum;
  device::Nanoseconds spent{0};
  std::deque<double> recent;
  Settled settled;
  arithmetic.run(steps);  // compiles
  while (!settled.stable && spent < longest) {
    const device::Nanoseconds time = arithmetic.run(steps);
    if (const auto failure = arithmetic.proof_failure()) throw device::Error(*failure);
    alive();
    spent += time;
    settled.nanoseconds_per_step = time.count() / static_cast<double>(steps);
    if (time < settling_window / 2 && steps * 2 <= arithmetic.most) {
      steps *= 2;
      continue;
    }
    if (time.count() <= 0) break;  // a clock that stands still settles nothing
    recent.push_back(settled.nanoseconds_per_step);
    if (recent.size() > windows_that_agree) recent.pop_front();
    const auto [least, greatest] = std::ranges::minmax(recent);
    settled.stable = recent.size() == windows_that_agree && greatest - least < agreement * least;
  }
  return settled;
}

ClockRecovery::ClockRecovery(SteppedWork arithmetic, const Settled& settled, device::Nanoseconds longest,
                             device::Nanoseconds budget)
    : arithmetic_(std::move(arithmetic)), usual_ns_(settled.nanoseconds_per_step), longest_(longest), budget_(budget) {
  arithmetic_.run(arithmetic_.quantum);  // compiles
}

device::Nanoseconds ClockRecovery::per_step(device::Nanoseconds wanted) {
  const auto fitting =
      static_cast<std::uint64_t>(wanted.count() / usual_ns_) / arithmetic_.quantum * arithmetic_.quantum;
  const std::uint64_t steps = std::clamp(fitting, arithmetic_.quantum, arithmetic_.most);
  const device::Nanoseconds time = arithmetic_.run(steps);
  if (const auto failure = arithmetic_.proof_failure()) throw device::Error(*failure);
  spent_ += time;
  return time / static_cast<double>(steps);
}

void ClockRecovery::recover(const std::function<void()>& alive) {
  if (usual_ns_ <= 0 || spent_ > budget_) return;
  const device::Nanoseconds until = spent_ + longest_;
  double now_ns = per_step(look_at_the_clock).count();
  while (now_ns > as_fast_as_usual * usual_ns_ && spent_ < until) {
    now_ns = per_step(settling_window).count();
    alive();
  }
  usual_ns_ = spent_ < until ? std::min(usual_ns_, now_ns) : now_ns;
}

std::string without_clock_recovery(const std::string& why) {
  return "points are measured without waiting for the device's clock to be up again after a pause, as the arithmetic "
         "that brings it up failed: " +
         why;
}

WarmUp warm_up(const ProvedRun& run, double per_step, const Limits& limits, const SteppedWork& work) {
  const std::uint64_t stretch = steps_for(limits.stretch, per_step, work);
  const std::uint64_t lap = std::max(work.lap, stretch);
  const std::uint64_t part = std::max(stretch, (lap / parts_of_a_lap / work.quantum + 1) * work.quantum);
  const std::uint64_t parts = (lap + part - 1) / part;
  Laps laps(parts);
  double walked_ns = 0;
  const auto walk_part = [&](std::uint64_t index) {
    per_step = walk(run, std::min(part, lap - index * part), per_step, work);
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

}  // namespace sonde::measure
