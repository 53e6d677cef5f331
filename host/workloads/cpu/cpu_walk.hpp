#pragma once

#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "measure/workload.hpp"
#include "workloads/walk/walk.hpp"

// The walks of the latency probe as native code of this process, on one core, timed by the steady clock; and what short
// stretches by that clock say.
namespace sonde::workloads {

/// Where and how one walk is made.
struct CpuPlace {
  cpu::Core core;
  cpu::PageKind pages = cpu::PageKind::small;
  /// The core of a light stream that keeps the memory controller awake; none: nothing runs beside the walk.
  std::optional<cpu::Core> awake_by = {};
  std::optional<int> node = {};  ///< of the memory; none: the one that the system chooses, the core's own
};

/// The pages that a point's words name; small ones where they name none.
inline cpu::PageKind page_kind(const measure::Words& words) {
  return words.pages == measure::PageSize::huge ? cpu::PageKind::huge : cpu::PageKind::small;
}

/// A random single cycle over `count` slots of memory, in which each slot's line holds the address of the next.
class PointerCycle {
 public:
  PointerCycle(std::uint32_t count, const LineLayout& layout, cpu::PageKind pages, std::uint64_t seed,
               std::optional<int> node = std::nullopt);

  [[nodiscard]] const std::byte* start() const { return address_of(0); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  /// Whether the walk stands at this place, counted from the start, when it stands at that address.
  [[nodiscard]] bool is_at(std::uint32_t place, const std::byte* address) const;

 private:
  [[nodiscard]] std::byte* address_of(std::uint32_t slot) const {
    return memory_.data() + std::uint64_t{layout_.word_of(slot)} * sizeof(std::uint32_t);
  }

  cpu::Region memory_;
  LineLayout layout_;
  std::vector<std::uint32_t> places_;  ///< of each slot in the cycle
};

/// A walk through a random single cycle over `count` slots, pointer by pointer.
measure::Workload cpu_cycle_chase(const CpuPlace& place, std::uint32_t count, const LineLayout& layout,
                                  std::uint64_t seed);

/// A walk over uniformly random lines, each dependent on the one before; `count` lines side by side.
measure::Workload cpu_independent_chase(const CpuPlace& place, std::uint32_t count, std::uint32_t line_bytes,
                                        std::uint64_t seed);

/// The least that the steady clock was seen to move between two readings: what a reading takes, unless the clock is
/// coarser than that.
device::Nanoseconds clock_step();

/// Nanoseconds for each of `count` equal parts of a stretch, less the reading of the clock that is in it. Throws
/// device::Error where the clock stood still, and device::TooShort where it moved by few of its steps.
double nanoseconds_each(device::Nanoseconds stretch, double count, device::Nanoseconds clock_step);

}  // namespace sonde::workloads
