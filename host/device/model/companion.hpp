#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/model/description.hpp"

namespace sonde::device::model {

/// Simulated time, and how much the GPU moved to and from memory when.
struct Timeline {
  struct Span {
    double begin_ns;
    double end_ns;
    double gbps;  ///< reads and writes together
  };
  double now_ns = 0;
  double full_gbps = 0;     ///< what the memory delivers at most
  std::vector<Span> spans;  ///< in order, without overlap; nothing is moved between them
};

/// The latency that the description's CPU sees while the GPU moves so much: idle up to the knee, then rising linearly
/// to loaded at the memory's read bandwidth and no further.
[[nodiscard]] double cpu_latency_ns(const Cpu& cpu, double gbps, double full_gbps);

/// The CPU of the description, which must outlive it as the timeline must. Throws Unsupported where it has none.
[[nodiscard]] std::unique_ptr<Companion> simulated_companion(const Description& description, Timeline& timeline);

}  // namespace sonde::device::model
