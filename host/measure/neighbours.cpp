#include "measure/neighbours.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "gpu/error.hpp"

namespace sonde::measure {
namespace {

/// Of one look: long beside what a launch varies by, short beside a repetition.
constexpr gpu::Nanoseconds shortest_look{100e3};
constexpr int looks_at_first = 20;
/// Of so many recent looks the fastest tell what is usual: a clock that falls for good is usual after a while,
/// neighbours who stay for a second or two are not.
constexpr std::size_t looks_remembered = 300;
constexpr double usual_quantile = 0.1;
constexpr double tolerated = 1.12;

}  // namespace

Neighbours::Neighbours(Workload walk, gpu::Nanoseconds patience)
    : walk_(std::move(walk)), patience_(patience), few_((walk_.lap / walk_.quantum + 1) * walk_.quantum) {
  run(few_);  // compiles
  many_ = 2 * few_;
  while (run(many_) < shortest_look && 2 * many_ <= walk_.most) many_ *= 2;
  for (int look = 0; look < looks_at_first; ++look) recent_.push_back(hit_ns());
}

gpu::Nanoseconds Neighbours::run(std::uint64_t steps) {
  const gpu::Nanoseconds time = walk_.run(steps);
  if (const auto flaw = walk_.flaw()) throw gpu::Error(*flaw);
  return time;
}

double Neighbours::hit_ns() {
  // Its lines may have been pushed out by what was measured last, and by the launch.
  run(few_);
  const gpu::Nanoseconds launch = run(few_);
  return (run(many_) - launch).count() / static_cast<double>(many_ - few_);
}

bool Neighbours::crowded(double hit_ns) const {
  const std::vector<double> looks(recent_.begin(), recent_.end());
  return hit_ns > tolerated * analysis::quantile(looks, usual_quantile);
}

bool Neighbours::there() {
  double now = hit_ns();
  // An interruption is none.
  if (crowded(now)) now = std::min(now, hit_ns());
  recent_.push_back(now);
  if (recent_.size() > looks_remembered) recent_.pop_front();
  return crowded(now);
}

bool Neighbours::gone(const std::function<void()>& alive) {
  while (patience_ > gpu::Nanoseconds{0}) {
    const double now = hit_ns();
    alive();
    if (!crowded(now)) return true;
    patience_ -= gpu::Nanoseconds(now * static_cast<double>(many_ + 2 * few_));
  }
  return false;
}

bool Neighbours::worth_another(gpu::Nanoseconds time) {
  if (patience_for_work_ <= gpu::Nanoseconds{0}) return false;
  patience_for_work_ -= time;
  return true;
}

}  // namespace sonde::measure
