#include <algorithm>
#include <ranges>

#include "summary/first_screen.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using measure::Quantity;

/// A table's cells, and heads that may stand above several columns.
struct Grid {
  struct Head {
    std::size_t first;    ///< its first column
    std::size_t columns;  ///< how many it stands above
    std::string text;
  };
  std::vector<Head> heads;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> left;
  std::vector<std::size_t> gaps;  ///< blanks before each column

  [[nodiscard]] std::vector<std::string> lines() const;
};

std::vector<std::string> Grid::lines() const {
  std::vector<std::size_t> widths(left.size());
  for (const auto& cells : rows) {
    for (std::size_t column = 0; column < cells.size(); ++column)
      widths[column] = std::max(widths[column], width_of(cells[column]));
  }
  std::string above;
  std::size_t begin = 0;
  for (const Head& head : heads) {
    for (std::size_t column = head.first; column < head.first + head.columns; ++column) begin += gaps[column];
    std::size_t room = 0;
    for (std::size_t column = head.first; column < head.first + head.columns; ++column) room += widths[column];
    // A head that is wider than its columns makes the first wider.
    const std::size_t more = width_of(head.text) - std::min(width_of(head.text), room);
    widths[head.first] += more;
    begin += room + more;
    const std::size_t at = begin - room - more;
    above += std::string(at - std::min(at, width_of(above)), ' ') + head.text;
  }
  std::vector<std::string> texts{above};
  for (const auto& cells : rows) {
    std::string text;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (widths[column] == 0) continue;
      const std::string blanks(widths[column] - width_of(cells[column]), ' ');
      text += std::string(gaps[column], ' ') + (left[column] ? cells[column] + blanks : blanks + cells[column]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    texts.push_back(text);
  }
  return texts;
}

std::string latency_cell(const LevelRow& row, device::Api api) {
  const auto cells = row.apis.find(api);
  if (cells == row.apis.end() || cells->second.latency == nullptr) return "";
  const analysis::Level& level = cells->second.latency->found;
  return level.is_unfinished ? "> " + significant(level.latency_ns.value)
                             : cell_with_interval(level.latency_ns, Quantity::rate);
}

std::string bandwidth_cell(const LevelRow& row, device::Api api) {
  const auto cells = row.apis.find(api);
  if (cells == row.apis.end() || cells->second.bandwidth == nullptr) return "";
  return cell_with_interval(*cells->second.bandwidth->gbps, Quantity::rate);
}

std::vector<device::Api> apis_with(std::span<const LevelRow> rows, std::string (*cell)(const LevelRow&, device::Api)) {
  std::vector<device::Api> apis;
  for (const device::Api api : apis_of_rows) {
    if (std::ranges::any_of(rows, [&](const LevelRow& row) { return !cell(row, api).empty(); })) apis.push_back(api);
  }
  return apis;
}

std::string size_cell(const LevelRow& row) { return row.bytes ? measure::size_text(row.bytes->value) : ""; }

/// A row a level, the APIs beside each other.
Grid wide_table(std::span<const LevelRow> rows) {
  const std::vector<device::Api> latency = apis_with(rows, latency_cell);
  const std::vector<device::Api> bandwidth = apis_with(rows, bandwidth_cell);
  Grid grid{
      .heads = {{0, 1, ""}, {1, 2, "size"}}, .rows = {{"", "", ""}}, .left = {true, false, true}, .gaps = {0, 2, 1}};
  const auto add_heads = [&grid](const std::vector<device::Api>& apis, const char* head) {
    if (!apis.empty()) grid.heads.push_back({grid.left.size(), apis.size(), head});
    for (const device::Api api : apis) {
      grid.rows[0].push_back(records::spoken_name(api));
      grid.left.push_back(false);
      grid.gaps.push_back(2);
    }
  };
  add_heads(latency, "latency, ns");
  add_heads(bandwidth, "read, GB/s");
  grid.heads.push_back({grid.left.size(), 1, "sure"});
  grid.rows[0].emplace_back("");
  grid.left.push_back(true);
  grid.gaps.push_back(2);
  // One API is named above the table.
  if (latency.size() <= 1 && bandwidth.size() <= 1) grid.rows.clear();
  for (const LevelRow& row : rows) {
    std::vector<std::string> cells{row.name, size_cell(row), row.bytes ? size_interval(*row.bytes) : ""};
    for (const device::Api api : latency) cells.push_back(latency_cell(row, api));
    for (const device::Api api : bandwidth) cells.push_back(bandwidth_cell(row, api));
    cells.push_back(row.sure);
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

/// The same folded: of each level an API a row, and the size's interval below it.
Grid folded_table(std::span<const LevelRow> rows) {
  Grid grid{.heads = {{0, 1, ""}, {1, 1, "size"}, {2, 1, ""}, {3, 1, "ns"}, {4, 1, "GB/s"}, {5, 1, "sure"}},
            .rows = {},
            .left = {true, true, true, false, false, true},
            .gaps = {0, 2, 2, 2, 2, 2}};
  for (const LevelRow& row : rows) {
    const std::size_t first = grid.rows.size();
    for (const auto& [api, levels] : row.apis) {
      const std::string latency = latency_cell(row, api);
      const std::string bandwidth = bandwidth_cell(row, api);
      if (!latency.empty() || !bandwidth.empty())
        grid.rows.push_back({"", "", records::spoken_name(api), latency, bandwidth, ""});
    }
    const std::string range = row.bytes ? size_interval(*row.bytes) : "";
    // Who told of the level stands below how sure it is.
    const std::size_t part = std::min(row.sure.find("; "), row.sure.size());
    const std::string teller = row.sure.substr(std::min(part + 2, row.sure.size()));
    grid.rows.resize(std::max(grid.rows.size(), first + (range.empty() && teller.empty() ? 1 : 2)),
                     std::vector<std::string>(6));
    grid.rows[first][0] = row.name;
    grid.rows[first][1] = size_cell(row);
    grid.rows[first][5] = row.sure.substr(0, part);
    if (!teller.empty()) grid.rows[first + 1][5] = teller;
    if (!range.empty()) grid.rows[first + 1][1] = range;
  }
  return grid;
}

/// The same as a list, for a terminal that is too narrow for any table.
std::string level_list(std::span<const LevelRow> rows, int columns) {
  std::string text;
  for (const LevelRow& row : rows) {
    std::string line = row.name;
    if (row.bytes) line += " " + size_cell(row) + " " + size_interval(*row.bytes);
    text += wrapped(line, columns, 0);
    for (const auto& [api, levels] : row.apis) {
      const std::string latency = latency_cell(row, api);
      const std::string bandwidth = bandwidth_cell(row, api);
      std::string cells = latency.empty() ? "" : latency + " ns";
      if (!bandwidth.empty()) cells += (cells.empty() ? "" : ", ") + bandwidth + " GB/s";
      if (!cells.empty()) text += wrapped(records::spoken_name(api) + " " + cells, columns);
    }
    text += wrapped(row.sure, columns);
  }
  return text;
}

}  // namespace

std::vector<records::ScreenLevel> texts_of(std::span<const LevelRow> rows) {
  std::vector<records::ScreenLevel> texts;
  for (const LevelRow& row : rows) {
    records::ScreenLevel& level = texts.emplace_back();
    level = {.name = row.name,
             .size = size_cell(row),
             .interval = row.bytes ? size_interval(*row.bytes) : "",
             .cells = {},
             .sure = row.sure};
    for (const device::Api api : apis_of_rows) {
      records::ScreenCell cell{records::api_name(api), latency_cell(row, api), bandwidth_cell(row, api)};
      if (!cell.latency_ns.empty() || !cell.read_gbps.empty()) level.cells.push_back(std::move(cell));
    }
  }
  return texts;
}

std::string table_of(std::span<const LevelRow> rows, const FirstScreenLayout& layout) {
  if (rows.empty()) return "";
  if (layout.columns < least_for_a_table) return level_list(rows, layout.columns);
  const auto width = [](const std::vector<std::string>& lines) {
    return static_cast<int>(std::ranges::max(lines | std::views::transform(width_of)));
  };
  std::vector<std::string> lines = wide_table(rows).lines();
  if (width(lines) > layout.columns) lines = folded_table(rows).lines();
  if (width(lines) > layout.columns) return level_list(rows, layout.columns);
  std::string text;
  for (const std::string& line : lines) {
    const std::size_t rough = line.find("rough: ");
    text += (rough == line.npos ? line : line.substr(0, rough) + marked_in(layout.colour, line.substr(rough))) + "\n";
  }
  return text;
}

}  // namespace sonde::summary
