#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace sonde::summary {

/// A line as printf writes it, cut at 255 bytes.
template <typename... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

}  // namespace sonde::summary
