#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "counters/traffic/counter_source.hpp"

namespace sonde::counters {

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
  void store(const CounterSnapshot& snapshot);

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
