#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sonde::summary {

/// One curve of a small chart: (bytes, nanoseconds), and the sign that stands for its points.
struct ChartCurve {
  std::string name;
  std::string sign;
  std::string colour;  ///< an SGR code such as "36"; empty for none
  std::vector<std::pair<double, double>> points;
};

/// A chart of latency over working set in characters, both axes logarithmic; every line ends with a line feed.
std::string chart(std::span<const ChartCurve> curves, int columns, int rows);

}  // namespace sonde::summary
