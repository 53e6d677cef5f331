#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "commands/commands.hpp"

// Sizes have a file of their own, as the fuzzer reads them without the program's options and all that these name.
namespace sonde::commands {

std::uint64_t parse_size(const std::string& text) {
  const session::UsageError wrong("'" + text + "' is no size; write for example 4K, 64M or 1G (powers of 1024)");
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) throw wrong;
  double number = 0;
  // Exponents and hexadecimal digits are refused: 1e3 and 0x10 are rather mistyped than meant.
  const auto [rest, problem] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (problem != std::errc{}) throw wrong;
  std::string unit(rest);
  for (char& letter : unit) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  if (unit == "B") unit.clear();
  if (unit.size() > 1 && (unit.substr(1) == "B" || unit.substr(1) == "IB")) unit.resize(1);
  const std::string units = "KMGT";
  double factor = 1;
  if (!unit.empty()) {
    const auto power = units.find(unit);
    if (power == std::string::npos || unit.size() != 1) throw wrong;
    factor = std::pow(1024.0, static_cast<double>(power + 1));
  }
  const double bytes = number * factor;
  if (!(bytes >= 1) || bytes > 1e18) throw wrong;
  return static_cast<std::uint64_t>(bytes);
}

std::pair<std::uint64_t, std::uint64_t> parse_size_range(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos)
    throw session::UsageError("--sizes needs MIN:MAX, for example 4K:1G, not '" + text + "'");
  const std::uint64_t least = parse_size(text.substr(0, colon));
  const std::uint64_t most = parse_size(text.substr(colon + 1));
  if (least > most) throw session::UsageError("--sizes " + text + " has a minimum above its maximum");
  return {least, most};
}

}  // namespace sonde::commands
