#include "cli/level_table.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace sonde::cli {
namespace {

std::string three_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  return text.data();
}

std::string row(const std::string& level, const std::string& size, const std::string& size_range,
                const std::string& transition, const std::string& latency, const std::string& latency_range,
                const std::string& cycles) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "  %-8s %10s  %-22s %-24s %9s  %-18s %s", level.c_str(), size.c_str(),
                size_range.c_str(), transition.c_str(), latency.c_str(), latency_range.c_str(), cycles.c_str());
  std::string line = text.data();
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The last column's heading, where there is one: cycles mean little without their clock.
std::string cycles_heading(std::span<const measure::FoundLevel> levels) {
  for (const measure::FoundLevel& one : levels) {
    if (!one.cycles) continue;
    return "cycles at " + std::to_string(std::lround(one.cycles->value / one.found.latency_ns.value * 1e3)) + " MHz";
  }
  return "";
}

}  // namespace

std::string level_table(std::span<const measure::FoundLevel> levels) {
  std::string text = row("level", "size", "between", "left from - gone at", "ns", "between", cycles_heading(levels));
  for (const measure::FoundLevel& one : levels) {
    const analysis::Level& level = one.found;
    const std::string latency_range =
        three_digits(level.latency_ns.low) + " and " + three_digits(level.latency_ns.high);
    const std::string cycles = one.cycles ? three_digits(one.cycles->value) : "";
    if (!level.bytes) {
      text += row("memory", "", "", "", three_digits(level.latency_ns.value), latency_range, cycles);
      continue;
    }
    text += row(std::to_string(one.level), measure::size_text(level.bytes->value),
                measure::size_text(level.bytes->low) + " and " + measure::size_text(level.bytes->high),
                measure::size_text(level.onset_bytes) + " - " + measure::size_text(level.end_bytes),
                three_digits(level.latency_ns.value), latency_range, cycles);
  }
  return text;
}

}  // namespace sonde::cli
