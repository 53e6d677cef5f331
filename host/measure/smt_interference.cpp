#include "measure/smt_interference.hpp"

#include "analysis/statistics.hpp"

namespace sonde::measure {
namespace {

/// A look is long beside the scatter of a launch, and short beside a repetition.
constexpr device::Nanoseconds shortest_walk{100e3};
constexpr device::Nanoseconds shortest_arithmetic{50e3};
constexpr int looks_at_first = 20;
/// The fastest of so many recent looks are the usual ones: a lasting change is usual after a while, but another program
/// that stays for a second or two is not.
constexpr std::size_t looks_remembered = 300;
constexpr double usual_quantile = 0.1;
constexpr double tolerated = 1.12;
/// Interrupted short dispatches may last longer than the long ones.
constexpr double least_step_ns = 1e-3;

}  // namespace

SmtInterference::Timed::Timed(SteppedWork timed, device::Nanoseconds shortest)
    : work(std::move(timed)), few((work.lap / work.quantum + 1) * work.quantum), many(2 * few) {
  run(few);  // compiles
  while (run(many) < shortest && 2 * many <= work.most) many *= 2;
}

device::Nanoseconds SmtInterference::Timed::run(std::uint64_t steps) {
  const device::Nanoseconds time = work.run(steps);
  if (const auto failure = work.proof_failure()) throw device::Error(*failure);
  spent += time;
  return time;
}

device::Nanoseconds SmtInterference::Timed::faster_of_two(std::uint64_t steps) {
  const device::Nanoseconds first = run(steps);
  return std::min(first, run(steps));
}

double SmtInterference::Timed::ns_per_step(device::Nanoseconds many_took) {
  return (many_took - faster_of_two(few)).count() / static_cast<double>(many - few);
}

SmtInterference::SmtInterference(SteppedWork walk, SteppedWork arithmetic, device::Nanoseconds budget)
    : walk_(std::move(walk), shortest_walk), arithmetic_(std::move(arithmetic), shortest_arithmetic), budget_(budget) {
  for (int looks = 0; looks < looks_at_first; ++looks) recent_.push_back(look());
}

SmtInterference::Look SmtInterference::look() {
  // A first walk takes in again the lines that the last measurement and the launch may have pushed out.
  walk_.run(walk_.few);
  const double hit_ns = walk_.ns_per_step(walk_.run(walk_.many));
  // An interrupted chain, or launch, would make hits look short, and all later ones long beside that.
  const double step_ns = arithmetic_.ns_per_step(arithmetic_.faster_of_two(arithmetic_.many));
  return {.hit_ns = hit_ns, .step_ns = std::max(step_ns, least_step_ns)};
}

bool SmtInterference::crowded(const Look& now) const {
  const auto slower_than_usual = [&](const auto& of) {
    std::vector<double> looks;
    for (const Look& one : recent_) looks.push_back(of(one));
    return of(now) > tolerated * analysis::quantile(looks, usual_quantile);
  };
  // Both are asked: beside arithmetic alone hits might be slow because interference delayed that in the first looks.
  return slower_than_usual([](const Look& one) { return one.hit_ns; }) &&
         slower_than_usual([](const Look& one) { return one.hit_ns / one.step_ns; });
}

bool SmtInterference::present() {
  Look now = look();
  // An interruption is no interference.
  if (crowded(now)) now = std::ranges::min(now, look(), {}, &Look::hit_ns);
  recent_.push_back(now);
  if (recent_.size() > looks_remembered) recent_.pop_front();
  return crowded(now);
}

bool SmtInterference::wait_until_gone(const std::function<void()>& alive) {
  while (budget_ > device::Nanoseconds{0}) {
    const device::Nanoseconds spent = walk_.spent + arithmetic_.spent;
    const Look now = look();
    alive();
    if (!crowded(now)) return true;
    budget_ -= walk_.spent + arithmetic_.spent - spent;
  }
  return false;
}

bool SmtInterference::may_repeat(device::Nanoseconds time) {
  if (budget_for_work_ <= device::Nanoseconds{0}) return false;
  budget_for_work_ -= time;
  return true;
}

OneCore::OneCore(os::ThreadId spared) : allowed_(os::allowed_cpus()) {
  if (allowed_.empty()) return;
  for (const os::ThreadId thread : os::threads_of_this_process()) before_[thread] = os::allowed_cpus(thread);
  // The last allowed CPU: the first ones serve most interrupts.
  const int last = *allowed_.rbegin();
  for (const auto& [thread, cpus] : before_) os::allow_cpus(thread, {last});
  os::Cpus others = allowed_;
  others.erase(last);
  if (spared != 0 && !others.empty()) os::allow_cpus(spared, others);
}

OneCore::~OneCore() {
  if (allowed_.empty()) return;
  // A driver may have given its threads a core each. Those that it began meanwhile have inherited the one core.
  for (const os::ThreadId thread : os::threads_of_this_process()) {
    const auto known = before_.find(thread);
    os::allow_cpus(thread, known != before_.end() ? known->second : allowed_);
  }
}

}  // namespace sonde::measure
