#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "counters/state/device_state.hpp"
#include "os/threads.hpp"

namespace sonde::counters {

/// Reads again and again on a thread of its own while it lives, the first time before it is constructed.
class Sampler {
 public:
  using Clock = std::chrono::steady_clock;
  /// Waits `interval` between two readings, and 50 times as long as a reading took (at most a second): sensors are
  /// slow on some machines, and reading them must not become part of what is measured.
  explicit Sampler(std::function<DeviceState()> read,
                   std::chrono::milliseconds interval = std::chrono::milliseconds{20});

  /// Everything read since `moment`, or what was read last before it. Moments must not go back.
  std::vector<DeviceState> since(Clock::time_point moment);

  /// The system's number of the thread, for whoever has to keep it off a CPU.
  [[nodiscard]] os::ThreadId thread_id() const { return thread_id_; }

 private:
  void run(const std::stop_token& stop, std::chrono::milliseconds interval);
  void read_once();

  std::function<DeviceState()> read_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::pair<Clock::time_point, DeviceState>> readings_;
  os::ThreadId thread_id_ = 0;
  std::jthread thread_;  ///< the last member: it ends before what it uses
};

}  // namespace sonde::counters
