#pragma once

#include "device/device.hpp"

// Text is laid out for the columns of a terminal. Every line ends with a line feed.
namespace sonde::summary {

/// The columns that a text takes: every letter printed here takes one.
std::size_t width_of(std::string_view text);

/// The text broken between words and indented, further lines by two blanks more. A unit stays with its number; "us"
/// becomes µs.
std::string wrapped(std::string_view text, int columns, std::size_t indent = 2);

/// A heading after an empty line: "Bandwidth through OpenCL, GB/s", "Simulated bandwidth, GB/s".
std::string heading(std::string_view what, device::Api api, std::string_view more, int columns);

/// " through OpenCL", "OpenCL: ": an API by its word in a record, between two texts; empty where it has no driver.
std::string driver_api(const std::string& record_name, const char* before, const char* after);

/// A number with three digits, no finer than hundredths: "0.94", "12.3", "30300"; with half the width of its interval.
std::string three_digits(double value);
std::string three_digits(double value, double half_width);

struct Column {
  std::string head;
  bool left = false;  ///< a column of words; numbers stand to the right
  int spare = 0;      ///< the column with the highest number is left out first where room is short; 0 never
};

/// Rows under heads, two blanks between columns. A column without any cell is left out. In a table that is too wide the
/// last column is wrapped where it is of words; other tables are printed in blocks, each with the columns that name
/// rows.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns, const std::vector<std::vector<std::string>>& rows = {})
      : columns_(std::move(columns)) {
    for (const std::vector<std::string>& cells : rows) add(cells);
  }

  /// Adds a row, a cell for each column; cells that are missing at the end are empty. " *" at a number's end stands
  /// beside its column.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(int columns) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

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
