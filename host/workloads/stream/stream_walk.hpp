#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "device/kernel_source.hpp"

namespace sonde::workloads {

/// The last two read through the texture unit, and from the memory of a work-group.
enum class Pattern { read, write, copy, add, triad, read_image, read_local };

/// What a pattern moves: arrays that it reads, and one that it writes unless it only reads.
struct PatternFacts {
  Pattern pattern;
  std::string_view name;
  const device::KernelSource& kernel;
  std::uint32_t arrays;
  bool writes;
  std::string_view path = "buffer";
};
const PatternFacts& facts_of(Pattern pattern);
/// Of a point's series; read from a buffer where none is named.
Pattern pattern_of(const std::map<std::string, std::string>& series);

/// Whether all groups walk over the whole working set or each over a part of its own.
enum class Sharing { shared, separate };

/// The words of a record file that name a curve of bandwidth, and back.
std::map<std::string, std::string> series_of(Pattern pattern, Sharing sharing);
Sharing sharing_of(const std::map<std::string, std::string>& series);

/// How storage is reached: by bindings, where the largest of it can be.
inline device::Use use_for(const device::DeviceInfo& info, std::uint64_t largest_bytes) {
  return largest_bytes <= info.bound_bytes ? device::Use::bound : device::Use::storage;
}

/// Compute units; where the driver does not say (core Vulkan has no such question) the host's threads for a CPU, else
/// as many as a middling GPU has.
std::uint32_t compute_units_of(const device::DeviceInfo& info);

/// How a stream is cut up; docs/method.md says what each number does.
struct Shape {
  std::uint32_t group_size = 1;
  std::uint32_t groups = 1;
  std::uint32_t vector_words = 4;
  std::uint32_t in_flight = 1;  ///< 1, 2, 4, 8 or 16 vectors of one work-item that do not depend on each other
  bool interleaved = false;     ///< groups take blocks in turn, instead of each a slice
  bool spread = false;          ///< what is in flight comes from as many parts of the slice; never interleaved
  bool scattered = false;       ///< of a shared walk: each group takes the blocks in an order of its own

  std::uint32_t row_words() const { return group_size * vector_words; }
  std::uint32_t block_words() const { return row_words() * in_flight; }
  /// Pieces of a block that lie apart, and the words of one.
  std::uint32_t pieces() const { return spread ? in_flight : 1; }
  std::uint32_t piece_words() const { return block_words() / pieces(); }
  std::array<device::Constant, 3> constants() const {
    return {{{"IN_FLIGHT", in_flight}, {"VECTOR_WORDS", vector_words}, {"SPREAD", spread ? 1u : 0u}}};
  }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// A shape as a record has it, and back.
std::map<std::string, double> named(const Shape& shape);
Shape shape_of(const std::map<std::string, double>& named);

/// Whether groups that walk over the same take it in orders of their own: on a GPU. A CPU's groups are few, and its
/// prefetchers follow one order alone; a simulated device's keep the distance at which they begin.
inline bool is_scattered(const device::DeviceInfo& info, Sharing sharing) {
  return sharing == Sharing::shared && info.type != device::DeviceType::cpu && info.type != device::DeviceType::model;
}

/// The shape, with fewer groups or smaller blocks where the array is too small to be cut up so within 1 %.
Shape fitted(Shape shape, Sharing sharing, std::uint64_t array_bytes);

/// The numbers by which the groups of every streaming kernel walk; kernels/stream.h explains them.
struct WalkScalars {
  std::uint32_t trips;
  std::uint32_t start;
  std::uint32_t blocks;  ///< that each group walks over
  std::uint32_t block_step = 1;
  std::uint32_t group_step = 0;
  std::uint32_t group_offset = 0;
  std::uint32_t group_further = 0;
  std::uint32_t scatter = 0;

  /// As a kernel takes them, with those of its own behind.
  std::vector<std::uint32_t> in_order(std::initializer_list<std::uint32_t> of_its_own = {}) const;
};

/// Where the block at a position of a group's walk lies among those it walks over; kernels/stream_loops.h has the same.
inline std::uint32_t scattered(std::uint32_t position, std::uint32_t group, std::uint32_t scatter) {
  return (position & ~scatter) | ((position * (group * 0x9E3779B2u + 1)) & scatter);
}

/// Where each group of a streaming kernel is on each trip.
struct StreamWalk {
  Shape shape;
  std::uint32_t blocks = 1;
  std::uint32_t block_step = 1;
  std::uint32_t group_step = 0;
  std::uint32_t group_offset = 0;
  std::uint32_t group_further = 0;
  std::uint32_t scatter = 0;

  StreamWalk(const Shape& of, Sharing sharing, std::uint64_t array_bytes);

  std::uint64_t array_bytes() const;
  /// All groups together, in one trip and one array.
  std::uint64_t trip_bytes() const { return std::uint64_t{shape.groups} * shape.block_words() * sizeof(std::uint32_t); }
  std::uint32_t position(std::uint32_t group, std::uint64_t turn) const;
  /// A piece of the block at a position, counted through the array in pieces.
  std::uint64_t piece_at(std::uint32_t group, std::uint32_t position, std::uint32_t piece) const {
    const std::uint32_t block = scattered(position, group, scatter);
    if (!shape.spread) return std::uint64_t{group} * group_step + std::uint64_t{block} * block_step;
    return std::uint64_t{group} * group_step * shape.in_flight + block + std::uint64_t{piece} * blocks;
  }
  /// Its first word.
  std::uint64_t word_at(std::uint32_t group, std::uint32_t position, std::uint32_t piece) const {
    return piece_at(group, position, piece) * shape.piece_words();
  }
  /// The block at a position, counted through those of all groups; and the first word of one of its rows.
  std::uint64_t block_at(std::uint32_t group, std::uint32_t position) const {
    const std::uint32_t part = group_step == 0 ? 0 : group;
    return std::uint64_t{part} * blocks + scattered(position, group, scatter);
  }
  std::uint64_t row_at(std::uint64_t block, std::uint32_t row) const {
    const auto part = static_cast<std::uint32_t>(block / blocks);
    const auto position = static_cast<std::uint32_t>(block % blocks);  // the first of those that share keeps the order
    if (shape.spread) return word_at(part, position, row);
    return word_at(part, position, 0) + std::uint64_t{row} * shape.row_words();
  }
  /// A dispatch of `trips` after `turn` trips before it.
  std::vector<std::uint32_t> scalars(std::uint32_t trips, std::uint64_t turn) const;
};

}  // namespace sonde::workloads
