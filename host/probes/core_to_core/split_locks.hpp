#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "cpu/region.hpp"
#include "os/threads.hpp"
#include "probes/core_to_core/split_lock_plan.hpp"

namespace sonde::probes {

/// A word that begins at some byte of a line, in memory of its own.
class LockedWord {
 public:
  LockedWord(std::uint32_t address, std::uint32_t line_bytes);

  [[nodiscard]] std::byte* place() const { return memory_.data() + line_bytes_ + address_; }
  [[nodiscard]] std::uint64_t value() const;
  void set(std::uint64_t value);

 private:
  cpu::Region memory_;
  std::uint32_t address_;
  std::uint32_t line_bytes_;
};

/// Nanoseconds an operation of one thread that nobody disturbs, on a CPU: a value for each of so many samples. Throws
/// device::Error where the word does not hold the number of its operations.
std::vector<double> locked_operations(int cpu, LockedWord& word, int samples);

/// Threads, each on a CPU of its own, that lock one word when they are told to and sleep in between. Each stops by
/// itself after 20 ms, so that a machine that forgets the one who is to stop them is not held up.
class Lockers {
 public:
  Lockers(const std::vector<const cpu::Core*>& cores, LockedWord& word);
  ~Lockers();
  Lockers(const Lockers&) = delete;
  Lockers& operator=(const Lockers&) = delete;

  void begin();
  /// False where one had stopped by itself before.
  [[nodiscard]] bool end();
  /// So far, all threads together: the proof that they did.
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  void lock(int cpu, const std::stop_token& stop);

  LockedWord& word_;
  os::Awaited<bool> locking_{false};
  std::atomic<bool> stopped_early_ = false;
  std::atomic<std::uint64_t> operations_ = 0;
  std::vector<std::jthread> threads_;  ///< the last member: they end before what they use
};

}  // namespace sonde::probes
