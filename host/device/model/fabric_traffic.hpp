#pragma once

#include "device/device.hpp"
#include "device/model/memory.hpp"

namespace sonde::device::model {

/// The traffic between the GPU's own caches and memory as real counters see it: requests spread over stations, though
/// not evenly, and with them those of a CPU, which no memory-side cache serves.
class FabricTraffic {
 public:
  explicit FabricTraffic(const Memory& memory);

  /// Adds what the accesses since Memory::start() moved, in a dispatch of so many nanoseconds.
  void add_dispatch(Memory& memory, double nanoseconds);
  /// Adds what an engine copied: bytes that memory read, and others that it wrote, none of them kept by a cache.
  void add_copies(double read_bytes, double written_bytes, double nanoseconds);
  [[nodiscard]] const SimulatedTraffic& traffic() const { return traffic_; }

 private:
  void add(double fabric_read, double fabric_write, double memory_read, double memory_write, double nanoseconds);

  std::size_t first_level_;  ///< the first behind the GPU's own caches
  double request_bytes_;     ///< size of a request that misses the last of the GPU's own caches
  SimulatedTraffic traffic_;
};

}  // namespace sonde::device::model
