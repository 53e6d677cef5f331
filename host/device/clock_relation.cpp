#include "device/clock_relation.hpp"

#include <algorithm>
#include <cmath>

#include "device/error.hpp"

namespace sonde::device {

void ClockRelation::bracket(Nanoseconds before, Nanoseconds device, Nanoseconds after) {
  now_.low = std::max(now_.low, before - device);
  now_.high = std::min(now_.high, after - device);
  now_.at = device;
}

void ClockRelation::again() {
  first_ = now_;
  now_ = {};
}

Nanoseconds ClockRelation::on_host(Nanoseconds device) const {
  if (!first_) return device + now_.middle();
  const Nanoseconds apart = now_.at - first_->at;
  const double share = apart.count() > 0 ? (device - first_->at) / apart : 1;
  return device + first_->middle() + share * (now_.middle() - first_->middle());
}

Nanoseconds ClockRelation::just_over(Nanoseconds device, Nanoseconds now) const {
  // Beyond what a busy system keeps a thread waiting for.
  constexpr Nanoseconds longest_behind{5e9};
  const Nanoseconds on_hosts_clock = on_host(device);
  if (now - on_hosts_clock > longest_behind) {
    throw Error(
        "the driver's clock stands still while its kernels run, so nothing can be timed by it; a newer or "
        "another driver may have a clock that works");
  }
  return on_hosts_clock;
}

BusyTimes ClockRelation::on_host(std::span<const Busy> by_device) const {
  BusyTimes busy{.dispatches = {}, .uncertainty = uncertainty()};
  for (const Busy& one : by_device) busy.dispatches.push_back({on_host(one.begin), on_host(one.end)});
  return busy;
}

Nanoseconds ClockRelation::uncertainty() const {
  const auto half = [](const Offset& one) { return Nanoseconds(std::abs((one.high - one.low).count()) / 2); };
  return first_ ? std::max(half(*first_), half(now_)) : half(now_);
}

}  // namespace sonde::device
