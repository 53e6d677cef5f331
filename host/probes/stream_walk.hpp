#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/kernel_source.hpp"

namespace sonde::probes {

enum class Pattern { read, write, copy, add, triad };

/// What a pattern moves: arrays that it reads, and one that it writes unless it only reads.
struct PatternFacts {
  Pattern pattern;
  std::string_view name;
  const gpu::KernelSource& kernel;
  std::uint32_t arrays;
  bool writes;
};
const PatternFacts& facts_of(Pattern pattern);
/// Of a point's series; read where none is named.
Pattern pattern_of(const std::map<std::string, std::string>& series);

/// Whether all groups walk over the whole working set or each over a part of its own.
enum class Sharing { shared, apart };

/// How a stream's arrays are reached: by bindings, where the largest of them can be.
inline gpu::Use use_for(const gpu::DeviceInfo& info, std::uint64_t largest_bytes) {
  return largest_bytes <= info.bound_bytes ? gpu::Use::bound : gpu::Use::storage;
}

/// Compute units; where the driver does not say (core Vulkan has no such question) the host's threads for a CPU, else as
/// many as a middling GPU has.
std::uint32_t compute_units_of(const gpu::DeviceInfo& info);

/// How a stream is cut up; docs/method.md says what each number does.
struct Shape {
  std::uint32_t group_size = 1;
  std::uint32_t groups = 1;
  std::uint32_t vector_words = 4;
  std::uint32_t in_flight = 1;  ///< 1, 2, 4 or 8 vectors of one work-item that do not depend on each other
  bool interleaved = false;     ///< groups take blocks in turn, instead of each a slice

  std::uint32_t block_words() const { return group_size * vector_words * in_flight; }
  std::array<gpu::Constant, 2> constants() const {
    return {{{"IN_FLIGHT", in_flight}, {"VECTOR_WORDS", vector_words}}};
  }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// A shape as a record has it, and back.
std::map<std::string, double> named(const Shape& shape);
Shape shape_of(const std::map<std::string, double>& named);

/// The shape, with fewer groups or smaller blocks where the array is too small to be cut up so within 1 %.
Shape fitted(Shape shape, Sharing sharing, std::uint64_t array_bytes);

/// Where each group of a streaming kernel is on each trip; kernels/stream.h explains the numbers.
struct StreamWalk {
  Shape shape;
  std::uint32_t blocks = 1;        ///< that each group walks over
  std::uint32_t block_step = 1;
  std::uint32_t group_step = 0;
  std::uint32_t group_offset = 0;

  StreamWalk(const Shape& of, Sharing sharing, std::uint64_t array_bytes);

  std::uint64_t array_bytes() const;
  /// All groups together, in one trip and one array.
  std::uint64_t trip_bytes() const { return std::uint64_t{shape.groups} * shape.block_words() * sizeof(std::uint32_t); }
  std::uint32_t position(std::uint32_t group, std::uint64_t turn) const;
  /// The block at a position, counted through the array.
  std::uint64_t block_at(std::uint32_t group, std::uint32_t position) const {
    return std::uint64_t{group} * group_step + std::uint64_t{position} * block_step;
  }
  /// A dispatch of `trips` after `turn` trips before it.
  std::vector<std::uint32_t> scalars(std::uint32_t trips, std::uint64_t turn) const;
};

}  // namespace sonde::probes
