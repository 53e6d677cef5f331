#include "summary/frames_table.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

/// What was measured of one resolution, by its unit.
using ByUnit = std::map<std::string, const measure::Measurement*>;

std::string cell_of_unit(const ByUnit& row, const std::string& unit, double of_one = 1) {
  const auto found = row.find(unit);
  if (found == row.end()) return "";
  return marked(three_digits(measure::median_of(*found->second) / of_one), *found->second);
}

}  // namespace

std::string frames_table(const Results& frames, device::Api api, int columns) {
  std::map<std::pair<double, double>, ByUnit> rows;
  for (const auto& [series, samples] : frames.samples) {
    for (const measure::Measurement* one : samples)
      rows[{one->point.x.at("width"), one->point.x.at("height")}][one->unit] = one;
  }
  if (rows.empty()) return "";
  Table table({{.head = "resolution", .left = true}, {.head = "ms a frame"}, {.head = "MB a frame"}, {.head = "GB/s"}});
  for (const auto& [size, row] : rows) {
    table.add({fmt::format("{:g}x{:g}", size.first, size.second), cell_of_unit(row, "ms"),
               cell_of_unit(row, "bytes", 1e6), cell_of_unit(row, "GB/s")});
  }
  return heading("Frames", api, "", columns) + table.text(columns) +
         wrapped("MB and GB/s: what the passes of a frame read and write, from caches or from memory.", columns);
}

}  // namespace sonde::summary
