#pragma once

#include <array>

#include "device/device.hpp"
#include "measure/measurement.hpp"

namespace sonde::workloads {

using measure::Pattern;
using measure::Sharing;

/// Bytes that one work-group may walk over in memory of its own: as much as kernels/stream_local.cl declares.
inline constexpr std::uint64_t local_part_bytes = 16384;
/// Words of a texel, and of the narrowest vector that any streaming kernel takes.
inline constexpr std::uint32_t texel_words = 4;

/// The kernel and the arrays of a stream with a pattern by a path: it reads arrays, and writes one unless it only
/// reads.
struct PatternFacts {
  Pattern pattern;
  measure::Path path;  ///< a buffer, the texture unit (image) or the memory of a work-group (local)
  const device::KernelSource& kernel;
  std::uint32_t arrays;
  bool writes;

  [[nodiscard]] bool is_image() const { return path == measure::Path::image; }
  [[nodiscard]] bool is_local() const { return path == measure::Path::local; }
  /// How the arrays are reached: images by texels, everything else as storage is.
  [[nodiscard]] device::Use use_of_arrays(device::Use storage) const {
    return is_image() ? device::Use::wide_texels : storage;
  }
  /// The widest vector that the kernel takes, in words.
  [[nodiscard]] std::uint32_t widest_vector_words(const device::DeviceInfo& device) const {
    return is_image() ? texel_words : device.widest_load_bytes / sizeof(std::uint32_t);
  }
  /// Trips of the walk that one dispatch may make; the loop that copies a work-group's part counts as well.
  [[nodiscard]] std::uint32_t most_trips(const device::DeviceInfo& device) const {
    constexpr std::uint32_t copying = local_part_bytes / (texel_words * sizeof(std::uint32_t));
    return device.most_trips - (is_local() ? copying : 0);
  }
};
const PatternFacts& facts_of(Pattern pattern, measure::Path path = measure::Path::buffer);
/// The facts of the stream that a point's words name.
inline const PatternFacts& facts_of(const measure::Words& words) {
  return facts_of(words.pattern.value(), words.path.value());
}

/// How storage is reached: by bindings, where the largest of it can be.
inline device::Use use_for(const device::DeviceInfo& info, std::uint64_t largest_bytes) {
  return largest_bytes <= info.bound_bytes ? device::Use::bound : device::Use::storage;
}

/// The number of compute units. Where the driver does not say it (core Vulkan has no such question), a CPU has as many
/// as the host has threads, and a GPU as many as a middling one.
std::uint32_t compute_units_of(const device::DeviceInfo& info);

/// How a stream is cut up: docs/method/bandwidth.md says what each number does.
struct StreamShape {
  std::uint32_t group_size = 1;
  std::uint32_t groups = 1;
  std::uint32_t vector_words = 4;
  std::uint32_t in_flight = 1;  ///< 1, 2, 4, 8 or 16 vectors of one work-item that do not depend on each other
  bool interleaved = false;     ///< groups take blocks in turn, instead of each a slice
  bool spread = false;          ///< what is in flight comes from as many parts of the slice; never interleaved
  bool scattered = false;       ///< of a shared walk: each group takes the blocks in an order of its own

  std::uint32_t row_words() const { return group_size * vector_words; }
  std::uint32_t block_words() const { return row_words() * in_flight; }
  /// A block consists of so many pieces that lie apart, each of `piece_words` words.
  std::uint32_t pieces() const { return spread ? in_flight : 1; }
  std::uint32_t piece_words() const { return block_words() / pieces(); }
  /// The constants of a streaming kernel, followed by those that only this kernel takes.
  std::vector<device::Constant> constants(std::initializer_list<device::Constant> more = {}) const {
    std::vector<device::Constant> all{
        {"IN_FLIGHT", in_flight}, {"VECTOR_WORDS", vector_words}, {"SPREAD", spread ? 1u : 0u}};
    all.insert(all.end(), more);
    return all;
  }
  friend bool operator==(const StreamShape&, const StreamShape&) = default;
};

/// A shape as a record has it, and back.
measure::Shape named(const StreamShape& shape);
StreamShape shape_of(const measure::Shape& named);

/// Whether groups that share a walk take it in orders of their own, as they do on a GPU. A CPU's groups are few, and
/// its prefetchers follow one order alone; a simulated device's groups keep the distance at which they begin.
inline bool is_scattered(const device::DeviceInfo& info, Sharing sharing) {
  return sharing == Sharing::shared && info.type != device::DeviceType::cpu && info.type != device::DeviceType::model;
}

/// The shape, with fewer groups or smaller blocks where the array is too small to be cut up so within 1 %.
StreamShape fitted(StreamShape shape, Sharing sharing, std::uint64_t array_bytes);

/// The numbers by which the groups of every streaming kernel walk; kernels/stream.h explains them.
struct WalkScalars {
  std::uint32_t trips = 0;
  std::uint32_t start = 0;
  std::uint32_t blocks = 1;  ///< that each group walks over
  std::uint32_t block_step = 1;
  std::uint32_t group_step = 0;
  std::uint32_t group_offset = 0;
  std::uint32_t group_further = 0;
  std::uint32_t scatter = 0;

