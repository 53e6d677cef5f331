#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string_view>

#include "device/model/description.hpp"
#include "measure/frame.hpp"

namespace sonde::records {

/// An input file is wrong; the text is one sentence that names the file and the place in it.
struct InvalidFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text of a file that a person wrote, and its place, which the errors name.
struct JsonText {
  std::string text;
  std::string where;
};

/// Throws InvalidFile where the file cannot be read, or is larger than any that describes `what`.
[[nodiscard]] JsonText read_json_text(const std::filesystem::path& path, std::string_view what);

/// Throws InvalidFile, which names the line, where the text is no JSON.
[[nodiscard]] nlohmann::json parsed(const JsonText& file);

/// The text of a frame's file, or an InvalidFile, and of the built-in frame.
[[nodiscard]] JsonText read_frame_text(const std::filesystem::path& path);
[[nodiscard]] JsonText built_in_frame_text();

/// The frame that a text describes; docs/method/frames.md has its fields. Throws InvalidFile.
[[nodiscard]] measure::Frame parse_frame(const JsonText& text);

/// A frame as its file has it.
[[nodiscard]] nlohmann::json frame_json(const measure::Frame& frame);

using ModelText = JsonText;

/// The text of a model device's file, and of one that is part of the program. Both throw InvalidFile; the latter lists
/// the known names.
[[nodiscard]] ModelText read_model_text(const std::filesystem::path& path);
[[nodiscard]] ModelText built_in_model_text(std::string_view name);

/// The device that a text describes; docs/model-devices.md has its fields. Throws InvalidFile.
[[nodiscard]] device::model::Description parse_model(const ModelText& model);

[[nodiscard]] std::vector<std::string> built_in_model_names();

}  // namespace sonde::records
