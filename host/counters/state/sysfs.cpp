#include "counters/state/sysfs.hpp"

#include <charconv>
#include <ranges>
#include <set>

#include "os/file.hpp"

namespace sonde::counters {

std::optional<std::string> read_text(const std::filesystem::path& file) { return os::read_bytes(file, 4096); }

std::optional<double> number_in(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(white)));
  text = text.substr(0, text.find_last_not_of(white) + 1);
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
  std::set<std::pair<double, std::filesystem::path>> found;
  std::error_code ignored;
  for (auto entry = std::filesystem::directory_iterator(folder, ignored);
       entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    const std::string entry_name = entry->path().filename().string();
    if (!entry_name.starts_with(name)) continue;
    const std::string_view digits = std::string_view(entry_name).substr(name.size());
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) continue;
    if (const auto number = number_in(digits)) found.emplace(*number, entry->path());
  }
  const auto paths = std::views::values(found);
  return {paths.begin(), paths.end()};
}

}  // namespace sonde::counters
