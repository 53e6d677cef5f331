#include "summary/level_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "measure/level_agreement.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using measure::FoundLevel;
using measure::LevelOfTwo;

/// Cycles mean little without their clock.
std::string clock_of_cycles(std::span<const FoundLevel> levels, int columns) {
  const auto one = std::ranges::find_if(levels, [](const FoundLevel& level) { return level.cycles.has_value(); });
  if (one == levels.end()) return "";
  const double mhz = one->cycles->value / one->found.latency_ns.value * 1e3;
  return wrapped(fmt::format("Cycles are those of a clock of {:.0f} MHz.", mhz), columns);
}

std::string range(const analysis::Bracket& bracket) {
  return three_digits(bracket.low) + "–" + three_digits(bracket.high);
}

/// "31.5–33.0 KiB", "900 KiB–1.10 MiB".
std::string size_range(double low_bytes, double high_bytes) {
  std::string low = measure::size_text(low_bytes);
  const std::string high = measure::size_text(high_bytes);
  const std::size_t unit = low.find(' ');
  if (high.ends_with(low.substr(unit))) low.resize(unit);
  return low + "–" + high;
}

/// Levels have the numbers of their record; one that latency did not see has none among its levels.
std::vector<std::string> cells_of(const LevelOfTwo& row, bool of_latency) {
  const FoundLevel& sized = row.latency != nullptr ? *row.latency : *row.bandwidth;
  std::vector<std::string> cells{sized.name + (sized.found.may_be_translation ? ", or translation" : ""), "", "", ""};
  if (const auto& bytes = sized.found.bytes) {
    cells = {row.latency == nullptr && of_latency ? "-" : std::to_string(sized.level), measure::size_text(bytes->value),
             size_range(bytes->low, bytes->high), size_range(sized.found.onset_bytes, sized.found.end_bytes)};
  }
  const auto add = [&cells](const analysis::Bracket& bracket) {
    cells.insert(cells.end(), {three_digits(bracket.value), range(bracket)});
  };
  if (row.latency != nullptr) add(row.latency->found.latency_ns);
  cells.resize(6);
  if (row.bandwidth != nullptr) add(*row.bandwidth->gbps);
  cells.resize(8);
  if (row.latency != nullptr && row.latency->cycles) cells.push_back(three_digits(row.latency->cycles->value));
  return cells;
}

}  // namespace

std::string level_table(std::span<const FoundLevel> latency, std::span<const FoundLevel> bandwidth, int columns) {
  Table table({{.head = "level", .left = true},
               {.head = "size"},
               {.head = "between", .left = true},
               {.head = "edge", .left = true, .spare = 4},
               {.head = "ns"},
               {.head = "between", .left = true, .spare = 1},
               {.head = "GB/s"},
               {.head = "between", .left = true, .spare = 2},
               {.head = "cycles", .spare = 3}});
  std::optional<double> before_bytes;  // of the level of bandwidth in the row before
  for (const LevelOfTwo& row : measure::side_by_side(latency, bandwidth)) {
    std::vector<std::string> cells = cells_of(row, !latency.empty());
    // Bandwidth may see as one what latency sees as several: there is but one row "memory" or "beyond".
    if (row.latency == nullptr && !row.bandwidth->found.bytes && !latency.empty() && before_bytes)
      cells.front() = "beyond " + measure::size_text(*before_bytes);
    if (row.bandwidth != nullptr && row.bandwidth->found.bytes) before_bytes = row.bandwidth->found.bytes->value;
    table.add(cells);
  }
  return table.text(columns) + clock_of_cycles(latency, columns);
}

}  // namespace sonde::summary
