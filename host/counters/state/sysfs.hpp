#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::counters {

/// The text of a small file; nothing where it cannot be read. Never waits.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// A number with nothing but white space around it; nothing for any other text.
std::optional<double> number_in(std::string_view text);

/// The number that a file holds.
std::optional<double> read_number(const std::filesystem::path& file);

/// What is in a folder and whose name begins so and goes on with digits: "hwmon" finds hwmon3. By number.
std::vector<std::filesystem::path> numbered(const std::filesystem::path& folder, std::string_view name);

}  // namespace sonde::counters
