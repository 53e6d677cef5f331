#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

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
  ~Sampler() { ended_.set(true); }

  /// Everything read since `moment`, or what was read last before it. Moments must not go back.
  std::vector<DeviceState> since(Clock::time_point moment);

  /// Reads nothing for as long as nobody wants to know: what it takes of the CPU would disturb others.
  void rest(bool rests) { rests_ = rests; }

  /// The sampling thread, so that callers can keep it off a CPU.
  [[nodiscard]] os::ThreadId thread_id() const { return thread_id_; }

 private:
  void run(std::chrono::milliseconds interval);
  void read_once();

  std::function<DeviceState()> read_;
  std::mutex mutex_;
  std::atomic<bool> rests_ = false;
  os::Awaited<bool> ended_{false};  ///< no stop token, whose callbacks lose notifications as `Awaited` says
  std::deque<std::pair<Clock::time_point, DeviceState>> readings_;
  os::ThreadId thread_id_ = 0;
  std::jthread thread_;  ///< the last member: it ends before what it uses
};

/// CPU time used since some fixed moment, in seconds summed over all CPUs.
struct HostTime {
  double wall = 0;                         ///< seconds that passed, times the number of CPUs
  double busy = 0;                         ///< used by any process or interrupt of this machine
  double own = 0;                          ///< used by this process and all its threads
  double steal = 0;                        ///< taken by the hypervisor for others
  double tick = 0;                         ///< the step in which `busy` counts
  std::uint64_t involuntary_switches = 0;  ///< times that the scheduler took a CPU from a thread of this process
};

/// CPU time that others took between two moments, as shares (0 to 1) of all that passed.
struct ForeignLoad {
  double foreign_cpu = 0;
  double steal = 0;
  std::uint64_t involuntary_switches = 0;
};

/// The present times, in the system's ticks of mostly 10 ms; zeros where it does not count.
HostTime read_host_time();

/// A lower bound: one tick is taken off, as a whole tick is charged to whoever runs at its end and may be rounding
/// alone.
ForeignLoad load_between(const HostTime& before, const HostTime& after);

}  // namespace sonde::counters
