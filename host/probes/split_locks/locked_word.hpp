#pragma once

#include "cpu/region.hpp"
#include "probes/split_locks/split_locks.hpp"

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

/// Threads, each on a CPU of its own, that lock one word between `begin` and `end` and sleep otherwise. Each stops by
/// itself after `longest_stretch`, so that a machine that does not schedule the thread that would stop it is not held
/// up.
class Lockers {
 public:
  Lockers(const std::vector<const cpu::Core*>& cores, LockedWord& word);
  ~Lockers();
  Lockers(const Lockers&) = delete;
  Lockers& operator=(const Lockers&) = delete;

  void begin();
  /// False where one had stopped by itself before.
  [[nodiscard]] bool end();
  /// All threads together, so far: the proof that they locked.
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  void lock(int cpu, const std::stop_token& stop);

  LockedWord& word_;
  os::Awaited<bool> locking_{false};
  std::atomic<bool> stopped_early_ = false;
  std::atomic<std::uint64_t> operations_ = 0;
  std::vector<std::jthread> threads_;  ///< the last member: they end before what they use
};

/// The speed of a core while others lock, and right before that while nobody does; a value for each window.
struct ValuesBesideLocks {
  std::vector<double> beside_nothing;
  std::vector<double> beside_locks;
};

/// The work of the core that is slowed, with its values: ns of a dependent load, or GB/s of reading.
enum class SlowedWork { load, read };

/// Measures the slowed core in a working set of so many bytes. Throws device::TooShort where others left hardly a
/// window in which one core worked and others locked, device::Error where the work was not done.
ValuesBesideLocks values_beside_locks(const SplitLockCores& cores, LockedWord& word, SlowedWork work, double bytes,
                                      const Request& request, int windows, const std::function<void()>& alive);

}  // namespace sonde::probes
