#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "analysis/number_text.hpp"
#include "measure/probe.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

struct AxisRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// The place of a value: 0 at low, 1 at high.
  double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

/// The round values 1, 2, 5, 10, 20, … between the limits.
std::vector<double> round_values(double low, double high) {
  std::vector<double> values;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (decade * factor >= low && decade * factor <= high) values.push_back(decade * factor);
    }
  }
  return values;
}

int cell(const AxisRange& range, double value, int cells) {
  return static_cast<int>(std::lround(range.share(value) * (cells - 1)));
}

std::string size_axis(const AxisRange& x, int columns, const std::string& margin) {
  std::string axis(static_cast<std::size_t>(columns) + 8, ' ');
  std::size_t free_from = 0;
  for (double power = std::ceil(x.low); power <= x.high + 1e-9; power += 2) {
    const std::string label = measure::size_text(std::exp2(power));
    const int middle = cell(x, power, columns);
    const auto start = static_cast<std::size_t>(std::max(0, middle - static_cast<int>(label.size()) / 2));
    if (start < free_from || start + label.size() > axis.size()) continue;
    axis.replace(start, label.size(), label);
    free_from = start + label.size() + 1;
  }
  axis.erase(axis.find_last_not_of(' ') + 1);
  return margin + axis + "\n";
}

}  // namespace

std::string chart(std::span<const ChartCurve> curves, int columns, int rows) {
  AxisRange x;
  AxisRange y;
  for (const ChartCurve& curve : curves) {
    for (const auto& [bytes, value] : curve.points) {
      if (bytes <= 0 || value <= 0) continue;
      x.include(std::log2(bytes));
      y.include(std::log10(value));
    }
  }
  if (!(y.high >= y.low)) return "";

  std::vector<std::vector<std::string>> cells(static_cast<std::size_t>(rows),
                                              std::vector<std::string>(static_cast<std::size_t>(columns), " "));
  for (const ChartCurve& curve : curves) {
    const std::string drawn = curve.colour.empty() ? curve.sign : "\033[" + curve.colour + "m" + curve.sign + "\033[0m";
    for (const auto& [bytes, value] : curve.points) {
      if (bytes <= 0 || value <= 0) continue;
      const int row = rows - 1 - cell(y, std::log10(value), rows);
      std::string& place =
          cells[static_cast<std::size_t>(row)][static_cast<std::size_t>(cell(x, std::log2(bytes), columns))];
      place = place == " " || place == drawn ? drawn : "◆";
    }
  }

  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const double value : round_values(std::pow(10, y.low), std::pow(10, y.high))) {
    labels[static_cast<std::size_t>(rows - 1 - cell(y, std::log10(value), rows))] = analysis::number_text(value, 4);
  }
  if (std::ranges::all_of(labels, &std::string::empty)) {
    // No round value lies in so narrow a range: its ends are labelled instead.
    labels.front() = analysis::number_text(std::pow(10, y.high), 4);
    labels.back() = analysis::number_text(std::pow(10, y.low), 4);
  }
  std::string text;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const std::string& label = labels[row];
    text += std::string(label.size() < 8 ? 8 - label.size() : 0, ' ') + label + (label.empty() ? " │" : " ┤");
    for (const std::string& one : cells[row]) text += one;
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  std::string line;
  for (int column = 0; column < columns; ++column) line += "─";
  return text + std::string(9, ' ') + "└" + line + "\n" + size_axis(x, columns, std::string(10, ' '));
}

}  // namespace sonde::summary
