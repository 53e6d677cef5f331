#include "summary/live_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using Value = std::optional<double> LiveWindow::*;

constexpr std::array<const char*, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
/// The columns of a line that are not bars: three names and numbers.
constexpr int columns_of_words = 58;
constexpr int columns_of_latency = 22;
constexpr std::size_t most_bars = 20;

/// A bar for each window, of full height at `full`; a blank where nothing is known.
std::string bars_of(const std::deque<LiveWindow>& windows, Value value, double full) {
  std::string text;
  for (const LiveWindow& window : windows) {
    if (!(window.*value)) {
      text += " ";
      continue;
    }
    const double share = full > 0 ? std::clamp(*(window.*value) / full, 0.0, 1.0) : 0;
    text += bars[static_cast<std::size_t>(std::lround(share * (bars.size() - 1)))];
  }
  return text;
}

}  // namespace

std::string or_unknown(const std::optional<double>& value, const char* unit, double factor) {
  return value ? three_digits(*value * factor) + " " + unit : std::string("unknown");
}

std::string LiveTraffic::next(const LiveWindow& window) {
  const std::string fabric = or_unknown(window.fabric_gbps, "GB/s");
  const std::string memory = or_unknown(window.memory_gbps, "GB/s");
  const std::string hit_rate = or_unknown(window.hit_rate, "%", 100);
  const std::string latency =
      window.cpu_latency_ns ? "  CPU latency " + or_unknown(window.cpu_latency_ns, "ns") : std::string();
  if (!on_terminal_) {
    return fmt::format("{:8.2f} s  fabric {}  memory {}  hit rate {}{}\n", window.seconds, fabric, memory, hit_rate,
                       latency);
  }
  const int taken = columns_of_words + (latency.empty() ? 0 : columns_of_latency);
  const auto room = static_cast<std::size_t>(std::max(3, (columns_ - taken) / 3));
  shown_.push_back(window);
  while (shown_.size() > std::min(room, most_bars)) shown_.pop_front();
  // Both have one scale, so that the traffic that the cache kept from memory can be seen.
  double full = 0;
  for (const LiveWindow& one : shown_)
    full = std::max({full, one.fabric_gbps.value_or(0), one.memory_gbps.value_or(0)});
  return fmt::format("\r\033[Kfabric {} {}  memory {} {}  hit rate {} {}{}",
                     bars_of(shown_, &LiveWindow::fabric_gbps, full), fabric,
                     bars_of(shown_, &LiveWindow::memory_gbps, full), memory, bars_of(shown_, &LiveWindow::hit_rate, 1),
                     hit_rate, latency);
}

std::string LiveTraffic::end() const { return on_terminal_ && !shown_.empty() ? "\r\033[K" : ""; }

}  // namespace sonde::summary
