#include "summary/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "probes/catalog.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using measure::Curve;
using measure::Keys;
using measure::Measurement;

/// So many columns no terminal shows; a report draws them.
constexpr std::size_t most_columns = 17;

/// "64 KiB", "CPU 3", "8 groups": a number of an x as a table shows it.
std::string number_text(std::string_view key, double value) {
  if (key == "bytes") return measure::size_text(value);
  if (key == "from" || key == "to") return fmt::format("{} {:g}", key, value);
  if (key == "cpu_threads") return fmt::format("{:g} {}", value, value == 1 ? "thread" : "threads");
  if (key == "width" || key == "height" || key == "groups") return fmt::format("{:g}", value);
  std::string name(key);
  std::ranges::replace(name, '_', ' ');
  return fmt::format("{:.3g} {}", value, name);
}

/// A row or a column: numbers sort by their value, words by the order in which they were recorded.
struct Heading {
  std::vector<double> order;
  std::string text;

  friend auto operator<=>(const Heading&, const Heading&) = default;
};

/// One table's curves that have equal words beside those of its rows and columns.
struct Pivot {
  const measure::Table* table = nullptr;
  std::vector<const Measurement*> cells;
  std::vector<std::string> titles;  ///< of each cell's curve
  std::set<std::string> units;
};

class PivotText {
 public:
  PivotText(const Pivot& pivot, int columns) : pivot_(pivot), columns_(columns) { place(); }

  [[nodiscard]] std::string text() const {
    if (column_names_.size() > most_columns) {
      return wrapped(fmt::format("The {} columns of this table are in the record; sonde report draws them.",
                                 column_names_.size()),
                     columns_);
    }
    std::vector<Column> heads{{.head = "", .left = !rows_are_sizes_}};
    for (const Heading& column : column_names_) heads.push_back({.head = column.text});
    Table table(heads);
    for (const auto& [row, cells] : shown_rows()) {
      std::vector<std::string> texts{row.text};
      for (const Heading& column : column_names_) {
        const auto found = cells.find(column);
        texts.push_back(found == cells.end() ? "" : median_cell(found->second));
      }
      table.add(std::move(texts));
    }
    return table.text(columns_);
  }

 private:
  using Cells = std::map<Heading, const Measurement*>;

  void place() {
    rows_are_sizes_ = pivot_.table->rows == "bytes";
    for (std::size_t index = 0; index < pivot_.cells.size(); ++index) {
      const Measurement& one = *pivot_.cells[index];
      const Heading column = heading_of(pivot_.table->columns, index);
      column_names_.insert(column);
      const Measurement*& cell = rows_[heading_of(pivot_.table->rows, index)][column];
      // The same was measured in several shapes: the best one speaks.
      const bool higher = one.unit == "GB/s" || one.unit == "Gop/s";
      if (cell == nullptr || (higher && measure::median_of(one) > measure::median_of(*cell))) cell = &one;
    }
  }

  Heading heading_of(std::string_view keys, std::size_t index) {
    const Measurement& one = *pivot_.cells[index];
    Heading heading;
    Keys(keys).for_each([&](std::string_view key) {
      const auto add = [&heading](const std::string& text, const char* between) {
        heading.text += (heading.text.empty() || text.empty() ? "" : between) + text;
      };
      if (key == "title") {
        const std::string title = pivot_.titles[index] + ", " + one.unit;
        heading.order.push_back(order_of(title));
        add(title, ", ");
      } else if (const auto number = measure::number_at(one.point.x, key)) {
        heading.order.push_back(*number);
        add(number_text(key, *number), key == "height" ? "x" : ", ");
      } else {
        const std::string word = measure::word_at(one.point.words, key).value_or("");
        heading.order.push_back(order_of(word));
        add(word, ", ");
      }
    });
    return heading;
  }

  double order_of(const std::string& word) {
    const auto found = std::ranges::find(words_, word);
    if (found == words_.end()) words_.push_back(word);
    return static_cast<double>(std::ranges::find(words_, word) - words_.begin());
  }

  /// All rows, or of many sizes the telling ones.
  [[nodiscard]] std::map<Heading, Cells> shown_rows() const {
    if (!rows_are_sizes_ || rows_.size() <= telling_bytes.size()) return rows_;
    std::vector<double> sizes;
    for (const auto& [row, cells] : rows_) sizes.push_back(row.order.front());
    std::map<Heading, Cells> shown;
    for (const double bytes : telling_rows(sizes)) {
      Cells nearest;
      for (const Heading& column : column_names_) {
        BySize curve;
        for (const auto& [row, cells] : rows_) {
          if (const auto found = cells.find(column); found != cells.end()) curve[row.order.front()] = found->second;
        }
        if (const Measurement* point = near(curve, bytes)) nearest[column] = point;
      }
      if (!nearest.empty()) shown[{{bytes}, measure::size_text(bytes)}] = nearest;
    }
    return shown;
  }

  const Pivot& pivot_;
  int columns_;
  bool rows_are_sizes_ = false;
  std::map<Heading, Cells> rows_;
  std::set<Heading> column_names_;
  std::vector<std::string> words_;
};

