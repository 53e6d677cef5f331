#include "analysis/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sonde::analysis {

int decimals_of(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  // 9.996 becomes 10.0, not 10.00.
  const double rounded = std::round(std::abs(value) * std::pow(10, decimals)) / std::pow(10, decimals);
  return digits - 1 - static_cast<int>(std::floor(std::log10(rounded) + 1e-9));
}

std::string rounded_text(double value, int decimals, Written how) {
  const double unit = std::pow(10, std::max(-decimals, 0));
  const double rounded = decimals < 0 ? std::round(value / unit) * unit : value;
  std::array<char, 400> letters{};
  const auto end = std::to_chars(letters.data(), letters.data() + letters.size(), rounded, std::chars_format::fixed,
                                 std::max(decimals, 0));
  std::string text(letters.data(), end.ptr);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  if (how == Written::in_a_sentence) {
    if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  if (how == Written::in_a_table) return text;
  constexpr std::size_t group = 3;
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > sign + group;) text.insert(at -= group, ",");
  return text;
}

std::string number_text(double value, int digits, Written how) {
  return rounded_text(value, decimals_of(value, digits), how);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  return number_text(percent, std::abs(percent) < 10 ? 1 : percent < 100 ? 2 : 3) + " %";
}

}  // namespace sonde::analysis
