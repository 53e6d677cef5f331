#include "summary/node_table.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "summary/layout.hpp"

namespace sonde::summary {

std::string node_table(const Results& results, const std::string& title, int columns) {
  std::map<int, std::map<int, const measure::Measurement*>> rows;
  std::set<int> memories;
  for (const auto& [series, samples] : results.samples) {
    if (!series.contains("placement")) continue;
    for (const measure::Measurement* one : samples) {
      const auto from = one->point.x.find("from");
      if (from == one->point.x.end() || one->unit == "cycles") continue;
      const int to = static_cast<int>(one->point.x.at("to"));
      rows[static_cast<int>(from->second)][to] = one;
      memories.insert(to);
    }
  }
  if (rows.empty()) return "";
  std::vector<Column> heads{{.head = "from the cores of", .left = true}};
  for (const int to : memories) heads.push_back({.head = fmt::format("memory of node {}", to)});
  Table table(heads);
  for (const auto& [from, row] : rows) {
    std::vector<std::string> cells{fmt::format("node {}", from)};
    for (const int to : memories) {
      const auto found = row.find(to);
      cells.push_back(median_cell(found == row.end() ? nullptr : found->second));
    }
    table.add(cells);
  }
  return "\n" + wrapped(title, columns) + table.text(columns);
}

}  // namespace sonde::summary
