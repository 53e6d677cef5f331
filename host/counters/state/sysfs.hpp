#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::counters {

/// The text of a small file; nothing where it cannot be read. Does not block.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// The number in a text that has nothing but white space besides; nothing for any other text.
std::optional<double> number_in(std::string_view text);

/// The number that a file holds.
std::optional<double> read_number(const std::filesystem::path& file);

/// The entries of a folder that are named `name` and a number ("hwmon" finds hwmon3), by number.
std::vector<std::filesystem::path> numbered(const std::filesystem::path& folder, std::string_view name);

}  // namespace sonde::counters