  /// The scalars in a kernel's order, followed by those that only this kernel takes.
  std::vector<std::uint32_t> in_order(std::initializer_list<std::uint32_t> more = {}) const;
};

/// The index of the block at a position of a group's walk, among those it walks over. kernels/stream_loops.h has the
/// same.
inline std::uint32_t scattered(std::uint32_t position, std::uint32_t group, std::uint32_t scatter) {
  return (position & ~scatter) | ((position * (group * 0x9E3779B2u + 1)) & scatter);
}

/// The walk of each group of a streaming kernel: the block that it is at on each trip. scalars() fills trips and start.
struct StreamWalk : WalkScalars {
  StreamShape shape;

  StreamWalk(const StreamShape& of, Sharing sharing, std::uint64_t array_bytes);

  std::uint64_t array_bytes() const;
  /// Bytes that all groups together move in one trip and one array.
  std::uint64_t trip_bytes() const { return std::uint64_t{shape.groups} * shape.block_words() * sizeof(std::uint32_t); }
  std::uint32_t position(std::uint32_t group, std::uint64_t turn) const;
  /// The index of a piece of the block at a position, counted through the array in pieces.
  std::uint64_t piece_at(std::uint32_t group, std::uint32_t position, std::uint32_t piece) const {
    const std::uint32_t block = scattered(position, group, scatter);
    if (!shape.spread) return std::uint64_t{group} * group_step + std::uint64_t{block} * block_step;
    return std::uint64_t{group} * group_step * shape.in_flight + block + std::uint64_t{piece} * blocks;
  }
  /// The first word of that piece.
  std::uint64_t word_at(std::uint32_t group, std::uint32_t position, std::uint32_t piece) const {
    return piece_at(group, position, piece) * shape.piece_words();
  }
  /// The index of the block at a position, counted through the blocks of all groups.
  std::uint64_t block_at(std::uint32_t group, std::uint32_t position) const {
    const std::uint32_t part = group_step == 0 ? 0 : group;
    return std::uint64_t{part} * blocks + scattered(position, group, scatter);
  }
  /// The first word of one of that block's rows.
  std::uint64_t row_at(std::uint64_t block, std::uint32_t row) const {
    const auto part = static_cast<std::uint32_t>(block / blocks);
    const auto position = static_cast<std::uint32_t>(block % blocks);  // the first of those that share keeps the order
    if (shape.spread) return word_at(part, position, row);
    return word_at(part, position, 0) + std::uint64_t{row} * shape.row_words();
  }
  /// The scalars of a dispatch of so many trips, which `turn` trips came before.
  std::vector<std::uint32_t> scalars(std::uint32_t trips_of_dispatch, std::uint64_t turn,
                                     std::initializer_list<std::uint32_t> more = {}) const;
};

/// Throws Unsupported where a work-group has not so much memory of its own; `whose` is what needs it.
void check_local_memory(const device::DeviceInfo& device, std::uint64_t bytes, const std::string& whose);

/// Throws Unsupported where the device lacks the path. Whether an image can be so large is for make_buffer() to say.
void check_path(const PatternFacts& facts, const device::DeviceInfo& device);

/// Throws Unsupported where the memory of a work-group cannot hold its part of the walk.
void check_part(const PatternFacts& facts, const StreamWalk& walk);

}  // namespace sonde::workloads
