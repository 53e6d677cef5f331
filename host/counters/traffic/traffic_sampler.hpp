#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "counters/traffic/counter_source.hpp"

namespace sonde::counters {

/// How a sampler kept its times.
struct SamplerCounts {
  std::uint64_t taken = 0;
  std::uint64_t late = 0;     ///< taken over half an interval after their time; their stamps are right
  std::uint64_t skipped = 0;  ///< not taken, as the thread slept through them: the next covers their time
  std::uint64_t lost = 0;     ///< taken, but nobody fetched those before in time; the next covers their time
  double cpu_seconds = 0;     ///< that reading and waiting have cost
};

/// Reads a source at equal distances, on a thread of its own beside the source's counters, while it lives. The thread
/// allocates nothing and writes nothing; who made the sampler fetches what it read.
class TrafficSampler {
 public:
  TrafficSampler(CounterSource& source, std::chrono::nanoseconds interval);
  TrafficSampler(const TrafficSampler&) = delete;
  TrafficSampler& operator=(const TrafficSampler&) = delete;
  ~TrafficSampler();

  /// The oldest reading that has not been fetched, into one with room for it; false where there is none.
  bool fetch(Reading& into);
  [[nodiscard]] SamplerCounts counts() const;
  /// No reading follows once this returns.
  void stop();

 private:
  void run(std::chrono::nanoseconds interval);
  void store(const Reading& reading);

  CounterSource& source_;
  std::vector<Reading> ring_;
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
