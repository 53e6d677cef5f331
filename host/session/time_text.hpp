#pragma once

#include <algorithm>
#include <cmath>
#include <string>

namespace sonde::session {

/// "24 s", "3 min": as a person would say it.
inline std::string time_text(double seconds) {
  const long whole = std::lround(std::max(seconds, 1.0));
  return whole < 90 ? std::to_string(whole) + " s" : std::to_string((whole + 30) / 60) + " min";
}

}  // namespace sonde::session
