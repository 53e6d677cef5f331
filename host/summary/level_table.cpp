#include "summary/level_table.hpp"

#include <cmath>
#include <map>
#include <string>

#include "measure/level_agreement.hpp"
#include "summary/format.hpp"

namespace sonde::summary {
namespace {

using measure::FoundLevel;
using measure::LevelOfTwo;

std::string three_digits(double value) { return format(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value); }

struct Cells {
  std::string level;
  std::string size;
  std::string size_range;
  std::string transition;
  std::string latency;
  std::string latency_range;
  std::string bandwidth;
  std::string bandwidth_range;
  std::string cycles;
};

/// Which columns there are.
struct Columns {
  bool latency;
  bool bandwidth;
};

std::string line_of(const Cells& cells, Columns columns) {
  std::string line = format("  %-8s %10s  %-22s %-24s", cells.level.c_str(), cells.size.c_str(),
                            cells.size_range.c_str(), cells.transition.c_str());
  if (columns.latency) line += format(" %9s  %-18s", cells.latency.c_str(), cells.latency_range.c_str());
  if (columns.bandwidth) line += format(" %7s  %-15s", cells.bandwidth.c_str(), cells.bandwidth_range.c_str());
  line += " " + cells.cycles;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The last column's heading, where there is one: cycles mean little without their clock.
std::string cycles_heading(std::span<const FoundLevel> levels) {
  for (const FoundLevel& one : levels) {
    if (!one.cycles) continue;
    return "cycles at " + std::to_string(std::lround(one.cycles->value / one.found.latency_ns.value * 1e3)) + " MHz";
  }
  return "";
}

std::string range(const analysis::Bracket& bracket) {
  return three_digits(bracket.low) + " and " + three_digits(bracket.high);
}

/// What the last level is nobody can say where a path has too little room for more than caches, or where the curve is
/// still changing at its end: what may be so much slower holds one more level.
bool ends_before_memory(const FoundLevel& last) {
  constexpr double most_slower = 1.5;
  constexpr double most_faster = 2;
  const auto path = last.series.find("path");
  const bool short_path = path != last.series.end() && (path->second == "local" || path->second == "constant");
  const analysis::Bracket& band = last.gbps ? *last.gbps : last.found.latency_ns;
  const double up = band.high / band.value;
  const double down = band.value / band.low;
  return short_path || (last.gbps ? down : up) > most_slower || (last.gbps ? up : down) > most_faster;
}

/// Levels have the numbers of their record; one that latency did not see has none among its levels.
Cells cells_of(const LevelOfTwo& row, Columns columns) {
  const FoundLevel& sized = row.latency != nullptr ? *row.latency : *row.bandwidth;
  Cells cells{.level = ends_before_memory(sized) ? "beyond" : "memory"};
  if (const auto& bytes = sized.found.bytes) {
    cells.level = row.latency == nullptr && columns.latency ? "-" : std::to_string(sized.level);
    cells.size = measure::size_text(bytes->value);
    cells.size_range = measure::size_text(bytes->low) + " and " + measure::size_text(bytes->high);
    cells.transition = measure::size_text(sized.found.onset_bytes) + " - " + measure::size_text(sized.found.end_bytes);
  }
  if (row.latency != nullptr) {
    cells.latency = three_digits(row.latency->found.latency_ns.value);
    cells.latency_range = range(row.latency->found.latency_ns);
    if (row.latency->cycles) cells.cycles = three_digits(row.latency->cycles->value);
  }
  if (row.bandwidth != nullptr) {
    cells.bandwidth = three_digits(row.bandwidth->gbps->value);
    cells.bandwidth_range = range(*row.bandwidth->gbps);
  }
  return cells;
}

}  // namespace

std::string level_table(std::span<const FoundLevel> latency, std::span<const FoundLevel> bandwidth) {
  const Columns columns{.latency = !latency.empty(), .bandwidth = !bandwidth.empty()};
  std::string text = line_of({.level = "level",
                              .size = "size",
                              .size_range = "between",
                              .transition = "left from - gone at",
                              .latency = "ns",
                              .latency_range = "between",
                              .bandwidth = "GB/s",
                              .bandwidth_range = "between",
                              .cycles = cycles_heading(latency)},
                             columns);
  for (const LevelOfTwo& row : measure::side_by_side(latency, bandwidth))
    text += line_of(cells_of(row, columns), columns);
  return text;
}

}  // namespace sonde::summary
