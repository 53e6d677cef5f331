#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sonde::measure {

/// An image that passes read or write: a texture, which stands in memory before the first frame and is only read, or a
/// target, which one pass of each frame writes.
struct Surface {
  std::string name;
  bool is_texture = false;
  std::uint32_t bytes_per_pixel = 4;
  std::uint32_t divided_by = 1;  ///< its width and height are the frame's over this
  std::uint32_t frames = 1;      ///< so many frames read all of a texture, each the next part of it

  /// The surface's bytes for each 16 pixels of the frame: a whole number even where its width and height are a fourth.
  [[nodiscard]] std::uint64_t bytes_per_16_pixels() const { return 16ull * bytes_per_pixel / divided_by / divided_by; }

  friend bool operator==(const Surface&, const Surface&) = default;
};

/// A pass reads a surface whole, or its part of a texture; `times` over, each time a line of pixels further on, as a
/// filter does.
struct FrameRead {
  std::size_t surface = 0;
  std::uint32_t times = 1;

  friend bool operator==(const FrameRead&, const FrameRead&) = default;
};

struct FramePass {
  std::string name;
  std::vector<FrameRead> reads;  ///< reads of textures, and of targets that an earlier pass has written
  std::size_t writes = 0;        ///< its target, all of it; no other pass writes that

  friend bool operator==(const FramePass&, const FramePass&) = default;
};

/// The work of a renderer for one image, as far as memory sees it; docs/method/frames.md has the file that describes
/// it.
struct Frame {
  std::string name;
  std::vector<Surface> surfaces;  ///< textures first
  std::vector<FramePass> passes;  ///< the order in which they run

  friend bool operator==(const Frame&, const Frame&) = default;
};

}  // namespace sonde::measure
