#pragma once

#include <chrono>
#include <thread>

namespace sonde::device {

/// Why copies beside a kernel cannot be timed where begins_soon() says no.
inline constexpr const char* kernel_waits =
    "no kernel began within 2 seconds while copies waited on another queue to be let go, so the two cannot "
    "be timed side by "
    "side";

/// Waits for a kernel that has run before and was enqueued with nothing before it: until `has_begun()`, or
/// until it is certain that the driver keeps it behind what waits elsewhere.
template <typename HasBegun>
bool begins_soon(HasBegun has_begun) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point latest = Clock::now() + std::chrono::seconds(2);
  while (!has_begun()) {
    if (Clock::now() > latest) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace sonde::device
