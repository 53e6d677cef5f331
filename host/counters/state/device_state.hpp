#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "os/threads.hpp"

namespace sonde::counters {

/// The state of a GPU and of the CPU; fields are empty where nothing tells. Throttle reasons are among power,
/// temperature, current and other, and an empty set means that the GPU reports no throttling.
struct DeviceState {
  std::optional<double> gpu_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> memory_peak_gbps;  ///< at memory's highest clock, reads and writes together
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
  std::optional<std::set<std::string>> throttle_reasons;
  std::optional<double> cpu_clock_mhz;
};

/// One state for many: median clocks, highest temperature, mean power, every throttle reason that was seen.
DeviceState summarize(std::span<const DeviceState> readings);

/// Reads again and again on a thread of its own while it lives. The constructor takes the first reading.
class Sampler {
 public:
  using Clock = std::chrono::steady_clock;
  /// Waits `interval` between two readings, and 50 times as long as a reading took (at most a second): sensors are
  /// slow on some machines, and reading them must not become part of what is measured.
  explicit Sampler(std::function<DeviceState()> read,
                   std::chrono::milliseconds interval = std::chrono::milliseconds{20});

  /// Everything read since `moment`, or what was read last before it. Moments must not go back.
  std::vector<DeviceState> since(Clock::time_point moment);

  /// The sampling thread, so that callers can keep it off a CPU.
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
