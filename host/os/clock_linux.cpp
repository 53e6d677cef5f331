#include <time.h>

#include <cerrno>

#include "os/clock.hpp"

namespace sonde::os {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;

}  // namespace

std::int64_t steady_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * ns_per_second + now.tv_nsec;
}

void sleep_until_ns(std::int64_t moment) noexcept {
  const timespec until{.tv_sec = moment / ns_per_second, .tv_nsec = moment % ns_per_second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace sonde::os
