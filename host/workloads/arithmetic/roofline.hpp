#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "device/device.hpp"
#include "device/number_arithmetic.hpp"
#include "measure/probe.hpp"
#include "workloads/arithmetic/roofline_proof.hpp"
#include "workloads/stream/stream_walk.hpp"

// A stream that computes with what it reads, as many operations a byte as are asked for.
namespace sonde::workloads {

/// How operations a byte are dialled; a round is two operations a word, as a pair of words makes two multiply-adds.
struct OperationsDial {
  std::uint32_t loops = 0;     ///< on every trip that computes, each of `unroll` rounds
  std::uint32_t unroll = 0;    ///< a power of two; 0 where nothing is computed
  std::uint32_t of_eight = 8;  ///< trips compute; the others only read

  /// Whether trips that compute take turns with others.
  [[nodiscard]] bool takes_turns() const { return of_eight < trips_of_a_dial; }
  [[nodiscard]] double operations_per_byte() const;
};

/// The nearest that can be dialled: sixteenths of an operation a byte up to a half, whole halves beyond.
OperationsDial dial_of(double operations_per_byte);

/// How a device turns its words, as CPUs want it or as others do, with factors by which none becomes so large or small
/// in as many rounds as are ever asked for that it is none of those that programs compute with.
device::RooflineRound turning_of(const device::DeviceInfo& device, const OperationsDial& dial);

/// How it is cut up: as a stream is, and of a block's rows so many, an even number, are in registers at once.
struct RooflineShape {
  Shape walk;
  std::uint32_t at_once = 2;
};

/// A shape as a record has it, and back.
std::map<std::string, double> named(const RooflineShape& shape);
RooflineShape roofline_shape_of(const std::map<std::string, double>& named);

/// The shape in which a device computes with a working set: enough numbers for every item to hide how long a step
/// takes, and no more than registers. `register_words`: those that a CPU's driver computes with best, 0 where that is
/// not known.
RooflineShape roofline_shape(const device::DeviceInfo& device, Sharing sharing, std::uint64_t bytes,
                             std::uint32_t register_words);

/// Reads a working set of `bytes` again and again and computes by multiply-adds of fp32: in Gop/s, or in GB/s where no
/// operation is asked for. Every dispatch is proved by the sum of all words as they are at the end, which the host
/// finds by making the same steps.
measure::Workload roofline(device::Device& device, Sharing sharing, const RooflineShape& shape, std::uint64_t bytes,
                           double operations_per_byte, std::uint64_t seed);

}  // namespace sonde::workloads
