// How long does the memory take for the frames of a game, and how does that grow with their resolution?
// docs/method/frames.md explains it.

#include <array>
#include <numeric>

#include "measure/asked_sizes.hpp"
#include "probes/catalog.hpp"
#include "probes/frames/frames.hpp"

namespace sonde::probes {
namespace frames_probe {
namespace {

/// Bytes that one frame reads or writes of a surface.
std::uint64_t bytes_per_16_pixels(const Surface& surface) { return surface.bytes_per_16_pixels() / surface.frames; }

constexpr std::array curves{&time, &moved, &bandwidth};

/// A resolution of the first look, and five times as long one of a closer look, take no longer.
constexpr double most_seconds_at_first = 0.5;

/// All resolutions, in the order of their worth.
constexpr std::array<Resolution, 8> resolutions{
    {{1920, 1080}, {3840, 2160}, {1280, 720}, {2560, 1440}, {960, 540}, {640, 360}, {5120, 2880}, {7680, 4320}}};

/// CPUs' drivers move a hundredth of what a GPU does in the same time; a simulation's host takes longer still.
double seconds_of(const device::DeviceInfo& device, const Resolution& resolution) {
  const double seconds_a_pixel = device.type == device::DeviceType::model ? 1e-5
                                 : device.type == device::DeviceType::cpu ? 5e-7
                                                                          : 1e-8;
  return 0.2 + seconds_a_pixel * static_cast<double>(resolution.pixels());
}

/// A frame's working set is its textures and targets.
bool is_within_sizes(const Resolution& resolution, const Request& request) {
  return measure::is_asked_for(request, static_cast<double>(surface_bytes(request.frame, resolution)));
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (request.frame.passes.empty()) return {};
  std::vector<Point> points;
  for (const Resolution& one : resolutions) {
    if (is_within_sizes(one, request))
      points.push_back(point_on(time, {.height = one.height, .width = one.width}, {}, seconds_of(device, one)));
  }
  // One resolution is asked for nevertheless, so that the record has the reason.
  if (points.empty()) {
    const auto& [width, height] = resolutions.front();
    points.push_back(point_on(time, {.height = height, .width = width}, {}, seconds_of(device, resolutions.front())));
  }
  const double cheapest = std::ranges::min(points, {}, &Point::expected_seconds).expected_seconds;
  const auto costing_at_most = [&](double seconds) {
    std::vector<Point> some = points;
    std::erase_if(some, [&](const Point& one) { return one.expected_seconds > std::max(seconds, cheapest); });
    return some;
  };
  return measure::first_new_points(
      request, known,
      [&] { return at_first(request, [&] { return std::vector{costing_at_most(most_seconds_at_first).front()}; }); },
      [&] {
        if (asks_for_sizes(request) || request.look == Look::closest) return points;
        return costing_at_most(by_look(request.look, 1, 5, 0) * most_seconds_at_first);
      });
}

}  // namespace

std::uint64_t part_vectors_of(const Surface& surface, const Resolution& resolution) {
  return resolution.pixels() * bytes_per_16_pixels(surface) / 16 / pass_vector_bytes;
}

std::uint64_t vectors_of(const Surface& surface, const Resolution& resolution) {
  return part_vectors_of(surface, resolution) * surface.frames;
}

std::vector<PassWork> passes_of(const Frame& frame, const Resolution& resolution) {
  std::vector<PassWork> works;
  for (const FramePass& pass : frame.passes) {
    const auto bytes_of = [&](std::size_t surface) { return bytes_per_16_pixels(frame.surfaces[surface]); };
    // There are as many items as can each have whole rows of every surface.
    std::uint64_t common = bytes_of(pass.writes);
    for (const FrameRead& read : pass.reads) common = std::gcd(common, bytes_of(read.surface));
    const auto rows_of = [&](std::size_t surface) { return static_cast<std::uint32_t>(bytes_of(surface) / common); };
    PassWork work{.inputs = {},
                  .target = pass.writes,
                  .items = static_cast<std::uint32_t>(resolution.pixels() * common / 16 / pass_vector_bytes),
                  .rows = rows_of(pass.writes)};
    for (const FrameRead& read : pass.reads) {
      const Surface& surface = frame.surfaces[read.surface];
      const std::uint64_t line_bytes = std::uint64_t{resolution.width} / surface.divided_by * surface.bytes_per_pixel;
      const auto line_vectors = static_cast<std::uint32_t>(line_bytes / pass_vector_bytes);
      work.inputs.push_back({read, rows_of(read.surface), line_vectors});
    }
    works.push_back(work);
  }
  return works;
}

std::uint64_t moved_bytes(const Frame& frame, const Resolution& resolution) {
  std::uint64_t bytes = 0;
  for (const PassWork& work : passes_of(frame, resolution)) {
    std::uint64_t vectors = work.rows;
    for (const PassInput& input : work.inputs) vectors += std::uint64_t{input.rows} * input.times;
    bytes += vectors * work.items * pass_vector_bytes;
  }
  return bytes;
}

std::uint64_t surface_bytes(const Frame& frame, const Resolution& resolution) {
  std::uint64_t bytes = 0;
  for (const Surface& surface : frame.surfaces) bytes += vectors_of(surface, resolution) * pass_vector_bytes;
  return bytes;
}

Workload prepare_frames(device::Device& device, const Point& point, const Request& request) {
  const Resolution resolution{.width = static_cast<std::uint32_t>(point.x.width.value()),
                              .height = static_cast<std::uint32_t>(point.x.height.value())};
  if (!is_within_sizes(resolution, request))
    throw device::Unsupported("--sizes leaves out all that it measures here: the textures and targets of a frame of " +
                              text_of(resolution) + " take " +
                              size_text(static_cast<double>(surface_bytes(request.frame, resolution))));
  return frames_of(device, request.frame, resolution, request.seed);
}

}  // namespace frames_probe

const Probe frames{
    .name = "frames",
    .question = "How long does a frame of a game keep the memory busy, and how does that grow with its resolution?",
    .curves = frames_probe::curves,
    .next = frames_probe::next,
    .conclude = [](const Request&, std::span<const Measurement>) { return Conclusion{}; }};

}  // namespace sonde::probes
