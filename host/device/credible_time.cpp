#include "device/credible_time.hpp"

#include <fmt/format.h>

#include "device/error.hpp"

namespace sonde::device {
namespace {

/// Clocks are up to so much off, and drivers look at the host's a little late.
constexpr double most_off = 1.5;
constexpr Nanoseconds slack{1e6};
/// Beside what a dispatch or a copy of nothing takes on any device.
constexpr double fine_step_ns = 100;

constexpr const char* advice = "; a newer or another driver may have a clock that works";

}  // namespace

Nanoseconds credible(Nanoseconds device, Nanoseconds host) {
  if (device <= most_off * host + slack) return device;
  throw Error(fmt::format("the driver's clock says {:.3g} ms of work for which the host waited {:.3g} ms{}",
                          device.count() / 1e6, host.count() / 1e6, advice));
}

Nanoseconds moved(Nanoseconds device, double timer_step_ns) {
  if (device.count() > 0 || timer_step_ns > fine_step_ns) return device;
  throw Error(std::string("the driver's clock did not move while the device worked, so nothing can be timed by it") +
              advice);
}

std::uint64_t ticks_between(std::uint64_t begin, std::uint64_t end, std::uint32_t bits) {
  const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
  const std::uint64_t ticks = (end - begin) & mask;
  if (ticks > mask / 2)
    throw Error(std::string("the driver's clock ran backwards: work ended before it began") + advice);
  return ticks;
}

}  // namespace sonde::device
