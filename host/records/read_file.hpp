#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "records/reader.hpp"

namespace sonde::records {

/// A record file's lines, unknown kinds left out. Throws InvalidFile with one sentence when the file cannot be read, is
/// no record file or has another schema. An unfinished last line is skipped and said so in `note`.
std::vector<Line> read_file(const std::filesystem::path& path, std::string& note);

/// The same of a file's text; `name` stands for the file in what is said.
std::vector<Line> read_records(std::string_view text, const std::string& name, std::string& note);

}  // namespace sonde::records
