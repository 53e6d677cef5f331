#include "summary/cpu_latency_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "summary/layout.hpp"
#include "summary/level_table.hpp"
#include "summary/node_table.hpp"

namespace sonde::summary {
namespace {

/// "small pages", "huge pages, awake, efficiency".
std::string name_of(const Series& series) {
  std::string name;
  for (const char* key : {"pages", "state", "core"}) {
    const auto word = series.find(key);
    if (word == series.end() || word->second == "asleep") continue;
    name += (name.empty() ? "" : ", ") + word->second + (word->first == "pages" ? " pages" : "");
  }
  return name;
}

}  // namespace

std::string cpu_latency_table(const Results& cpu_latency, int columns) {
  std::vector<Column> heads{{.head = "working set"}};
  std::vector<BySize> curves;
  for (const auto& [series, samples] : cpu_latency.samples) {
    BySize curve = by_size(samples, "ns");
    if (series.contains("order") || series.contains("placement") || curve.empty()) continue;
    heads.push_back({.head = name_of(series) + ", ns"});
    curves.push_back(std::move(curve));
  }
  if (curves.empty()) return "";
  Table table(heads);
  for (const double size : telling_bytes) {
    std::vector<std::string> cells{measure::size_text(size)};
    for (const BySize& curve : curves) {
      const measure::Measurement* point = near(curve, size);
      const double ns = point == nullptr ? 0 : measure::median_of(*point);
      cells.push_back(point == nullptr ? "" : marked(fmt::format("{:.{}f}", ns, ns < 100 ? 2 : 1), *point));
    }
    const bool any =
        std::ranges::any_of(cells.begin() + 1, cells.end(), [](const auto& cell) { return !cell.empty(); });
    if (any) table.add(cells);
  }
  std::string text = "\n" + wrapped("Latency of one dependent load on the CPU itself: medians", columns);
  text += table.text(columns);
  std::map<Series, std::vector<measure::FoundLevel>> levels;
  for (const measure::FoundLevel& level : cpu_latency.levels) levels[level.series].push_back(level);
  for (const auto& [series, found] : levels) {
    text += "\n" + wrapped("Levels of the CPU itself, " + name_of(series), columns) + level_table(found, {}, columns);
  }
  text += node_table(cpu_latency, "Latency from node to node, ns: medians", columns);
  for (const measure::Finding& finding : cpu_latency.findings) {
    if (finding.name == "node-latency") text += wrapped(finding.evidence, columns);
  }
  return text;
}

}  // namespace sonde::summary