/// The words of a measurement that its table's rows and columns do not show.
std::string words_beside(const Measurement& one, const measure::Table& table) {
  const Keys rows(table.rows);
  const Keys columns(table.columns);
  std::string text;
  for (const auto& [key, word] : measure::written(one.point.words)) {
    if (!rows.contains(key) && !columns.contains(key)) text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

/// The words that every one of several tables has say nothing: only what differs stands in a heading.
std::string only_different(const std::string& words, const std::vector<std::string>& all) {
  std::string text;
  Keys(words).for_each([&](std::string_view word) {
    const bool shared = std::ranges::all_of(all, [word](const std::string& other) { return Keys(other).contains(word); });
    if (!shared) text += ", " + std::string(word);
  });
  return text;
}

/// "12.5 ± 0.4"; "< 2.1" where it may be nothing at all.
std::string value_text(const measure::Finding& finding) {
  const double value = finding.value.value_or(0);
  if (finding.unit == "bytes") return measure::size_text(value);
  if (!finding.low || !finding.high) return three_digits(value);
  if (*finding.low <= 0) return "< " + three_digits(*finding.high);
  return three_digits(value, (*finding.high - *finding.low) / 2);
}

}  // namespace

std::string place_text(const measure::Point& point) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [key, word] : measure::written(point.words)) add(word);
  const bool is_image = point.x.width && point.x.height;
  if (is_image) add(fmt::format("{:g}x{:g}", *point.x.width, *point.x.height));
  for (const auto& [key, value] : measure::written(point.x)) {
    if (!is_image || (key != "width" && key != "height")) add(number_text(key, value));
  }
  return text;
}

std::string pivot_tables(std::string_view probe, const Results& results, device::Api api, int columns) {
  std::map<std::pair<std::string, std::string>, Pivot> pivots;  // by title, and words beside
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::string, std::vector<std::string>> words_of_tables;
  for (const auto& [words, samples] : results.samples) {
    for (const Measurement* one : samples) {
      const Curve* curve = one->unit == "cycles" ? nullptr : probes::find_curve(probe, words, one->unit);
      if (curve == nullptr || curve->table == nullptr) continue;
      const std::pair key{std::string(curve->table->title), words_beside(*one, *curve->table)};
      Pivot& pivot = pivots[key];
      if (pivot.table == nullptr) {
        pivot.table = curve->table;
        order.push_back(key);
        words_of_tables[key.first].push_back(key.second);
      }
      pivot.cells.push_back(one);
      pivot.titles.emplace_back(curve->title);
      pivot.units.insert(one->unit);
    }
  }
  std::string text;
  for (const auto& key : order) {
    const Pivot& pivot = pivots.at(key);
    const bool titled = Keys(pivot.table->columns).contains("title") || pivot.units.size() > 1;
    const std::string unit = titled ? "" : ", " + *pivot.units.begin();
    text += heading(key.first, api, only_different(key.second, words_of_tables.at(key.first)) + unit, columns) +
            PivotText(pivot, columns).text();
  }
  return text;
}

std::string findings(std::string_view probe, const Results& results, int columns) {
  std::map<std::string, std::vector<const NamedFinding*>> tables;  // by the keys that tell findings apart
  std::vector<std::string> order;
  std::string sentences;
  for (const NamedFinding& one : results.findings) {
    const measure::FindingKind* kind = probes::find_finding_kind(probe, one.name);
    const auto same = std::ranges::count(results.findings, one.name, &NamedFinding::name);
    if (kind == nullptr || kind->named_by.empty() || !one.finding.value || same < 2) {
      sentences += wrapped(one.finding.evidence, columns);
      continue;
    }
    const std::string keys(kind->named_by);
    if (tables[keys].empty()) order.push_back(keys);
    tables[keys].push_back(&one);
  }
  std::string text;
  for (const std::string& keys : order) {
    std::vector<std::string> rows;
    std::vector<std::string> heads;
    std::map<std::pair<std::string, std::string>, std::string> cells;
    const auto add_once = [](std::vector<std::string>& all, const std::string& name) {
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    };
    for (const NamedFinding* one : tables.at(keys)) {
      std::string row;
      Keys(keys).for_each([&](std::string_view key) {
        if (const auto word = measure::word_at(one->finding.words, key)) row += (row.empty() ? "" : ", ") + *word;
      });
      const std::string unit = one->finding.unit == "bytes" || one->finding.unit == "ratio" ? "" : ", " + one->finding.unit;
      const std::string head = std::string(probes::find_finding_kind(probe, one->name)->heading) + unit;
      add_once(rows, row);
      add_once(heads, head);
      cells[{row, head}] = value_text(one->finding);
    }
    std::vector<Column> table_heads{{.head = "", .left = true}};
    for (const std::string& head : heads) table_heads.push_back({.head = head});
    Table table(table_heads);
    for (const std::string& row : rows) {
      std::vector<std::string> texts{row};
      for (const std::string& head : heads) texts.push_back(cells[{row, head}]);
      table.add(std::move(texts));
    }
    text += "\n" + table.text(columns);
  }
  return text + (text.empty() || sentences.empty() ? "" : "\n") + sentences;
}

}  // namespace sonde::summary
