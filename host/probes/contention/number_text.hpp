#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace sonde::probes {

/// "12.3 GB/s" for a sentence of evidence: three digits.
inline std::string number_text(double value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", value, unit);
  return text.data();
}

}  // namespace sonde::probes
