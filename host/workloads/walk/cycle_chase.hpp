#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "workloads/stream/background_stream.hpp"
#include "workloads/walk/line_layout.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::workloads {

/// A walk through a random cycle, alone or beside a load. It continues where its last dispatch ended.
struct CycleChase {
  device::Device& device;
  Path path;
  LineLayout layout;
  std::uint32_t offset_shift;  ///< the chain's words count in units of so many doublings of a byte (kernels/offsets.h)
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> memory;
  std::optional<BackgroundStream> beside;
  std::unique_ptr<device::Buffer> cursor;
  std::vector<std::uint32_t> places;  ///< of each slot in the cycle
  std::uint32_t place = 0;            ///< where the walk stands now
  std::vector<std::uint32_t> end;     ///< what the last dispatch left: its word, its trips, and what a load adds
  std::uint32_t trips = 0;
  std::uint32_t launches = 0;
  device::Nanoseconds lasted{0};  ///< the last dispatch

  CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed, Path by,
             const Placement& placement = {});
  CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed,
             const BackgroundLoad& load, device::Use use);

  device::Nanoseconds run(std::uint64_t hops);
  std::optional<std::string> flaw();  ///< of the last dispatch
  /// Throws Unsupported where the load beside the last dispatch did not run at the same time.
  void check_that_they_met() const;

 private:
  void begin();
  std::uint32_t offset_of(std::uint32_t slot) const { return layout.word_of(slot) << (2 - offset_shift); }
  std::vector<std::uint32_t> scalars();
};

}  // namespace sonde::workloads
