#pragma once

#include <deque>
#include <optional>
#include <string>

namespace sonde::summary {

/// One window of a watch; a number is empty where it is not known.
struct LiveWindow {
  double seconds = 0;  ///< counted from the beginning of the watch
  std::optional<double> fabric_gbps;
  std::optional<double> memory_gbps;
  std::optional<double> hit_rate;
  std::optional<double> cpu_latency_ns = {};  ///< shown where it is known
};

/// The text of a value times a factor, "57.1 GB/s" or "unknown".
std::string or_unknown(const std::optional<double>& value, const char* unit, double factor = 1);

/// The display of a watch while it runs: on a terminal one line of rolling bars, into which another program may print;
/// elsewhere a plain line for each window.
class LiveTraffic {
 public:
  LiveTraffic(bool on_terminal, int columns) : on_terminal_(on_terminal), columns_(columns) {}

  /// The text to print for one more window.
  std::string next(const LiveWindow& window);
  /// The text to print at the end.
  [[nodiscard]] std::string end() const;

 private:
  bool on_terminal_;
  int columns_;
  std::deque<LiveWindow> shown_;
};

}  // namespace sonde::summary
