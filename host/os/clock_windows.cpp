#include <windows.h>

#include <algorithm>

#include "os/clock.hpp"
#include "os/windows_handle.hpp"

// Source: QueryPerformanceCounter; CreateWaitableTimerEx.
namespace sonde::os {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t ns_per_timer_unit = 100;

std::int64_t ticks_per_second() {
  LARGE_INTEGER frequency;
  QueryPerformanceFrequency(&frequency);
  return frequency.QuadPart;
}

/// One for each thread, of high resolution where the system has such (since Windows 10, version 1803): others end at
/// the system's next tick, up to 16 ms later.
HANDLE timer() {
  constexpr DWORD high_resolution = 0x2;  // CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
  thread_local const OwnHandle one = [] {
    OwnHandle made = own(CreateWaitableTimerExW(nullptr, nullptr, high_resolution, TIMER_ALL_ACCESS));
    return made ? std::move(made) : own(CreateWaitableTimerExW(nullptr, nullptr, 0, TIMER_ALL_ACCESS));
  }();
  return one.get();
}

}  // namespace

std::int64_t steady_ns() noexcept {
  static const std::int64_t per_second = ticks_per_second();
  LARGE_INTEGER ticks;
  QueryPerformanceCounter(&ticks);
  // In two parts, as the product of all ticks with a thousand million has no room.
  return ticks.QuadPart / per_second * ns_per_second + ticks.QuadPart % per_second * ns_per_second / per_second;
}

void sleep_until_ns(std::int64_t moment) noexcept {
  for (;;) {
    const std::int64_t left = moment - steady_ns();
    if (left <= 0) return;
    LARGE_INTEGER due;
    due.QuadPart = -std::max<std::int64_t>(1, left / ns_per_timer_unit);  // below zero: from now on
    if (timer() != nullptr && SetWaitableTimer(timer(), &due, 0, nullptr, nullptr, FALSE) != 0) {
      WaitForSingleObject(timer(), INFINITE);
    } else {
      Sleep(1);
    }
  }
}

}  // namespace sonde::os
