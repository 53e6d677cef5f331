#include "records/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "built_in_frames.hpp"

namespace sonde::records {
namespace {

using measure::Frame;
using measure::FramePass;
using measure::FrameRead;
using measure::Surface;
using Document = nlohmann::json;

// These limits are more than renderers need; within them no dispatch is longer than watchdogs wait, and all fits the
// kernel's arguments.
constexpr std::size_t most_surfaces = 64;
constexpr std::size_t most_passes = 64;
constexpr std::size_t most_reads = 3;
constexpr std::uint32_t most_bytes_per_pixel = 64;
constexpr std::uint32_t most_times = 16;
constexpr std::uint64_t most_frames_of_a_texture = 64;
constexpr std::uint64_t most_bytes_per_pixel_of_a_pass = 256;

std::string in_quotes(const std::string& name) { return shown(Document(name)); }

std::size_t place_of(const Frame& frame, const std::string& name) {
  const auto found = std::ranges::find(frame.surfaces, name, &Surface::name);
  return static_cast<std::size_t>(found - frame.surfaces.begin());
}

bool is_written(const Frame& frame, std::size_t surface) {
  return std::ranges::any_of(frame.passes, [surface](const FramePass& pass) { return pass.writes == surface; });
}

bool is_read(const Frame& frame, std::size_t surface) {
  return std::ranges::any_of(frame.passes, [surface](const FramePass& pass) {
    return std::ranges::find(pass.reads, surface, &FrameRead::surface) != pass.reads.end();
  });
}

void read_surfaces(Fields& fields, std::string_view list, bool are_textures, Frame& frame) {
  fields.objects(list, [&](Fields& part, std::size_t, std::size_t) {
    part.require({"name", "bytes_per_pixel"});
    Surface surface{.is_texture = are_textures};
    part.text("name", surface.name);
    if (place_of(frame, surface.name) < frame.surfaces.size())
      part.complain("name", "must differ from that of any other texture or target, not be " + in_quotes(surface.name));
    part.whole("bytes_per_pixel", surface.bytes_per_pixel, 1, most_bytes_per_pixel);
    part.whole("divided_by", surface.divided_by, 1, 4);
    if (surface.divided_by == 3) part.complain("divided_by", "must be 1, 2 or 4, not 3");
    if (are_textures) part.whole("frames", surface.frames, 1, most_frames_of_a_texture);
    if (surface.bytes_per_16_pixels() % surface.frames != 0)
      part.complain("frames", "must divide the texture's " + std::to_string(surface.bytes_per_16_pixels()) +
                                  " bytes for each 16 pixels of the frame, and " + std::to_string(surface.frames) +
                                  " does not");
    frame.surfaces.push_back(surface);
    if (frame.surfaces.size() > most_surfaces)
      part.complain("name", "is that of one texture or target more than the 64 that a frame may have");
  });
}

void read_reads(Fields& fields, const Frame& frame, FramePass& pass) {
  fields.objects("reads", [&](Fields& part, std::size_t place, std::size_t) {
    part.require({"of"});
    if (place == most_reads) part.complain("of", "is one more than the 3 that a pass may read");
    std::string name;
    part.text("of", name);
    FrameRead read{.surface = place_of(frame, name)};
    if (read.surface == frame.surfaces.size())
      part.complain("of", "must name a texture or a target, and " + in_quotes(name) + " is none");
    if (!frame.surfaces[read.surface].is_texture && !is_written(frame, read.surface))
      part.complain("of", "must name what a pass before it writes, and none writes " + in_quotes(name));
    part.whole("times", read.times, 1, most_times);
    pass.reads.push_back(read);
  });
}

void read_writes(Fields& fields, const Frame& frame, FramePass& pass) {
  std::string name;
  fields.text("writes", name);
  pass.writes = place_of(frame, name);
  if (pass.writes == frame.surfaces.size() || frame.surfaces[pass.writes].is_texture)
    fields.complain("writes", "must name a target, and " + in_quotes(name) + " is none");
  if (is_written(frame, pass.writes))
    fields.complain("writes", "must name a target of its own, and another pass writes " + in_quotes(name));
}

void check_length(const Fields& fields, const Frame& frame, const FramePass& pass) {
  std::uint64_t bytes = frame.surfaces[pass.writes].bytes_per_16_pixels();
  for (const FrameRead& read : pass.reads) {
    const Surface& surface = frame.surfaces[read.surface];
    bytes += surface.bytes_per_16_pixels() / surface.frames * read.times;
  }
  if (bytes > 16 * most_bytes_per_pixel_of_a_pass)
    fields.complain("reads",
                    "must be less, as a pass may move 256 bytes for each pixel of the frame, and this one moves " +
                        fmt::format("{:g}", static_cast<double>(bytes) / 16));
}

void read_passes(Fields& fields, Frame& frame) {
  fields.objects("passes", [&frame](Fields& part, std::size_t place, std::size_t) {
    part.require({"name", "writes"});
    if (place == most_passes) part.complain("name", "is that of one pass more than the 64 that a frame may have");
    FramePass pass;
    part.text("name", pass.name);
    read_reads(part, frame, pass);
    read_writes(part, frame, pass);
    check_length(part, frame, pass);
    frame.passes.push_back(pass);
  });
}

/// Refuses surfaces that no pass touches: they would take memory for nothing, and are most likely names misspelt.
void check_all_is_used(const Fields& fields, const Frame& frame) {
  for (std::size_t surface = 0; surface < frame.surfaces.size(); ++surface) {
    const Surface& one = frame.surfaces[surface];
    if (one.is_texture && !is_read(frame, surface))
      fields.complain("textures", "must each be read, and no pass reads " + in_quotes(one.name));
    if (!one.is_texture && !is_written(frame, surface))
      fields.complain("targets", "must each be written, and no pass writes " + in_quotes(one.name));
  }
}

}  // namespace

JsonText built_in_frame_text() {
  const BuiltInFrame& frame = built_in_frames.front();
  return {.text = std::string(frame.text), .where = "the frame that is built in"};
}

Frame parse_frame(const JsonText& text) {
  const Document object = parsed(text);
  Fields fields(object, text.where, "");
  fields.require({"name", "targets", "passes"});
  Frame frame;
  fields.text("name", frame.name);
  read_surfaces(fields, "textures", true, frame);
  read_surfaces(fields, "targets", false, frame);
  read_passes(fields, frame);
  check_all_is_used(fields, frame);
  fields.refuse_others();
  return frame;
}

Document frame_json(const Frame& frame) {
  Document found{{"name", frame.name}};
  for (const Surface& surface : frame.surfaces) {
    Document one{
        {"name", surface.name}, {"bytes_per_pixel", surface.bytes_per_pixel}, {"divided_by", surface.divided_by}};
    if (surface.is_texture) one["frames"] = surface.frames;
    found[surface.is_texture ? "textures" : "targets"].push_back(one);
  }
  for (const FramePass& pass : frame.passes) {
    Document one{{"name", pass.name}, {"writes", frame.surfaces[pass.writes].name}};
    for (const FrameRead& read : pass.reads)
      one["reads"].push_back({{"of", frame.surfaces[read.surface].name}, {"times", read.times}});
    found["passes"].push_back(one);
  }
  return found;
}

}  // namespace sonde::records
