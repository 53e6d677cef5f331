#include "counters/state/sysfs.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "os/file.hpp"

namespace sonde::counters {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = 4096;
  return os::read_bytes(file, most_bytes);
}

std::optional<double> number_in(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(white) + 1 - first);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  // "inf" and "nan" are numbers to from_chars.
  if (error != std::errc{} || end != text.data() + text.size() || !(number > -1e18 && number < 1e18))
    return std::nullopt;
  return number;
}

std::optional<double> read_number(const std::filesystem::path& file) {
  const auto text = os::read_bytes(file, 64);
  return text ? number_in(*text) : std::nullopt;
}

std::vector<std::filesystem::path> numbered(const std::filesystem::path& folder, std::string_view name) {
  std::vector<std::pair<double, std::filesystem::path>> found;
  std::error_code ignored;
  for (auto entry = std::filesystem::directory_iterator(folder, ignored);
       entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    const std::string entry_name = entry->path().filename().string();
    if (!entry_name.starts_with(name)) continue;
    const std::string_view digits = std::string_view(entry_name).substr(name.size());
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) continue;
    if (const auto number = number_in(digits)) found.emplace_back(*number, entry->path());
  }
  std::ranges::sort(found);
  std::vector<std::filesystem::path> paths;
  for (const auto& [number, path] : found) paths.push_back(path);
  return paths;
}

}  // namespace sonde::counters
