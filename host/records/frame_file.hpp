#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "measure/frame.hpp"
#include "records/invalid_file.hpp"
#include "records/json_text.hpp"

namespace sonde::records {

/// The text of a frame's file, which throws InvalidFile, and of the one that is part of the program.
[[nodiscard]] JsonText read_frame_text(const std::filesystem::path& path);
[[nodiscard]] JsonText built_in_frame_text();

/// What the text says; docs/method/frames.md tells what may be in it. Throws InvalidFile.
[[nodiscard]] measure::Frame parse_frame(const JsonText& text);

/// A frame as its file has it.
[[nodiscard]] nlohmann::json frame_json(const measure::Frame& frame);

}  // namespace sonde::records
