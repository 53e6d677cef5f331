#include "measure/probe.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "analysis/statistics.hpp"

namespace sonde::measure {

bool is_asked_through(const Probe& probe, gpu::Api api) {
  return api == gpu::Api::model || probe.of_the_cpu == (api == gpu::Api::cpu);
}

double median_of(const Measurement& one) { return analysis::summarize(one.values).median; }

double six_digits(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

std::string size_text(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  // 1023.5 would be printed as 1024: it belongs to the next unit.
  while (bytes >= 1023.5 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  const bool whole = bytes >= 99.95 || bytes == static_cast<double>(static_cast<std::uint64_t>(bytes));
  const int digits = whole ? 0 : bytes >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, digits, units[unit]);
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds / 1e3);
  return fmt::format("{:.3g} ms", nanoseconds / 1e6);
}

std::string name_of(const Probe& probe, const Point& point) {
  std::string text(probe.name);
  for (const auto& [key, word] : point.series) text += " " + word;
  for (const auto& [key, value] : point.x) {
    if (key == "bytes") text += " " + size_text(value);
    if (key == "height") text += fmt::format(" {:g}x{:g}", point.x.at("width"), value);
    if (key == "groups")
      text += " by " + std::to_string(static_cast<long>(value)) + (value == 1 ? " group" : " groups");
  }
  return text;
}

}  // namespace sonde::measure
