#include "cpu/companion.hpp"

#include <chrono>
#include <thread>

#include "cpu/clock.hpp"
#include "cpu/pinned.hpp"
#include "os/awaited.hpp"
#include "os/cpu_time.hpp"

namespace sonde::cpu {
namespace {

using device::ChaseWindow;
using device::Nanoseconds;

/// Additions that wait for each other show the core's clock, one a cycle on every core there is. Of two
/// registers: additions of a constant are folded before they are executed by some cores (Intel's since Golden Cove).
constexpr int additions = 4000;
constexpr std::size_t usual_windows = 1 << 14;

const std::byte* follow(const std::byte* at) {
#pragma GCC unroll 64
  for (int load = 0; load < loads_in_a_window; ++load) at = *reinterpret_cast<const std::byte* const*>(at);
  return at;
}

/// Begins once the last load has come.
std::uintptr_t add_up(const std::byte* last) {
  auto sum = reinterpret_cast<std::uintptr_t>(last);
  const volatile std::uintptr_t one = 1;
  const std::uintptr_t addend = one;  // which the compiler does not know
#pragma GCC unroll 100
  for (int addition = 0; addition < additions; ++addition) {
    sum += addend;
    asm volatile("" : "+r"(sum));  // or the compiler would add once
  }
  return sum;
}

class Chase final : public device::Companion {
 public:
  Chase(int cpu, const std::byte*& at) : cpu_(cpu), at_(at) {}

  std::vector<ChaseWindow> chase_during(const std::function<void()>& meanwhile) override {
    std::vector<ChaseWindow> windows;
    os::Awaited<bool> chasing(false);
    std::jthread thread([&](const std::stop_token& stop) { chase(stop, chasing, windows); });
    chasing.wait_until([](bool has_begun) { return has_begun; });
    meanwhile();
    thread.request_stop();
    thread.join();
    return windows;
  }

  std::vector<ChaseWindow> chase_for(Nanoseconds time) override {
    return chase_during([time] { std::this_thread::sleep_for(time); });
  }

 private:
  void chase(const std::stop_token& stop, os::Awaited<bool>& chasing, std::vector<ChaseWindow>& windows) {
    const Pinned pinned(cpu_);
    windows.reserve(usual_windows);
    at_ = follow(at_);
    chasing.set(true);
    while (!stop.stop_requested()) {
      const os::CpuTime before = os::cpu_time_of_this_thread();
      const Nanoseconds begin = steady_now();
      at_ = follow(at_);
      const Nanoseconds end = steady_now();
      const os::CpuTime after = os::cpu_time_of_this_thread();
      const Nanoseconds adding = steady_now();
      const volatile std::uintptr_t sum = add_up(at_);
      static_cast<void>(sum);
      const Nanoseconds added = steady_now() - adding;
      windows.push_back({.begin = begin,
                         .end = end,
                         .ns_per_load = (end - begin).count() / loads_in_a_window,
                         .clock_mhz = additions / added.count() * 1e3,
                         .interrupted = os::was_interrupted(before, after, (end - begin).count() * 1e-9)});
    }
  }

  int cpu_;
  const std::byte*& at_;
};

}  // namespace

std::unique_ptr<device::Companion> chase_on(int cpu, const std::byte*& at) { return std::make_unique<Chase>(cpu, at); }

}  // namespace sonde::cpu
