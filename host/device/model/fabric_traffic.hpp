#pragma once

#include "device/device.hpp"
#include "device/model/memory.hpp"

namespace sonde::device::model {

/// The way from the GPU's own caches to memory, and what real counters see of it: requests spread over stations, though
/// not evenly, and beside the GPU's a CPU's, which no memory-side cache serves.
class FabricTraffic {
 public:
  explicit FabricTraffic(const Memory& memory);

  /// What the accesses since Memory::start() moved, in a dispatch of so many nanoseconds.
  void add_dispatch(Memory& memory, double nanoseconds);
  /// What an engine copied: bytes that memory read, and others that it wrote, none of them kept by a cache.
  void add_copies(double read_bytes, double written_bytes, double nanoseconds);
  [[nodiscard]] const SimulatedTraffic& traffic() const { return traffic_; }

 private:
  void add(double fabric_read, double fabric_write, double memory_read, double memory_write, double nanoseconds);

  std::size_t first_level_;  ///< the first behind the GPU's own caches
  double request_bytes_;     ///< of what misses the last of the GPU's own
  SimulatedTraffic traffic_;
};

}  // namespace sonde::device::model
