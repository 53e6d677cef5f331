#pragma once

#include "cpu/instructions.hpp"
#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// Locked operations on one line and across two, and what they take from another core. They are made only where the user
// allows it. `address` says where in a line the locked word begins: at 0 it lies within the line, at 4 bytes from its
// end across two.
namespace sonde::probes {
namespace split_locks_probe {

Workload prepare_locked_operation(device::Device& device, const Point& point, const Request& request);
Workload prepare_load(device::Device& device, const Point& point, const Request& request);
Workload prepare_read(device::Device& device, const Point& point, const Request& request);

inline constexpr Table locks_and_others{
    .title = "Locked operations within a line and across two, and what another core has meanwhile",
    .rows = "title, bytes",
    .columns = "address"};

inline constexpr Curve locked_operation{.name = "locked-operation",
                                        .words = {.exchange = Exchange::compare_and_swap, .sharing = Sharing::separate},
                                        .title = "Locked operation of a core that nobody disturbs",
                                        .unit = units::ns,
                                        .axis = axes::address,
                                        .table = &locks_and_others,
                                        .prepare = prepare_locked_operation};

constexpr Curve of_another_core(std::string_view name, std::string_view title, const Words& words, const Unit& unit,
                                Prepare prepare = nullptr) {
  return {.name = name, .words = words, .title = title, .unit = unit, .table = &locks_and_others, .prepare = prepare};
}
inline constexpr Curve load_beside_locks =
    of_another_core("load-beside-locks", "Load of a core while others lock",
                    {.beside = Beside::split_locks, .role = QueueRole::reader}, units::ns, prepare_load);
inline constexpr Curve read_beside_locks =
    of_another_core("read-beside-locks", "Reading of a core while others lock",
                    {.beside = Beside::split_locks, .pattern = Pattern::read}, units::gbps, prepare_read);
// These two are seen right before each window beside locks.
inline constexpr Curve load_beside_nothing =
    of_another_core("load-beside-nothing", "Load of a core while nobody locks",
                    {.beside = Beside::nothing, .role = QueueRole::reader}, units::ns);
inline constexpr Curve read_beside_nothing =
    of_another_core("read-beside-nothing", "Reading of a core while nobody locks",
                    {.beside = Beside::nothing, .pattern = Pattern::read}, units::gbps);

inline constexpr std::array curves{&locked_operation, &load_beside_locks, &load_beside_nothing, &read_beside_locks,
                                   &read_beside_nothing};

inline constexpr FindingKind latency{
    .name = "split-lock-latency",
    .heading = "A locked operation across two lines",
    .meaning = "The time of a locked operation across two cache lines of a core that nobody disturbs.",
    .unit = units::ns};
inline constexpr FindingKind loss{
    .name = "split-lock-loss",
    .heading = "What split locks take from another core",
    .meaning =
        "How many times as long another core waits for a load in `bytes` of details while others lock across two "
        "lines, or how many times as much it reads there while nobody does.",
    .unit = units::ratio_of_loss};

inline constexpr std::array finding_kinds{&latency, &loss};

}  // namespace split_locks_probe

/// A warning that the user has to read before anything is measured: it says what split locks do to the machine, and
/// what the kernel does to the figures.
std::string split_lock_notice(const cpu::SplitLockRule& rule);

/// Why none are made on this processor, or under this kernel; empty where they can be.
std::optional<std::string> why_no_split_locks(const cpu::SplitLockRule& rule);

/// The cores of these points: up to two that lock, and the one that is slowed meanwhile.
struct SplitLockCores {
  std::vector<const cpu::Core*> locking;
  const cpu::Core* slowed = nullptr;  ///< null where this process may use one core only
};
SplitLockCores split_lock_cores(const cpu::Topology& machine);

std::vector<Point> split_lock_points(const cpu::Topology& machine, const Request& request);

/// A word that begins at some byte of a line, in memory of its own.
class LockedWord {
 public:
  LockedWord(std::uint32_t address, std::uint32_t line_bytes)
      : memory_(std::uint64_t{4} * line_bytes, cpu::PageKind::small), address_(address), line_bytes_(line_bytes) {}

  [[nodiscard]] std::byte* place() const { return memory_.data() + line_bytes_ + address_; }
  [[nodiscard]] std::uint64_t value() const;

 private:
  cpu::Region memory_;
  std::uint32_t address_;
  std::uint32_t line_bytes_;
};

/// Nanoseconds an operation of one thread that nobody disturbs, on a CPU: a value for each of so many samples. Throws
/// device::Error where the word has not counted its operations.
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
