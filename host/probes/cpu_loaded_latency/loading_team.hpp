#pragma once

#include <atomic>
#include <thread>

#include "cpu/region.hpp"
#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "device/device.hpp"

namespace sonde::probes {

/// The work of each thread of a load.
struct LoadWork {
  cpu::Stream stream = cpu::Stream::read;  ///< read, write or read_modify_write
  cpu::StoreKind stores = cpu::StoreKind::ordinary;
  std::uint64_t thread_bytes = 0;  ///< of its own, a multiple of 64 KiB
  std::uint64_t delay = 0;         ///< trips of an empty loop, about a cycle each, for every KiB
};

/// Threads that move memory without end, each on a core of its own and over a part of its own.
class LoadingTeam {
 public:
  /// Returns once all of them stream. `memory`: `thread_bytes` for each core; it is overwritten. Throws
  /// device::Unsupported where there is no such kernel, device::TooShort where the system does not run all of them.
  LoadingTeam(const std::vector<const cpu::Core*>& cores, const LoadWork& work, std::byte* memory);
  ~LoadingTeam();
  LoadingTeam(const LoadingTeam&) = delete;
  LoadingTeam& operator=(const LoadingTeam&) = delete;

  /// Ends them and has each look at what it did.
  void end();
  /// Says after the end why not all of it was done, by sums of what was read, or by what memory then held.
  [[nodiscard]] std::optional<std::string> proof_failure() const;

  /// Looks how far all have come. The next two functions know of the time until the last look.
  void look();
  /// The bytes that were moved between two moments of the steady clock, as STREAM counts them: read and written.
  [[nodiscard]] double bytes_between(device::Nanoseconds begin, device::Nanoseconds end) const;
  /// The share of the time between two moments that threads, on average, did not have their cores, as far as is known.
  [[nodiscard]] double absent_between(device::Nanoseconds begin, device::Nanoseconds end) const;

 private:
  /// The pieces that a thread had streamed at some moment.
  struct Mark {
    device::Nanoseconds at{0};
    std::uint64_t pieces = 0;
  };
  /// One thread's part, which it alone touches, on lines of its own.
  struct alignas(128) LoadingThread {
    int cpu = 0;
    bool proved = false;
    double* memory = nullptr;
    std::vector<Mark> marks;              ///< as many as there may be
    std::atomic<std::size_t> marked = 0;  ///< of these
    std::span<const Mark> seen = {};      ///< by the last look, and the usual time between two of them
    device::Nanoseconds usual{0};
  };

  void work(LoadingThread& member, const std::stop_token& stop);
  [[nodiscard]] bool is_proved(const LoadingThread& member, std::uint64_t pieces, std::uint64_t sum) const;
  [[nodiscard]] std::size_t elements() const { return work_.thread_bytes / sizeof(double); }
  [[nodiscard]] std::uint64_t piece_kibibytes() const;
  [[nodiscard]] std::size_t piece_elements() const;

  const cpu::StreamKernels& kernels_;
  LoadWork work_;
  std::vector<LoadingThread> members_;
  std::atomic<int> streaming_ = 0;     ///< members that do
  std::vector<std::jthread> threads_;  ///< the last member: they end before what they use
};

/// Memory for loads that stands on the node of a CPU, on huge pages where there are any: the same for all points of a
/// process, as making it takes longer than loading it. Throws device::Unsupported where there is not so much.
std::byte* memory_for_loads(std::uint64_t bytes, int cpu);

}  // namespace sonde::probes
