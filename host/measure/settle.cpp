#include "measure/settle.hpp"

#include "measure/probe.hpp"

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
/// the host waiting does not grow with the work. Work that cannot be made longer is checked again for so long at least.
constexpr int further_checks = 8;
constexpr device::Nanoseconds longest_suspicion{1.5e9};
constexpr device::Nanoseconds longest_checked{200e6};
/// A launch and the way to the device are in the host's time alone; a clock that counts the host's is no error.
constexpr double least_share = 0.1;
constexpr double most_share = 1.5;

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
  device::Nanoseconds waited{0};
  for (int check = 0; check < checks + further_checks || waited < longest_suspicion;) {
    const Clock::time_point begin = Clock::now();
    device = arithmetic.run(steps);
    host = Clock::now() - begin;
    if (host < checked_work && steps * 2 <= arithmetic.most) {
      steps *= 2;
      continue;
    }
    waited += host;
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

}  // namespace sonde::measure
