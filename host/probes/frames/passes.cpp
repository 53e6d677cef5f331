#include "probes/frames/passes.hpp"

#include <numeric>

namespace sonde::probes {
namespace {

using measure::Frame;
using measure::FramePass;
using measure::FrameRead;
using measure::Surface;

/// Of what one frame reads or writes of a surface.
std::uint64_t bytes_per_16_pixels(const Surface& surface) { return surface.bytes_per_16_pixels() / surface.frames; }

/// As many items as can each have whole rows of every surface of the pass: their greatest common divisor.
std::uint64_t common_bytes_per_16_pixels(const Frame& frame, const FramePass& pass) {
  std::uint64_t common = bytes_per_16_pixels(frame.surfaces[pass.writes]);
  for (const FrameRead& read : pass.reads) common = std::gcd(common, bytes_per_16_pixels(frame.surfaces[read.surface]));
  return common;
}

std::uint32_t line_vectors(const Surface& surface, const Resolution& resolution) {
  const std::uint64_t bytes = std::uint64_t{resolution.width} / surface.divided_by * surface.bytes_per_pixel;
  return static_cast<std::uint32_t>(bytes / pass_vector_bytes);
}

}  // namespace

std::string text_of(const Resolution& resolution) {
  return std::to_string(resolution.width) + "x" + std::to_string(resolution.height);
}

std::uint64_t PassWork::bytes() const {
  std::uint64_t vectors = rows;
  for (const PassInput& input : inputs) vectors += std::uint64_t{input.rows} * input.times;
  return vectors * items * pass_vector_bytes;
}

std::uint64_t part_vectors_of(const Surface& surface, const Resolution& resolution) {
  return resolution.pixels() * bytes_per_16_pixels(surface) / 16 / pass_vector_bytes;
}

std::uint64_t vectors_of(const Surface& surface, const Resolution& resolution) {
  return part_vectors_of(surface, resolution) * surface.frames;
}

std::vector<PassWork> passes_of(const Frame& frame, const Resolution& resolution) {
  std::vector<PassWork> works;
  for (const FramePass& pass : frame.passes) {
    const std::uint64_t common = common_bytes_per_16_pixels(frame, pass);
    const auto rows_of = [&](std::size_t surface) {
      return static_cast<std::uint32_t>(bytes_per_16_pixels(frame.surfaces[surface]) / common);
    };
    PassWork work{.inputs = {},
                  .target = pass.writes,
                  .items = static_cast<std::uint32_t>(resolution.pixels() * common / 16 / pass_vector_bytes),
                  .rows = rows_of(pass.writes)};
    for (const FrameRead& read : pass.reads) {
      work.inputs.push_back({.surface = read.surface,
                             .rows = rows_of(read.surface),
                             .times = read.times,
                             .step = line_vectors(frame.surfaces[read.surface], resolution)});
    }
    works.push_back(work);
  }
  return works;
}

std::uint64_t moved_bytes(const Frame& frame, const Resolution& resolution) {
  std::uint64_t bytes = 0;
  for (const PassWork& work : passes_of(frame, resolution)) bytes += work.bytes();
  return bytes;
}

std::uint64_t surface_bytes(const Frame& frame, const Resolution& resolution) {
  std::uint64_t bytes = 0;
  for (const Surface& surface : frame.surfaces) bytes += vectors_of(surface, resolution) * pass_vector_bytes;
  return bytes;
}

}  // namespace sonde::probes
