// How long does the memory take for the frames of a game, and how does that grow with their resolution?
// docs/method/frames.md explains it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "probes/catalog.hpp"
#include "probes/frames/curves.hpp"
#include "probes/frames/passes.hpp"

namespace sonde::probes {
namespace {

/// Bytes that one frame reads or writes of a surface.
std::uint64_t bytes_per_16_pixels(const Surface& surface) { return surface.bytes_per_16_pixels() / surface.frames; }

/// The greatest common divisor of what the pass moves of each surface: there are as many items as can each have whole
/// rows of every surface.
std::uint64_t common_bytes_per_16_pixels(const Frame& frame, const FramePass& pass) {
  std::uint64_t common = bytes_per_16_pixels(frame.surfaces[pass.writes]);
  for (const FrameRead& read : pass.reads) common = std::gcd(common, bytes_per_16_pixels(frame.surfaces[read.surface]));
  return common;
}

std::uint32_t line_vectors(const Surface& surface, const Resolution& resolution) {
  const std::uint64_t bytes = std::uint64_t{resolution.width} / surface.divided_by * surface.bytes_per_pixel;
  return static_cast<std::uint32_t>(bytes / pass_vector_bytes);
}

constexpr std::array curves_of_frames{&frames_probe::time, &frames_probe::moved, &frames_probe::bandwidth};

constexpr std::array<Resolution, 6> resolutions{
    {{1280, 720}, {1920, 1080}, {2560, 1440}, {3840, 2160}, {5120, 2880}, {7680, 4320}}};
/// Resolutions for CPUs, whose drivers move a hundredth of what a GPU does in the same time.
constexpr std::array<Resolution, 6> resolutions_of_a_cpu{
    {{640, 360}, {960, 540}, {1280, 720}, {1920, 1080}, {2560, 1440}, {3840, 2160}}};

std::vector<Resolution> resolutions_for(const device::DeviceInfo& device, Effort effort) {
  if (device.type == device::DeviceType::cpu) {
    const std::size_t count = effort == Effort::quick ? 2 : effort == Effort::normal ? 4 : resolutions_of_a_cpu.size();
    return {resolutions_of_a_cpu.begin(), resolutions_of_a_cpu.begin() + count};
  }
  if (effort == Effort::quick) return {resolutions[0], resolutions[1], resolutions[3]};
  return {resolutions.begin(), resolutions.end()};
}

/// A frame's working set is its textures and targets.
bool is_within_sizes(const Resolution& resolution, const Request& request) {
  return measure::is_asked_for(request, static_cast<double>(surface_bytes(request.frame, resolution)));
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (!known.empty() || request.frame.passes.empty()) return {};
  std::vector<Resolution> wanted = resolutions_for(device, request.effort);
  std::erase_if(wanted, [&request](const Resolution& one) { return !is_within_sizes(one, request); });
  // One resolution is asked for nevertheless, so that the record has the reason.
  if (wanted.empty()) wanted.push_back(resolutions_for(device, request.effort).front());
  std::vector<Point> points;
  for (const Resolution& one : wanted) {
    Point point = point_on(frames_probe::time, {.height = one.height, .width = one.width});
    point.expected_seconds = 0.2 + 5e-7 * static_cast<double>(one.pixels());
    points.push_back(point);
  }
  return points;
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

Workload frames_probe::prepare_frames(device::Device& device, const Point& point, const Request& request) {
  const Resolution resolution{.width = static_cast<std::uint32_t>(point.x.width.value()),
                              .height = static_cast<std::uint32_t>(point.x.height.value())};
  if (!is_within_sizes(resolution, request))
    throw device::Unsupported("--sizes leaves out all that it measures here: the textures and targets of a frame of " +
                              text_of(resolution) + " take " +
                              size_text(static_cast<double>(surface_bytes(request.frame, resolution))));
  return frames_of(device, request.frame, resolution, request.seed);
}

const Probe frames{
    .name = "frames",
    .question = "How long does a frame of a game keep the memory busy, and how does that grow with its resolution?",
    .curves = curves_of_frames,
    .obstacle = [](const device::DeviceInfo&) { return std::optional<std::string>(); },
    .next = next,
    .conclude = [](const Request&, std::span<const Measurement>) { return Conclusion{}; }};

}  // namespace sonde::probes
