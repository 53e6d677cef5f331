#pragma once

#include <atomic>
#include <functional>

#include "cpu/pinned.hpp"
#include "device/device.hpp"

// Two threads, each kept on a CPU of its own, that do something to each other.
namespace sonde::probes {

/// Waits for what the other thread does, without sleep.
class SpinWait {
 public:
  /// Tries `ready` until it is true. Throws device::Unsupported where the other thread has given up, or did nothing for
  /// seconds because the system ran something else in its place.
  template <typename Ready>
  void until(Ready ready) {
    for (device::Nanoseconds waited_since{-1};; check_time(waited_since)) {
      // The clock is read so rarely that this is no part of what is timed.
      for (int attempt = 0; attempt < attempts_between_checks; ++attempt) {
        if (ready()) return;
      }
    }
  }
  void give_up() { given_up_ = true; }

 private:
  static constexpr int attempts_between_checks = 1 << 14;
  void check_time(device::Nanoseconds& waited_since) const;

  std::atomic<bool> given_up_ = false;
};

/// The calling thread stays on one CPU while this lives; the partner that each `run_on_both` starts is kept on the
/// other.
class PinnedPair {
 public:
  PinnedPair(int here, int there);

  /// Runs both at once and returns when both have ended; throws what either threw.
  void run_on_both(const std::function<void(SpinWait&)>& here, const std::function<void(SpinWait&)>& there);

  /// False where the system refused to keep one of them on its CPU: then they are wherever it puts them.
  [[nodiscard]] bool pinned() const { return here_.holds() && there_holds_; }

 private:
  cpu::Pinned here_;
  int there_cpu_;
  bool there_holds_ = true;
};

}  // namespace sonde::probes
