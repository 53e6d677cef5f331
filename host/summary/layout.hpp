#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

// How text is laid out on a terminal so many columns wide. Every line ends with a line feed.
namespace sonde::summary {

/// Columns that a text takes: every letter printed here takes one.
std::size_t width_of(std::string_view text);

/// Broken between words, and indented by so many blanks, the further lines by two more. A unit stays with
/// its number; "us" becomes µs.
std::string wrapped(std::string_view text, int columns, std::size_t indent = 2);

/// After an empty line: "Bandwidth through OpenCL, GB/s", "Simulated bandwidth, GB/s".
std::string heading(std::string_view what, device::Api api, std::string_view more, int columns);

/// " through OpenCL" for the word of a record; empty where there is no driver between.
std::string through_api(const std::string& record_name);

/// A number with three digits, or all before the point where there are more; with half the width of its interval.
std::string three_digits(double value);
std::string three_digits(double value, double half_width);

struct Column {
  std::string head;
  bool left = false;  ///< words; numbers stand to the right
  int spare = 0;      ///< where there is no room the column with the highest number is left out; 0 never
};

/// Rows under heads, two blanks between columns. A column without any cell is left out. What is too wide has its last
/// column wrapped where that is of words, and is otherwise printed in blocks, each with what names the rows.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// A cell for each column; those that are missing at the end are empty. " *" at a number's end stands beside its
  /// column.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(int columns) const;

 private:
  /// The columns that name a row: the words before its numbers.
  [[nodiscard]] std::size_t keys_of(const std::vector<std::size_t>& shown) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sonde::summary
