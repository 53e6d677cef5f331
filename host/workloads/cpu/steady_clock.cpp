#include "workloads/cpu/steady_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpu/pinned.hpp"
#include "device/error.hpp"

namespace sonde::workloads {

device::Nanoseconds clock_step() {
  constexpr int readings = 1000;
  device::Nanoseconds least{1e9};
  device::Nanoseconds before = cpu::steady_now();
  for (int reading = 0; reading < readings; ++reading) {
    const device::Nanoseconds now = cpu::steady_now();
    if (now > before) least = std::min(least, now - before);
    before = now;
  }
  return least;
}

double nanoseconds_each(device::Nanoseconds stretch, double count, device::Nanoseconds clock_step) {
  // Two hardware threads of a core share its first cache: what one wrote the other loads 256 times in half a
  // microsecond, so more steps cannot be asked for.
  constexpr double least_steps = 8;
  if (stretch <= device::Nanoseconds(0)) {
    throw device::Error(fmt::format("the system's clock did not move while cores exchanged lines {:.0f} times", count));
  }
  if (stretch < least_steps * clock_step) {
    throw device::TooShort(
        fmt::format("cores exchanged lines {:.0f} times in {:.0f} ns by the system's clock, of which a reading takes "
                    "{:.0f}: too short to tell; maybe both are hardware threads of one core",
                    count, stretch.count(), clock_step.count()));
  }
  return (stretch - clock_step).count() / count;
}

}  // namespace sonde::workloads
