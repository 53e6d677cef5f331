#pragma once

#include <atomic>
#include <thread>

#include "counters/traffic/rates.hpp"

namespace sonde::counters {

/// The snapshots at the ends of a window in which an amount of work was done.
struct MeteredWindow {
  std::uint64_t amount = 0;
  CounterSnapshot before;
  CounterSnapshot after;
};

/// Counts the traffic of windows of work, and not what moves between them. Rotated groups count in different windows; a
/// piece is windows in which each has counted.
class TrafficMeter {
 public:
  explicit TrafficMeter(std::unique_ptr<CounterSource> source);

  void begin() noexcept { source_->read(before_); }
  /// Ends a window in which `amount` of work was done, in any unit. Rotates the groups, unless the window was shorter
  /// than the last one.
  void end(std::uint64_t amount);

  /// The pieces that the latest windows of one amount make, and the number of these windows.
  struct Taken {
    std::vector<Traffic> pieces;
    std::size_t windows = 0;
  };
  /// Takes the latest windows of this amount, `most` at most, and drops all others and what makes no whole piece.
  Taken take(std::uint64_t amount, std::size_t most);

  [[nodiscard]] const Layout& layout() const { return source_->layout(); }
  /// Leaves the machine's counters to others for a while.
  void rest(bool rests) noexcept { source_->rest(rests); }

 private:
  std::unique_ptr<CounterSource> source_;
  CounterSnapshot before_;
  CounterSnapshot after_;
  std::uint64_t last_amount_ = 0;
  std::vector<MeteredWindow> windows_;
};

/// A sampler's account of its snapshots.
struct SamplerCounts {
  std::uint64_t taken = 0;
  std::uint64_t late = 0;     ///< taken over half an interval after their time, which they state
  std::uint64_t skipped = 0;  ///< not taken, as the thread woke too late; the next one covers their time
  std::uint64_t lost = 0;     ///< taken, but the ring was full; the next one covers their time
  double cpu_seconds = 0;     ///< CPU time of reading and waiting
};

/// Reads a source at equal intervals while it lives, on a thread of its own on the counters' CPU. The thread allocates
/// and writes nothing; the owner fetches the snapshots from a ring.
class TrafficSampler {
 public:
  TrafficSampler(CounterSource& source, std::chrono::nanoseconds interval);
  TrafficSampler(const TrafficSampler&) = delete;
  TrafficSampler& operator=(const TrafficSampler&) = delete;
  ~TrafficSampler();

  /// Fetches the oldest snapshot that has not been fetched, into one with room for it; false where there is none.
  bool fetch(CounterSnapshot& into);
  [[nodiscard]] SamplerCounts counts() const;
  /// No snapshot is taken once this returns.
  void stop();

 private:
  void run(std::chrono::nanoseconds interval);

  CounterSource& source_;
  std::vector<CounterSnapshot> ring_;
  std::atomic<std::size_t> written_ = 0;
  std::atomic<std::size_t> fetched_ = 0;
  std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<std::uint64_t> late_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<double> cpu_seconds_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;  ///< the last member: it uses the others
};

}  // namespace sonde::counters
