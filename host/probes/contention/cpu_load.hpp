#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "cpu/movers.hpp"
#include "cpu/topology.hpp"

namespace sonde::probes {

/// Threads of the CPU that move memory beyond every cache as fast as they can, each on a core of its own.
class CpuLoad {
 public:
  /// Returns once all of them move something. Throws device::Unsupported where the system does not let them.
  CpuLoad(std::span<const cpu::Core> cores, cpu::StreamDirection traffic);

  /// What `gbps` says counts from here.
  void begin();
  /// Read and written together since then. Throws device::Unsupported where some thread did not run at all.
  [[nodiscard]] double gbps() const;

 private:
  std::vector<std::unique_ptr<cpu::Streamer>> threads_;
  std::vector<std::uint64_t> moved_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace sonde::probes
