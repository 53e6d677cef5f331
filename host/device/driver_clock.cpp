#include "device/driver_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace sonde::device {
namespace {

[[noreturn]] void cannot_time(const std::string& problem) {
  throw Error("the driver's clock " + problem + "; a newer or another driver may have a clock that works");
}

}  // namespace

Nanoseconds plausible_time(Nanoseconds device, Nanoseconds host) {
  // Clocks may be off by so much, and drivers look at the host's a little late.
  constexpr double largest_ratio = 1.5;
  constexpr Nanoseconds slack{1e6};
  if (device <= largest_ratio * host + slack) return device;
  cannot_time(fmt::format("says {:.3g} ms of work for which the host waited {:.3g} ms", device.count() / 1e6,
                          host.count() / 1e6));
}

Nanoseconds nonzero_time(Nanoseconds device, double timer_step_ns) {
  // Even an empty dispatch or copy takes longer than this on any device.
  constexpr double fine_step_ns = 100;
  if (device.count() > 0 || timer_step_ns > fine_step_ns) return device;
  cannot_time("did not move while the device worked, so nothing can be timed by it");
}

std::uint64_t ticks_between(std::uint64_t begin, std::uint64_t end, std::uint32_t bits) {
  const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
  const std::uint64_t ticks = (end - begin) & mask;
  if (ticks > mask / 2) cannot_time("ran backwards: work ended before it began");
  return ticks;
}

void ClockRelation::bracket(Nanoseconds before, Nanoseconds device, Nanoseconds after) {
  now_.low = std::max(now_.low, before - device);
  now_.high = std::min(now_.high, after - device);
  now_.at = device;
}

void ClockRelation::begin_second_set() {
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
  // A busy system keeps a thread waiting for less than this.
  constexpr Nanoseconds longest_behind{5e9};
  const Nanoseconds on_hosts_clock = on_host(device);
  if (now - on_hosts_clock <= longest_behind) return on_hosts_clock;
  cannot_time("stands still while its kernels run, so nothing can be timed by it");
}

BusyTimes ClockRelation::on_host(std::span<const BusyInterval> by_device) const {
  BusyTimes busy{.dispatches = {}, .uncertainty = uncertainty()};
  for (const BusyInterval& one : by_device) busy.dispatches.push_back({on_host(one.begin), on_host(one.end)});
  return busy;
}

Nanoseconds ClockRelation::uncertainty() const {
  const auto half = [](const Offset& one) { return Nanoseconds(std::abs((one.high - one.low).count()) / 2); };
  return first_ ? std::max(half(*first_), half(now_)) : half(now_);
}

}  // namespace sonde::device
