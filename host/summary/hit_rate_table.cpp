#include "summary/hit_rate_table.hpp"

#include <fmt/format.h>

#include "summary/layout.hpp"
#include "workloads/memory_kinds.hpp"

namespace sonde::summary {
namespace {

std::string percent(double share) { return fmt::format("{:.0f}", 100 * share); }

}  // namespace

std::string hit_rate_table(const Results& hit_rate, gpu::Api api, int columns) {
  if (hit_rate.findings.empty()) return "";
  Table table({{.head = "working set", .left = true}, {.head = "ns a load"}, {.head = "hits, %"}, {.head = "between"}});
  for (const auto& [series, samples] : hit_rate.samples) {
    if (workloads::memory_of(series) != "device") continue;
    const BySize latencies = by_size(samples, "ns");
    for (const auto& [bytes, share] : by_size(samples, "ratio")) {
      std::vector<std::string> cells{measure::size_text(bytes)};
      const measure::Measurement* const latency = near(latencies, bytes);
      cells.push_back(latency == nullptr ? "" : marked(three_digits(measure::median_of(*latency)), *latency));
      cells.push_back(percent(share->interval ? share->interval->value : measure::median_of(*share)));
      if (share->interval) cells.push_back(percent(share->interval->low) + "–" + percent(share->interval->high));
      table.add(cells);
    }
  }
  std::string text = heading("Hit rate of the last cache", api, "", columns);
  if (!table.empty()) text += table.text(columns);
  for (const measure::Finding& finding : hit_rate.findings) text += wrapped(finding.evidence, columns);
  return text;
}

}  // namespace sonde::summary
