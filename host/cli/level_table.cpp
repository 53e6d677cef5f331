#include "cli/level_table.hpp"

#include <array>
#include <cstdio>

namespace sonde::cli {
namespace {

std::string nanoseconds(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  return text.data();
}

std::string row(const std::string& level, const std::string& size, const std::string& size_range,
                const std::string& transition, const std::string& latency, const std::string& latency_range) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-8s %10s  %-22s %-24s %9s  %s", level.c_str(), size.c_str(),
                size_range.c_str(), transition.c_str(), latency.c_str(), latency_range.c_str());
  std::string line = text.data();
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string level_table(std::span<const measure::FoundLevel> levels) {
  std::string text = row("level", "size", "between", "left from - gone at", "ns", "between");
  for (const measure::FoundLevel& one : levels) {
    const analysis::Level& level = one.found;
    const std::string latency_range =
        nanoseconds(level.latency_ns.low) + " and " + nanoseconds(level.latency_ns.high);
    if (!level.bytes) {
      text += row("memory", "", "", "", nanoseconds(level.latency_ns.value), latency_range);
      continue;
    }
    text += row(std::to_string(one.level), measure::size_text(level.bytes->value),
                measure::size_text(level.bytes->low) + " and " + measure::size_text(level.bytes->high),
                measure::size_text(level.onset_bytes) + " - " + measure::size_text(level.end_bytes),
                nanoseconds(level.latency_ns.value), latency_range);
  }
  return text;
}

}  // namespace sonde::cli
