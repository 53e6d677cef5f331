// Files that describe a frame: what they say, every complaint, and the one that is built in.

#include "records/input_files.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sonde::records {
namespace {

using measure::Frame;

std::string complaint_about(const std::string& text) {
  try {
    (void)parse_frame({text, "x.json"});
  } catch (const InvalidFile& error) {
    return error.what();
  }
  return "none";
}

constexpr std::string_view example_frame = R"({
  "name": "example",
  "textures": [{"name": "stone", "bytes_per_pixel": 32, "divided_by": 2, "frames": 4}, {"name": "sky", "bytes_per_pixel": 1}],
  "targets": [{"name": "depth", "bytes_per_pixel": 4}, {"name": "small", "bytes_per_pixel": 8, "divided_by": 4}],
  "passes": [{"name": "one", "reads": [{"of": "stone"}, {"of": "sky", "times": 2}], "writes": "depth"},
             {"name": "two", "reads": [{"of": "depth", "times": 16}], "writes": "small"}]})";

/// The example, with one piece of its text replaced.
std::string example_with(const std::string& piece, const std::string& other) {
  std::string text(example_frame);
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), other);
}

TEST(FrameFile, ReadsEveryField) {
  const Frame frame = parse_frame({std::string(example_frame), "x.json"});
  EXPECT_EQ(frame.name, "example");
  ASSERT_EQ(frame.surfaces.size(), 4u);
  EXPECT_EQ(
      frame.surfaces[0],
      (measure::Surface{.name = "stone", .is_texture = true, .bytes_per_pixel = 32, .divided_by = 2, .frames = 4}));
  EXPECT_EQ(frame.surfaces[1], (measure::Surface{.name = "sky", .is_texture = true, .bytes_per_pixel = 1}));
  EXPECT_EQ(frame.surfaces[3], (measure::Surface{.name = "small", .bytes_per_pixel = 8, .divided_by = 4}));
  ASSERT_EQ(frame.passes.size(), 2u);
  EXPECT_EQ(frame.passes[0], (measure::FramePass{.name = "one", .reads = {{0, 1}, {1, 2}}, .writes = 2}));
  EXPECT_EQ(frame.passes[1], (measure::FramePass{.name = "two", .reads = {{2, 16}}, .writes = 3}));
}

TEST(FrameFile, IsWrittenAsItIsRead) {
  for (const JsonText& text : {JsonText{std::string(example_frame), "x.json"}, built_in_frame_text()}) {
    const Frame frame = parse_frame(text);
    EXPECT_EQ(parse_frame({frame_json(frame).dump(), "again"}), frame);
  }
}

TEST(FrameFile, TheBuiltInOneIsValid) { EXPECT_EQ(parse_frame(built_in_frame_text()).name, "deferred rendering"); }

