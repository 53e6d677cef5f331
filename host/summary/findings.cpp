#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "probes/catalog.hpp"
#include "summary/layout.hpp"
#include "summary/tables.hpp"

namespace sonde::summary {
namespace {

using measure::Keys;

/// Findings of one kind are sentences up to so many, and rows of a table from there on.
constexpr std::ptrdiff_t most_sentences = 4;

/// Findings that the same keys tell apart: a row for each value of the keys, a column for each kind.
struct FindingTable {
  std::string_view keys;
  std::vector<std::string> rows;
  std::vector<std::string> heads;
  std::map<std::pair<std::string, std::string>, std::string> cells;

  void add(const std::string& row, const std::string& head, const std::string& cell) {
    for (auto [all, name] : {std::pair(&rows, &row), std::pair(&heads, &head)}) {
      if (std::ranges::find(*all, *name) == all->end()) all->push_back(*name);
    }
    cells[{row, head}] = cell;
  }
  [[nodiscard]] std::string text(int columns) const {
    std::vector<Column> table_heads{{.head = "", .left = true}};
    for (const std::string& head : heads) table_heads.push_back({.head = head});
    Table table(table_heads);
    for (const std::string& row : rows) {
      std::vector<std::string> texts{row};
      for (const std::string& head : heads) {
        const auto found = cells.find({row, head});
        texts.push_back(found == cells.end() ? "" : found->second);
      }
      table.add(std::move(texts));
    }
    return "\n" + table.text(columns);
  }
};

/// "12.5 ± 0.4"; "< 2.1" where the interval holds 0.
std::string value_text(const measure::Finding& finding) {
  const double value = finding.value.value_or(0);
  if (finding.unit == "bytes") return measure::size_text(value);
  if (!finding.low || !finding.high) return three_digits(value);
  if (*finding.low <= 0 && *finding.high >= 0) return "< " + three_digits(*finding.high);
  return three_digits(value, (*finding.high - *finding.low) / 2);
}

}  // namespace

std::string findings(std::string_view probe, const Results& results, int columns) {
  std::vector<FindingTable> tables;
  std::string sentences;
  for (const auto& [name, finding] : results.findings) {
    const measure::FindingKind* kind = probes::find_finding_kind(probe, name);
    const bool is_one_of_few = std::ranges::count(results.findings, name, &NamedFinding::name) <= most_sentences;
    const bool is_compared = kind != nullptr && kind->compared != measure::Comparison::none;
    if (!is_compared || kind->named_by.empty() || !finding.value || is_one_of_few) {
      sentences += wrapped(finding.evidence, columns);
      continue;
    }
    auto table = std::ranges::find(tables, kind->named_by, &FindingTable::keys);
    if (table == tables.end()) table = tables.insert(table, {.keys = kind->named_by});
    std::string row;
    Keys(kind->named_by).for_each([&](std::string_view key) {
      if (const auto word = measure::word_at(finding.words, key)) row += (row.empty() ? "" : ", ") + *word;
    });
    const bool has_unit = finding.unit != "bytes" && finding.unit != "ratio";
    table->add(row, std::string(kind->heading) + (has_unit ? ", " + finding.unit : ""), value_text(finding));
  }
  std::string text;
  for (const FindingTable& table : tables) text += table.text(columns);
  if (!tables.empty())
    text += wrapped("± is half the range in which another run may lie; < marks a range that holds 0.", columns);
  return text + (text.empty() || sentences.empty() ? "" : "\n") + sentences;
}

}  // namespace sonde::summary
