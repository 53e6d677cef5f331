#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "measure/targets.hpp"
#include "probes/catalog.hpp"
#include "summary/layout.hpp"
#include "summary/summary.hpp"

namespace sonde::summary {
namespace {

/// Findings of one kind are sentences up to so many, and rows of a table from there on.
constexpr std::ptrdiff_t most_sentences = 4;

using Rows = std::vector<std::vector<std::string>>;

/// The row whose first cell has this name; a new last one where none has.
std::vector<std::string>& row_of(Rows& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, [](const auto& cells) { return cells.front(); });
  return found != rows.end() ? *found : rows.emplace_back(std::vector{name});
}

/// Findings that the same keys tell apart: a row for each value of the keys, a column for each kind.
struct FindingTable {
  std::string_view keys;
  std::vector<Column> heads{{.head = "", .left = true}};
  Rows rows = {};

  void add(const std::string& name, const std::string& title, const std::string& cell) {
    auto head = std::ranges::find(heads, title, &Column::head);
    if (head == heads.end()) head = heads.insert(head, {.head = title});
    std::vector<std::string>& cells = row_of(rows, name);
    cells.resize(heads.size());
    cells[static_cast<std::size_t>(head - heads.begin())] = cell;
  }
};

/// "12.5 ± 0.4"; "< 2.1" where the interval holds 0; "9.1–21" where it is wider than the value.
std::string value_text(const measure::Finding& finding) {
  const double value = finding.value.value_or(0);
  if (finding.unit == "bytes") return measure::size_text(value);
  if (!finding.low || !finding.high) return three_digits(value);
  if (*finding.low <= 0 && *finding.high >= 0) return "< " + three_digits(*finding.high);
  if (!measure::is_steady({*finding.low, value, *finding.high}))
    return three_digits(*finding.low) + "–" + three_digits(*finding.high);
  return three_digits(value, (*finding.high - *finding.low) / 2);
}

/// "copies 84 GB/s": the word of a finding, with its number where that adds something.
std::string text_of(const std::string& name, const measure::Finding& finding) {
  const bool has_rate = finding.value && (finding.unit == "GB/s" || finding.unit == "us" || finding.unit == "ns");
  if (!has_rate || (name == "zero-copy" && finding.unit == "us")) return name;
  const std::string unit = finding.unit == "us" ? "µs" : finding.unit;
  // No time at all is below what its clock tells.
  const bool is_none = *finding.value <= 0;
  if (is_none && finding.high.value_or(0) <= 0) return name;
  return fmt::format("{} {}{} {}", name, is_none ? "< " : "",
                     analysis::number_text(is_none ? *finding.high : *finding.value), unit);
}

/// Adds what a finding says to the row of its kind of memory: the name, CPU to GPU, GPU to CPU, seen by loads. Where
/// the other writer's memory is said to be the same, only its number is added.
void add(Rows& rows, const records::FindingLine& found, std::size_t without_direction) {
  const Words& words = found.finding.words;
  std::vector<std::string>& cells = row_of(rows, words.memory.empty() ? "device" : words.memory.str());
  cells.resize(4);
  std::string& cell = cells[!words.direction                                    ? without_direction
                            : *words.direction == measure::Direction::to_device ? 1
                                                                                : 2];
  const std::string text = text_of(found.name, found.finding);
  const bool is_said = cell.starts_with(found.name);
  if (is_said && text == found.name) return;
  cell += is_said ? "," + text.substr(found.name.size()) : (cell.empty() ? "" : "; ") + text;
}

/// A number of bytes with two decimals, as two runs agree within a hundredth of a byte.
std::string cell(const std::optional<double>& number, double factor, const char* format) {
  if (!number) return "unknown";
  const std::string text = fmt::format(fmt::runtime(format), factor * *number);
  return text == "-0.00" || text == "-0" ? text.substr(1) : text;
}

/// "latency through Vulkan (image, 1 GiB)": the point that was not measured.
std::string place_of(const records::Origin& origin, const measure::Point& point) {
  const std::string place = place_text(point);
  return origin.probe + driver_api(origin.api, " through ", "") + (place.empty() ? "" : " (" + place + ")");
}

}  // namespace

