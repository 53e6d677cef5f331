#pragma once

#include <deque>
#include <optional>
#include <string>

namespace sonde::summary {

/// One window of what is watched, as it is filled; empty where something is not known.
struct LiveWindow {
  double seconds = 0;  ///< since the beginning
  std::optional<double> fabric_gbps;
  std::optional<double> memory_gbps;
  std::optional<double> hit_rate;
  std::optional<double> cpu_latency_ns = {};  ///< shown where it is known
};

/// "57.1 GB/s" of a value times a factor, or "unknown".
std::string or_unknown(const std::optional<double>& value, const char* unit, double factor = 1);

/// What a watch shows while it goes on: on a terminal one line of rolling bars, that another program's output may come
/// between; elsewhere a plain line for each window.
class LiveTraffic {
 public:
  LiveTraffic(bool on_terminal, int columns) : on_terminal_(on_terminal), columns_(columns) {}

  /// What to send for one more window.
  std::string next(const LiveWindow& window);
  /// What to send at the end.
  [[nodiscard]] std::string end() const;

 private:
  bool on_terminal_;
  int columns_;
  std::deque<LiveWindow> shown_;
};

}  // namespace sonde::summary
