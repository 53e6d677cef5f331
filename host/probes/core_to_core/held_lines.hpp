#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/region.hpp"
#include "probes/core_to_core/pair.hpp"
#include "workloads/walk/line_layout.hpp"

namespace sonde::probes {

/// In what state one CPU holds a line that the other one reads: as memory has it, or changed.
enum class Held { clean, modified };

/// Lines 4 KiB apart at different offsets, linked in a random cycle, that one CPU holds in its caches and another walks
/// through.
class HeldLines {
 public:
  /// On a NUMA node, or where the calling thread is.
  HeldLines(std::uint32_t line_bytes, std::uint64_t seed, std::optional<int> node = std::nullopt);

  /// Nanoseconds a dependent load of the partner, while the calling thread holds the lines; a value for each of so many
  /// walks, before which it takes them all back. Throws device::Error where a walk did not see what was written for it.
  std::vector<double> walks(Pair& pair, Held held, int count);

  [[nodiscard]] std::uint32_t size() const { return count_; }

 private:
  struct Line {
    const Line* next;
    std::uint64_t walk;
  };
  [[nodiscard]] Line& line(std::uint32_t index);

  std::uint32_t count_;
  workloads::LineLayout layout_;
  cpu::Region memory_;
  std::vector<std::uint32_t> cycle_;
};

}  // namespace sonde::probes