std::string findings(std::string_view probe, const Results& results, int columns) {
  std::vector<FindingTable> tables;
  std::string sentences;
  for (const auto& [origin, name, finding] : results.findings) {
    const measure::FindingKind* kind = probes::find_finding_kind(probe, name);
    const bool is_one_of_few =
        std::ranges::count(results.findings, name, &records::FindingLine::name) <= most_sentences;
    const bool is_compared = kind != nullptr && kind->compared != measure::Comparison::none;
    if (!is_compared || kind->named_by.empty() || !finding.value || is_one_of_few) {
      sentences += wrapped(finding.evidence, columns);
      continue;
    }
    auto table = std::ranges::find(tables, kind->named_by, &FindingTable::keys);
    if (table == tables.end()) table = tables.insert(table, {.keys = kind->named_by});
    std::string row;
    measure::Keys(kind->named_by).for_each([&](std::string_view key) {
      if (const auto word = measure::word_at(finding.words, key)) row += (row.empty() ? "" : ", ") + *word;
    });
    const bool has_unit = finding.unit != "bytes" && finding.unit != "ratio";
    table->add(row, std::string(kind->heading) + (has_unit ? ", " + finding.unit : ""), value_text(finding));
  }
  std::string text;
  for (const FindingTable& table : tables) text += "\n" + TextTable(table.heads, table.rows).text(columns);
  if (!tables.empty())
    text += wrapped("± is half the range in which another run may lie; < marks a range that holds 0.", columns);
  return text + (text.empty() || sentences.empty() ? "" : "\n") + sentences;
}

std::string memory_kinds_table(const Results& zero_copy, const Results& host_memory, device::Api api, int columns) {
  Rows rows;
  std::string round_trip;
  for (const records::FindingLine& one : host_memory.findings) {
    if (one.name == "round-trip") {
      round_trip = wrapped(one.finding.evidence, columns);
    } else {
      add(rows, one, 3);
    }
  }
  for (const records::FindingLine& one : zero_copy.findings) add(rows, one, 1);
  if (rows.empty() && round_trip.empty()) return "";
  std::string text = heading("Kinds of memory", api, "", columns);
  if (!rows.empty()) {
    const std::vector<Column> heads{{.head = "memory", .left = true},
                                    {.head = "CPU to GPU", .left = true},
                                    {.head = "GPU to CPU", .left = true},
                                    {.head = "seen by loads", .left = true}};
    text += TextTable(heads, rows).text(columns);
  }
  return text + round_trip;
}

std::string traffic_table(const std::string& device, const View& view, bool is_simulated, int columns) {
  // A point without a working set, such as a frame, is a curve of its own.
  using CountedCurve = std::tuple<std::string, std::string, Words, measure::Coordinates>;
  std::map<CountedCurve, const records::CounterLine*> largest;
  for (const records::CounterLine* one : view.of(device).counted) {
    // The hit-rate probe's own tables show what was counted.
    const auto& [origin, point, moved, fabric_per_byte, memory_per_byte] = *one->point;
    if (origin.probe == probes::hit_rate.name || !memory_per_byte) continue;
    const records::CounterLine*& kept =
        largest[{origin.probe, origin.api, point.words, point.x.bytes ? measure::Coordinates() : point.x}];
    if (kept == nullptr || point.x.bytes.value_or(0) >= kept->point->point.x.bytes.value_or(0)) kept = one;
  }
  if (largest.empty()) return "";
  TextTable table({{.head = "for each byte that was asked for", .left = true},
                   {.head = "at the fabric"},
                   {.head = "at memory"},
                   {.head = "hits, %"}});
  for (const auto& [curve, counted] : largest) {
    const auto& [origin, point, moved, fabric_per_byte, memory_per_byte] = *counted->point;
    const std::string api = is_simulated ? "" : origin.api + ", ";
    table.add({origin.probe + ", " + api + place_text(point), cell(fabric_per_byte, 1, "{:.2f}"),
               cell(memory_per_byte, 1, "{:.2f}"), cell(counted->hit_rate.reads_and_writes, 100, "{:.0f}")});
  }
  return "\n" + wrapped(is_simulated ? "Simulated traffic, bytes" : "Traffic that counters saw, bytes", columns, 0) +
         table.text(columns);
}

std::string unmeasured_list(std::span<const Unmeasured> unmeasured, int columns) {
  std::string text;
  for (const bool failed : {false, true}) {
    std::string list;
    for (const Unmeasured& one : unmeasured) {
      if (one.failed != failed) continue;
      const std::string more = one.others > 0 ? fmt::format(", and {} more", one.others) : "";
      list += wrapped(place_of(one.origin, one.first) + more + ": " + one.reason, columns);
    }
    if (!list.empty()) text += (failed ? "\n  Failed\n" : "\n  Not measured\n") + list;
  }
  return text;
}

}  // namespace sonde::summary
