#pragma once

#include <atomic>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "cpu/region.hpp"

namespace sonde::cpu {

/// Processors that allocate lines for stores read the line before an ordinary write, and not before a non-temporal one.
enum class MoveKind { read, write, non_temporal_write };

/// Whether the program has such moves for this processor.
bool has(MoveKind access);

/// Threads that move every byte of some memory in order, again and again, while this lives: each an equal part, on a
/// core of its own.
class Movers {
 public:
  /// The memory has to outlive this object.
  Movers(std::span<std::byte> memory, MoveKind access, const std::vector<int>& cpus);

  /// Bytes that all threads together have moved so far.
  [[nodiscard]] std::uint64_t bytes_moved() const;

 private:
  /// Each count has a cache line of its own, so that counting moves nothing between cores.
  struct alignas(64) Count {
    std::atomic<std::uint64_t> bytes = 0;
  };

  std::vector<Count> counts_;
  std::vector<std::jthread> threads_;  ///< the last member: they end before what they use
};

enum class StreamDirection { read, write, both };

/// `light` is about one gigabyte a second, which keeps a memory controller awake and hardly slows others; `full` is all
/// that a core can.
enum class Pace { light, full };

/// A thread that moves memory of its own, on a core of its own, while it lives.
class Streamer {
 public:
  Streamer(int cpu, std::uint64_t bytes, StreamDirection direction, Pace pace);

  /// Bytes read and written so far: the proof that it ran.
  [[nodiscard]] std::uint64_t bytes_moved() const { return bytes_moved_; }

 private:
  void stream(int cpu, StreamDirection direction, Pace pace, const std::stop_token& stop);

  Region memory_;
  std::atomic<std::uint64_t> bytes_moved_ = 0;
  std::jthread thread_;  ///< the last member: it ends before what it uses
};

}  // namespace sonde::cpu
