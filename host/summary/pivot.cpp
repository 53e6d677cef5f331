#include <fmt/format.h>

#include <cmath>

#include "analysis/number_text.hpp"
#include "probes/catalog.hpp"
#include "summary/layout.hpp"
#include "summary/summary.hpp"

namespace sonde::summary {
namespace {

using measure::Curve;
using measure::Keys;
using measure::Measurement;

/// No terminal shows more columns than these; a report draws them.
constexpr std::size_t most_columns = 17;

/// The number with all digits where it is whole, else with three.
std::string plain(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : analysis::number_text(value);
}

/// "64 KiB", "from 3", "8 threads", "81 GB/s": a number of an x as a person says it.
std::string coordinate_text(std::string_view key, double value) {
  const auto counted = [value](const char* one, const char* many) {
    return plain(value) + " " + (value == 1 ? one : many);
  };
  if (key == "bytes") return measure::size_text(value);
  if (key == "address") return "byte " + plain(value) + " of a line";
  if (key == "cpu_threads") return counted("thread", "threads");
  if (key == "from" || key == "to" || key == "delay") return std::string(key) + " " + plain(value);
  if (key == "gpu_gbps") return fmt::format("{} GB/s", analysis::number_text(value));
  if (key == "height" || key == "width" || key == "groups") return plain(value);
  if (key == "hops") return counted("node further", "nodes further");
  if (key == "load") return fmt::format("{} % load", analysis::number_text(100 * value));
  if (key == "node") return "memory of node " + plain(value);
  if (key == "operations_per_byte") return counted("operation a byte", "operations a byte");
  if (key == "queues") return counted("queue", "queues");
  return key == "seconds" ? "second " + plain(value) : plain(value) + " " + std::string(key);
}

/// "huge pages", "memory kept awake": a word of a series as a person says it; empty where it is the usual case.
std::string spoken_word(std::string_view key, const std::string& word) {
  if (key == "pages") return word + " pages";
  if (key == "bytes-counted") return word == "bus" ? "with lines fetched before they are written" : "";
  if (key == "core") return word + " cores";
  if (key == "state") return word == "awake" ? "kept awake" : "";
  if (key == "fabric") return word == "loaded" ? "memory kept awake" : "";
  if (key == "writer") return word == "cpu" ? "written by the CPU" : "";
  if (key == "side") return "seen by the " + word;
  return word;
}

/// The name of a row or a column. Numbers sort by their value, words in the order of their curves.
struct Heading {
  std::vector<double> order;
  std::string text;

