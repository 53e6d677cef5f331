#pragma once

#include <atomic>
#include <functional>

#include "cpu/pinned.hpp"
#include "device/device.hpp"

// Two threads, each kept on a CPU of its own, that do something to each other.
namespace sonde::probes {

/// Waits for what the other thread does, without sleep.
class Patience {
 public:
  /// Tries `ready` until it is true. Throws device::Unsupported where the other thread has given up, or did nothing for
  /// seconds because the system ran something else in its place.
  template <typename Ready>
  void until(Ready ready) {
    for (device::Nanoseconds waited_since{-1};; look(waited_since)) {
      // Rarely enough that looking at the clock is no part of what is timed.
      for (int attempt = 0; attempt < attempts_between_looks; ++attempt) {
        if (ready()) return;
      }
    }
  }
  void give_up() { given_up_ = true; }

 private:
  static constexpr int attempts_between_looks = 1 << 14;
  void look(device::Nanoseconds& waited_since) const;

  std::atomic<bool> given_up_ = false;
};

/// The calling thread stays on one CPU while this lives; its partner of each `together` is kept on the other.
class Pair {
 public:
  Pair(int here, int there);

  /// Runs both at once and returns when both have ended; throws what either threw.
  void together(const std::function<void(Patience&)>& here, const std::function<void(Patience&)>& there);

  /// False where the system refused to keep one of them on its CPU: then they are wherever it puts them.
  [[nodiscard]] bool pinned() const { return here_.holds() && there_holds_; }

 private:
  cpu::Pinned here_;
  int there_cpu_;
  bool there_holds_ = true;
};

/// Nanoseconds of one of `count` equal parts of a stretch that the steady clock timed, without the reading of the clock
/// that is in it. Throws device::Error where the clock stood still, and device::TooShort where it moved by few of its steps.
double nanoseconds_each(device::Nanoseconds stretch, double count, device::Nanoseconds clock_step);

/// The least that the steady clock moves between two readings, as it was seen: what a reading takes, unless the clock
/// is coarser than that.
device::Nanoseconds clock_step();

}  // namespace sonde::probes
