#include "measure/probe.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "analysis/statistics.hpp"

namespace sonde::measure {

bool is_asked_through(const Probe& probe, gpu::Api api) {
  return api == gpu::Api::model || probe.of_the_cpu == (api == gpu::Api::cpu);
}

double median_of(const Measurement& one) { return analysis::summarize(one.values).median; }

double six_digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return std::strtod(text.data(), nullptr);
}

std::string size_text(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  // 1023.5 would be printed as 1024: it belongs to the next unit.
  while (bytes >= 1023.5 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  const bool whole = bytes >= 99.95 || bytes == static_cast<double>(static_cast<std::uint64_t>(bytes));
  std::snprintf(text.data(), text.size(),
                whole            ? "%.0f %s"
                : bytes >= 9.995 ? "%.1f %s"
                                 : "%.2f %s",
                bytes, units[unit]);
  return text.data();
}

std::string name_of(const Probe& probe, const Point& point) {
  std::string text(probe.name);
  for (const auto& [key, word] : point.series) text += " " + word;
  for (const auto& [key, value] : point.x) {
    if (key == "bytes") text += " " + size_text(value);
    if (key == "groups")
      text += " by " + std::to_string(static_cast<long>(value)) + (value == 1 ? " group" : " groups");
  }
  return text;
}

}  // namespace sonde::measure
