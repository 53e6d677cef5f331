#pragma once

#include <atomic>
#include <thread>

#include "cpu/region.hpp"

namespace sonde::cpu {

enum class Traffic { read, write, both };

/// About one gigabyte a second, which keeps a memory controller awake and hardly slows anybody, or all that a core can.
enum class Pace { light, full };

/// Moves memory of its own, on a core of its own, while it lives.
class Streamer {
 public:
  Streamer(int cpu, std::uint64_t bytes, Traffic traffic, Pace pace);

  /// So far, read and written together: the proof that it ran.
  [[nodiscard]] std::uint64_t bytes_moved() const { return bytes_moved_; }

 private:
  void stream(int cpu, Traffic traffic, Pace pace, const std::stop_token& stop);

  Region memory_;
  std::atomic<std::uint64_t> bytes_moved_ = 0;
  std::jthread thread_;  ///< the last member: it ends before what it uses
};

}  // namespace sonde::cpu
