#include "probes/core_to_core/pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "cpu/pinned.hpp"
#include "device/error.hpp"

namespace sonde::probes {
namespace {

constexpr device::Nanoseconds longest_wait{10e9};

}  // namespace

void Patience::look(device::Nanoseconds& waited_since) const {
  const device::Nanoseconds now = cpu::steady_now();
  if (waited_since < device::Nanoseconds(0)) waited_since = now;
  if (given_up_ || now - waited_since > longest_wait) {
    throw device::Unsupported(
        "the system did not run both threads at once, because other programs have their CPUs: measure again when those "
        "are idle");
  }
}

Pair::Pair(int here, int there) : here_(here), there_cpu_(there) {
  together([](Patience&) {}, [this](Patience&) { there_holds_ = cpu::Pinned(there_cpu_).holds(); });
}

void Pair::together(const std::function<void(Patience&)>& here, const std::function<void(Patience&)>& there) {
  Patience patience;
  std::atomic<bool> is_there = false;
  // Whoever fails first makes the other give up, whose reason is none.
  std::once_flag failed;
  std::exception_ptr failure;
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      std::call_once(failed, [&failure] { failure = std::current_exception(); });
      patience.give_up();
    }
  };
  {
    const std::jthread partner([&] {
      guarded([&] {
        const cpu::Pinned pinned(there_cpu_);
        is_there = true;
        there(patience);
      });
    });
    guarded([&] {
      patience.until([&] { return is_there.load(); });
      here(patience);
    });
  }
  if (failure) std::rethrow_exception(failure);
}

double nanoseconds_each(device::Nanoseconds stretch, double count, device::Nanoseconds clock_step) {
  // Two hardware threads of a core share its first cache: what one wrote the other loads 256 times in half a
  // microsecond.
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

}  // namespace sonde::probes
