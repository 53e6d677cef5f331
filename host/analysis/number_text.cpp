#include "analysis/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace sonde::analysis {

std::string number_text(double value, int digits) {
  std::array<char, 400> text{};
  const auto written = [&text](double number, std::chars_format format, int precision) {
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number, format, precision).ptr;
    return std::string(text.data(), end);
  };
  std::string usual = written(value, std::chars_format::general, digits);
  if (usual.find('e') == std::string::npos) return usual;
  const double rounded = std::strtod(usual.c_str(), nullptr);
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-9));
  std::string plain = written(rounded, std::chars_format::fixed, decimals > 0 ? decimals : 0);
  if (decimals > 0) plain.erase(plain.find_last_not_of('0') + 1);
  return plain;
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  return number_text(percent, std::abs(percent) < 10 ? 1 : percent < 100 ? 2 : 3) + " %";
}

}  // namespace sonde::analysis