  friend auto operator<=>(const Heading&, const Heading&) = default;
};

struct Cell {
  const Measurement* measured;
  const Curve* curve;
};

/// One table, of curves that have equal words beside those of its rows and columns.
struct Pivot {
  const measure::Table* table = nullptr;
  std::string words_beside;
  std::vector<Cell> cells;
};

using Cells = std::map<Heading, const Measurement*>;

/// The name of a cell's row or column; `words` numbers those that were met before.
Heading heading_of(std::string_view keys, const Cell& cell, std::map<std::string, std::size_t>& words) {
  const measure::Point& point = cell.measured->point;
  Heading heading;
  Keys(keys).for_each([&](std::string_view key) {
    const auto number = measure::number_at(point.x, key);
    const auto word = measure::word_at(point.words, key);
    const std::string text = key == "title" ? std::string(cell.curve->title) + ", " + cell.measured->unit
                             : number       ? coordinate_text(key, *number)
                             : word         ? spoken_word(key, *word)
                                            : "";
    heading.order.push_back(number ? *number
                                   : static_cast<double>(words.try_emplace(text, words.size()).first->second));
    const char* const between = heading.text.empty() || text.empty() ? "" : key == "height" ? "x" : ", ";
    heading.text += between + text;
  });
  return heading;
}

/// The rows of round sizes in place of many.
std::map<Heading, Cells> rounded(const std::map<Heading, Cells>& rows) {
  std::vector<double> sizes;
  std::map<Heading, BySize> curves;
  for (const auto& [row, cells] : rows) {
    sizes.push_back(row.order.front());
    for (const auto& [column, measured] : cells) curves[column][sizes.back()] = measured;
  }
  std::map<Heading, Cells> shown;
  for (const double bytes : rows_of_sizes(sizes)) {
    for (const auto& [column, curve] : curves) {
      if (const Measurement* point = near(curve, bytes)) shown[{{bytes}, measure::size_text(bytes)}][column] = point;
    }
  }
  return shown;
}

std::string text_of(const Pivot& pivot, int columns) {
  std::map<Heading, Cells> rows;
  std::set<Heading> column_names;
  std::map<std::string, std::size_t> words;
  for (const Cell& cell : pivot.cells) {
    const Heading column = heading_of(pivot.table->columns, cell, words);
    column_names.insert(column);
    const Measurement*& shown = rows[heading_of(pivot.table->rows, cell, words)][column];
    // Where the same was measured in several shapes, the best one counts.
    const bool is_better = shown != nullptr && cell.curve->better == measure::Better::higher &&
                           measure::median_of(*cell.measured) > measure::median_of(*shown);
    if (shown == nullptr || is_better) shown = cell.measured;
  }
  if (column_names.size() > most_columns) {
    return wrapped(
        fmt::format("The {} columns of this table are in the record; sonde report draws them.", column_names.size()),
        columns);
  }
  const bool rows_are_sizes = pivot.table->rows == "bytes";
  if (rows_are_sizes && rows.size() > round_sizes.size()) rows = rounded(rows);
  std::vector<Column> heads{{.head = "", .left = !rows_are_sizes}};
  for (const Heading& column : column_names) heads.push_back({.head = column.text});
  TextTable table(heads);
  for (auto& [row, cells] : rows) {
    std::vector<std::string> texts{row.text};
    for (const Heading& column : column_names) texts.push_back(median_cell(cells[column]));
    table.add(std::move(texts));
  }
  return table.text(columns);
}

/// The keys that a table shows, or that follow from what it shows: two CPUs determine where they lie to each other.
bool shows(const measure::Table& table, std::string_view key) {
  const auto has = [&table](std::string_view one) {
    return Keys(table.rows).contains(one) || Keys(table.columns).contains(one);
  };
  return has(key) || (key == "placement" && has("from") && has("to"));
}

/// The words of a curve that its table's rows and columns do not show.
std::string words_beside(const measure::Words& words, const measure::Table& table) {
  std::string text;
  for (const auto& [key, word] : measure::written(words)) {
    const std::string spoken = spoken_word(key, word);
    if (!shows(table, key) && !spoken.empty()) text += (text.empty() ? "" : ", ") + spoken;
  }
  return text;
}

/// In a table of sizes, leaves out points that have further numbers, which it does not show, where others of their
/// curve have none: they belong to another sweep, as of work-groups.
void leave_out_other_sweeps(Pivot& pivot) {
  const auto hidden_numbers = [&pivot](const Cell& cell) {
    return std::ranges::count_if(measure::written(cell.measured->point.x),
                                 [&](const auto& number) { return !shows(*pivot.table, number.first); });
  };
  if (pivot.table->rows != "bytes") return;
  std::map<const Curve*, std::ptrdiff_t> fewest;
  for (const Cell& cell : pivot.cells) {
    const std::ptrdiff_t hidden = hidden_numbers(cell);
    const auto known = fewest.try_emplace(cell.curve, hidden).first;
    known->second = std::min(known->second, hidden);
  }
  std::erase_if(pivot.cells, [&](const Cell& cell) { return hidden_numbers(cell) > fewest[cell.curve]; });
}

/// The latencies of loads through the vector path have a table and a chart of their own.
bool is_shown_elsewhere(std::string_view probe, const measure::Words& words) {
  return probe == "latency" && !words.pattern && words.path.value_or(measure::Path::vector) == measure::Path::vector;
}

/// The tables that the curves of a probe declare.
std::vector<Pivot> pivots_of(std::string_view probe, const Results& results) {
  std::vector<Pivot> pivots;
  for (const auto& [words, samples] : results.samples) {
    if (is_shown_elsewhere(probe, words)) continue;
    for (const Measurement* one : samples) {
      const Curve* curve = one->unit == "cycles" ? nullptr : probes::find_curve(probe, words, one->unit);
      if (curve == nullptr || curve->table == nullptr) continue;
      const std::string beside = words_beside(words, *curve->table);
      auto pivot = std::ranges::find_if(pivots, [&](const Pivot& other) {
        return other.table->title == curve->table->title && other.words_beside == beside;
      });
      if (pivot == pivots.end()) pivot = pivots.insert(pivot, {.table = curve->table, .words_beside = beside});
      pivot->cells.push_back({one, curve});
    }
  }
  std::ranges::for_each(pivots, leave_out_other_sweeps);
  return pivots;
}

/// What a table's heading adds to its title: the words in which it differs from others of that title, and the unit
/// where it has but one.
std::string heading_words(const Pivot& pivot, std::span<const Pivot> all) {
  std::string text;
  Keys(pivot.words_beside).for_each([&](std::string_view word) {
    const bool is_shared = std::ranges::all_of(all, [&](const Pivot& other) {
      return other.table->title != pivot.table->title || Keys(other.words_beside).contains(word);
    });
    if (!is_shared) text += ", " + std::string(word);
  });
  const std::string& unit = pivot.cells.front().measured->unit;
  const bool one_unit = std::ranges::all_of(pivot.cells, [&](const Cell& cell) { return cell.measured->unit == unit; });
  // A column of titles has the unit in its head.
  return one_unit && !Keys(pivot.table->columns).contains("title") ? text + ", " + unit : text;
}

}  // namespace

std::string place_text(const measure::Point& point) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [key, word] : measure::written(point.words)) {
    const bool usual = (key == "memory" && word == "device") || (key == "path" && word == "vector");
    if (const std::string spoken = spoken_word(key, word); !usual && !spoken.empty()) add(spoken);
  }
  const bool is_image = point.x.width && point.x.height;
  if (is_image) add(fmt::format("{:g}x{:g}", *point.x.width, *point.x.height));
  for (const auto& [key, value] : measure::written(point.x)) {
    if (!is_image || (key != "width" && key != "height")) add(coordinate_text(key, value));
  }
  return text;
}

std::string pivot_tables(std::string_view probe, const Results& results, device::Api api, int columns) {
  const std::vector<Pivot> pivots = pivots_of(probe, results);
  std::string text;
  for (const Pivot& pivot : pivots) {
    text += heading(pivot.table->title, api, heading_words(pivot, pivots), columns) + text_of(pivot, columns);
    if (!pivot.table->note.empty()) text += wrapped(pivot.table->note, columns);
  }
  return text;
}

}  // namespace sonde::summary
