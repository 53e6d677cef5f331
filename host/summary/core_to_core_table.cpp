#include "summary/core_to_core_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

constexpr std::size_t most_cpus_of_a_matrix = 16;

/// Samples of all placements together, by the CPUs from and to which they went.
using Matrix = std::map<int, std::map<int, const measure::Measurement*>>;

Matrix matrix_of(const Results& results, const std::string& exchange) {
  Matrix matrix;
  for (const auto& [series, samples] : results.samples) {
    const auto word = series.find("exchange");
    if (word == series.end() || word->second != exchange) continue;
    for (const measure::Measurement* one : samples) {
      const auto cpu = [one](const char* end) { return static_cast<int>(one->point.x.at(end)); };
      if (one->unit == "ns" && !one->point.x.contains("address")) matrix[cpu("from")][cpu("to")] = one;
    }
  }
  return matrix;
}

/// The CPUs of either end, in the order of the machine, which is that of the points.
std::vector<int> cpus_of(const Matrix& matrix) {
  std::vector<int> cpus;
  const auto add = [&cpus](int cpu) {
    if (std::ranges::find(cpus, cpu) == cpus.end()) cpus.push_back(cpu);
  };
  for (const auto& [from, row] : matrix) add(from);
  for (const auto& [from, row] : matrix) {
    for (const auto& [to, one] : row) add(to);
  }
  return cpus;
}

std::string text_of(const Matrix& matrix, int columns) {
  const std::vector<int> cpus = cpus_of(matrix);
  if (cpus.size() > most_cpus_of_a_matrix) {
    return wrapped(fmt::format("The numbers of {} CPUs are in the record; sonde report draws them.", cpus.size()),
                   columns);
  }
  std::vector<Column> heads{{.head = "from", .left = true}};
  for (const int to : cpus) heads.push_back({.head = fmt::format("to CPU {}", to)});
  Table table(heads);
  for (const auto& [from, row] : matrix) {
    std::vector<std::string> cells{fmt::format("CPU {}", from)};
    for (const int to : cpus) {
      const auto found = row.find(to);
      cells.push_back(median_cell(found == row.end() ? nullptr : found->second));
    }
    table.add(cells);
  }
  return table.text(columns);
}

}  // namespace

std::string core_to_core_table(const Results& core_to_core, int columns) {
  std::string text;
  for (const char* exchange : {"compare-and-swap", "store"}) {
    const Matrix matrix = matrix_of(core_to_core, exchange);
    if (matrix.empty()) continue;
    const std::string way = exchange == std::string("store") ? "stores to two lines" : exchange;
    text +=
        "\n" + wrapped("Round trip of a cache line from core to core by " + way + ", ns: medians over lines", columns);
    text += text_of(matrix, columns);
  }
  if (!text.empty()) text += "\n";
  for (const measure::Finding& finding : core_to_core.findings) text += wrapped(finding.evidence, columns);
  return text;
}

}  // namespace sonde::summary
