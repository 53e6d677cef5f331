// Question: how long does the memory take for the frames of a game, and how does that grow with their resolution?
//
// Experiment: a frame is a list of passes, as a renderer makes them: each reads textures and targets that passes before
// it have written, and writes a target of its own. A file describes it; frames/deferred.json is the one that is built
// in. Passes move as many bytes as the file says and compute next to nothing, so that the time is the memory's. Whole
// frames are rendered again and again at each resolution. Every byte of a target is another in every frame.
//
// How to read the curve: twice the pixels are twice the bytes, and take twice the time as long as the same part of them
// comes from caches. Where the targets outgrow the last cache, milliseconds a frame grow faster than pixels, and
// gigabytes a second fall to what the memory behind it delivers. A small frame is slower than its bytes: each pass
// begins and ends.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "probes/catalog.hpp"
#include "probes/frames/passes.hpp"
#include "probes/frames/renderer.hpp"

namespace sonde::probes {
namespace {

constexpr std::array<Resolution, 6> resolutions{
    {{1280, 720}, {1920, 1080}, {2560, 1440}, {3840, 2160}, {5120, 2880}, {7680, 4320}}};
/// Whose drivers move a hundredth of what a GPU does in the same time.
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
  // One is asked for nevertheless, so that the record has the reason.
  if (wanted.empty()) wanted.push_back(resolutions_for(device, request.effort).front());
  std::vector<Point> points;
  for (const Resolution& one : wanted) {
    points.push_back({.series = {},
                      .x = {{"width", one.width}, {"height", one.height}},
                      .expected_seconds = 0.2 + 5e-7 * static_cast<double>(one.pixels())});
  }
  return points;
}

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  const Resolution resolution{.width = static_cast<std::uint32_t>(point.x.at("width")),
                              .height = static_cast<std::uint32_t>(point.x.at("height"))};
  if (!is_within_sizes(resolution, request))
    throw device::Unsupported("--sizes leaves out all that it measures here: the textures and targets of a frame of " +
                           text_of(resolution) + " take " +
                           size_text(static_cast<double>(surface_bytes(request.frame, resolution))));
  return frames_of(device, request.frame, resolution, request.seed);
}

}  // namespace

const Probe frames{
    .name = "frames",
    .question = "How long does a frame of a game keep the memory busy, and how does that grow with its resolution?",
    .obstacle = [](const device::DeviceInfo&) { return std::optional<std::string>(); },
    .next = next,
    .prepare = prepare,
    .conclude = [](const Request&, std::span<const Measurement>) { return Conclusion{}; }};

}  // namespace sonde::probes
