#pragma once

#include "probes/probe.hpp"

// What the frames probe measures.
namespace sonde::probes::frames_probe {

Workload prepare_frames(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table{"Frames", "width, height", "title"};

inline constexpr Curve time{.name = "time",
                            .title = "Time of a frame",
                            .unit = units::ms,
                            .axis = axes::height,
                            .table = &table,
                            .prepare = prepare_frames};
/// What the passes of a frame read and write, from caches or from memory.
inline constexpr Curve moved{
    .name = "moved", .title = "Bytes of a frame", .unit = units::bytes, .axis = axes::height, .table = &table};
inline constexpr Curve bandwidth{
    .name = "bandwidth", .title = "Bandwidth of a frame", .unit = units::gbps, .axis = axes::height, .table = &table};

/// Bytes that the kernel moves at once.
inline constexpr std::uint64_t pass_vector_bytes = 16;

struct Resolution {
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  /// A multiple of 256 in all that are measured, so that every surface is a whole number of vectors.
  std::uint64_t pixels() const { return std::uint64_t{width} * height; }
};

/// "1920x1080".
inline std::string text_of(const Resolution& resolution) {
  return std::to_string(resolution.width) + "x" + std::to_string(resolution.height);
}

/// The part of one surface that an item of a pass reads.
struct PassInput : FrameRead {
  std::uint32_t rows = 0;  ///< vectors of an item
  std::uint32_t step = 0;  ///< vectors by which each time is further on: a line of pixels
};

/// A pass as kernels/frame_pass.cl makes it.
struct PassWork {
  std::vector<PassInput> inputs;
  std::size_t target = 0;
  std::uint32_t items = 0;
  std::uint32_t rows = 0;  ///< vectors of the target that an item writes
};

/// Vectors of a surface: all of it, and the part that one frame reads.
std::uint64_t vectors_of(const Surface& surface, const Resolution& resolution);
std::uint64_t part_vectors_of(const Surface& surface, const Resolution& resolution);

/// The passes in their order.
std::vector<PassWork> passes_of(const Frame& frame, const Resolution& resolution);

/// Bytes that a frame's passes read and write, and bytes that its surfaces take.
std::uint64_t moved_bytes(const Frame& frame, const Resolution& resolution);
std::uint64_t surface_bytes(const Frame& frame, const Resolution& resolution);

/// Renders a frame again and again; a step is a frame. Samples of each of its passes are proved from device memory
/// after every run. Throws device::Unsupported where the surfaces do not fit.
Workload frames_of(device::Device& device, const Frame& frame, const Resolution& resolution, std::uint64_t seed);

}  // namespace sonde::probes::frames_probe