TEST(FrameFile, EveryComplaintIsOneSentenceThatNamesTheField) {
  EXPECT_EQ(complaint_about(std::string(example_frame)), "none");
  EXPECT_EQ(complaint_about("{"), "x.json: line 1 is not valid JSON");
  EXPECT_EQ(complaint_about("[]"), "x.json: the file must be an object, not an array");
  EXPECT_EQ(complaint_about(example_with("\"name\": \"example\",", "")), "x.json: name is missing");
  EXPECT_EQ(complaint_about(example_with("\"name\": \"example\",", "\"name\": \"x\", \"colour\": 1,")),
            "x.json: colour is not a field that is known here");
  EXPECT_EQ(complaint_about(example_with("\"bytes_per_pixel\": 32", "\"bytes_per_pixel\": 65")),
            "x.json: textures[0].bytes_per_pixel must be at most 64, not 65");
  EXPECT_EQ(complaint_about(example_with("\"bytes_per_pixel\": 4}", "\"bytes_per_pixel\": 0}")),
            "x.json: targets[0].bytes_per_pixel must be at least 1, not 0");
  EXPECT_EQ(complaint_about(example_with("\"bytes_per_pixel\": 4}", "\"frames\": 2, \"bytes_per_pixel\": 4}")),
            "x.json: targets[0].frames is not a field that is known here");
  EXPECT_EQ(complaint_about(example_with("\"divided_by\": 4", "\"divided_by\": 3")),
            "x.json: targets[1].divided_by must be 1, 2 or 4, not 3");
  EXPECT_EQ(
      complaint_about(example_with("\"frames\": 4", "\"frames\": 48")),
      "x.json: textures[0].frames must divide the texture's 128 bytes for each 16 pixels of the frame, and 48 does "
      "not");
  EXPECT_EQ(complaint_about(example_with("\"name\": \"small\"", "\"name\": \"stone\"")),
            "x.json: targets[1].name must differ from that of any other texture or target, not be \"stone\"");
  EXPECT_EQ(complaint_about(example_with("\"of\": \"stone\"", "\"of\": \"wood\"")),
            "x.json: passes[0].reads[0].of must name a texture or a target, and \"wood\" is none");
  EXPECT_EQ(complaint_about(example_with("\"of\": \"stone\"", "\"of\": \"small\"")),
            "x.json: passes[0].reads[0].of must name what a pass before it writes, and none writes \"small\"");
  EXPECT_EQ(complaint_about(example_with("\"of\": \"depth\"", "\"of\": \"small\"")),
            "x.json: passes[1].reads[0].of must name what a pass before it writes, and none writes \"small\"");
  EXPECT_EQ(complaint_about(example_with("\"times\": 16", "\"times\": 17")),
            "x.json: passes[1].reads[0].times must be at most 16, not 17");
  EXPECT_EQ(complaint_about(example_with("\"writes\": \"small\"", "\"writes\": \"sky\"")),
            "x.json: passes[1].writes must name a target, and \"sky\" is none");
  EXPECT_EQ(complaint_about(example_with("\"writes\": \"small\"", "\"writes\": \"depth\"")),
            "x.json: passes[1].writes must name a target of its own, and another pass writes \"depth\"");
  EXPECT_EQ(complaint_about(example_with("{\"of\": \"sky\", \"times\": 2}",
                                         "{\"of\": \"sky\"}, {\"of\": \"sky\"}, {\"of\": \"sky\"}")),
            "x.json: passes[0].reads[3].of is one more than the 3 that a pass may read");
  EXPECT_EQ(complaint_about(example_with(
                "{\"name\": \"depth\", \"bytes_per_pixel\": 4}",
                "{\"name\": \"depth\", \"bytes_per_pixel\": 4}, {\"name\": \"y\", \"bytes_per_pixel\": 4}")),
            "x.json: targets must each be written, and no pass writes \"y\"");
  EXPECT_EQ(complaint_about(example_with(", {\"of\": \"sky\", \"times\": 2}", "")),
            "x.json: textures must each be read, and no pass reads \"sky\"");
  EXPECT_EQ(
      complaint_about(example_with("{\"name\": \"depth\", \"bytes_per_pixel\": 4}",
                                   "{\"name\": \"depth\", \"bytes_per_pixel\": 16}")),
      "x.json: passes[1].reads must be less, as a pass may move 256 bytes for each pixel of the frame, and this one "
      "moves 256.5");
}

TEST(FrameFile, HasNoMoreSurfacesAndPassesThanAFrameMay) {
  std::string targets;
  std::string passes;
  for (int i = 0; i < 65; ++i) {
    const std::string name = "\"t" + std::to_string(i) + "\"";
    targets += std::string(i > 0 ? "," : "") + "{\"name\": " + name + ", \"bytes_per_pixel\": 4}";
    passes += std::string(i > 0 ? "," : "") + "{\"name\": " + name + ", \"writes\": " + name + "}";
  }
  EXPECT_EQ(complaint_about("{\"name\": \"x\", \"targets\": [" + targets + "], \"passes\": [" + passes + "]}"),
            "x.json: targets[64].name is that of one texture or target more than the 64 that a frame may have");
}

}  // namespace
}  // namespace sonde::records
