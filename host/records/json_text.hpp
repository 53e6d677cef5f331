#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace sonde::records {

/// What a person wrote in a file, and where it stands, which the errors name.
struct JsonText {
  std::string text;
  std::string where;
};

/// Throws InvalidFile where the file cannot be read, or is larger than any that describes `what`.
[[nodiscard]] JsonText read_json_text(const std::filesystem::path& path, std::string_view what);

/// Throws InvalidFile, which names the line, where the text is no JSON.
[[nodiscard]] nlohmann::json parsed(const JsonText& file);

}  // namespace sonde::records
