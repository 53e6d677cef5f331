#include "summary/hit_rate_table.hpp"

#include <fmt/format.h>

#include <set>

#include "probes/hit_rate/by_counters.hpp"
#include "summary/layout.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::summary {
namespace {

std::string percent(double share) {
  const std::string text = fmt::format("{:.0f}", 100 * share);
  return text == "-0" ? "0" : text;
}

/// The random walk in what any buffer is made of: by timing, and by counters where they saw it.
std::string walk_table(const Results& hit_rate, int columns) {
  BySize latencies;
  BySize timed;
  BySize counted;
  std::set<double> sizes;
  for (const auto& [series, samples] : hit_rate.samples) {
    if (workloads::memory_of(series) != "device" || series.contains("pattern")) continue;
    latencies.merge(by_size(samples, "ns"));
    BySize shares = by_size(samples, "ratio");
    for (const auto& [bytes, share] : shares) sizes.insert(bytes);
    (probes::is_by_counters(series) ? counted : timed).merge(shares);
  }
  std::vector<Column> heads{
      {.head = "working set", .left = true}, {.head = "ns a load"}, {.head = "hits, %"}, {.head = "between"}};
  if (!counted.empty()) heads.push_back({.head = "by counters"});
  Table table(heads);
  for (const double bytes : sizes) {
    // What was counted in the sweep alone has no share by timing beside it.
    if (!timed.contains(bytes) && !timed.empty()) continue;
    const measure::Measurement* const latency = near(latencies, bytes);
    const measure::Measurement* const share = timed.contains(bytes) ? timed.at(bytes) : nullptr;
    std::vector<std::string> cells{
        measure::size_text(bytes), median_cell(latency),
        share == nullptr ? "" : percent(share->interval ? share->interval->value : measure::median_of(*share)),
        share != nullptr && share->interval ? percent(share->interval->low) + "–" + percent(share->interval->high)
                                            : ""};
    if (!counted.empty())
      cells.push_back(counted.contains(bytes) ? percent(measure::median_of(*counted.at(bytes))) : "");
    table.add(cells);
  }
  return table.empty() ? "" : table.text(columns);
}

/// What counters saw of streams: a row a footprint.
std::string stream_table(const Results& hit_rate, int columns) {
  std::map<std::string, BySize> by_pattern;
  std::set<double> sizes;
  for (const auto& [series, samples] : hit_rate.samples) {
    if (!probes::is_by_counters(series) || !series.contains("pattern")) continue;
    BySize shares = by_size(samples, "ratio");
    for (const auto& [bytes, share] : shares) sizes.insert(bytes);
    by_pattern[series.at("pattern")].merge(shares);
  }
  std::erase_if(by_pattern, [](const auto& one) { return one.second.empty(); });
  if (by_pattern.empty()) return "";
  std::vector<Column> heads{{.head = "streams, hits in % by counters", .left = true}};
  for (const auto& [pattern, shares] : by_pattern) heads.push_back({.head = pattern});
  Table table(heads);
  for (const double bytes : sizes) {
    std::vector<std::string> cells{measure::size_text(bytes)};
    for (const auto& [pattern, shares] : by_pattern)
      cells.push_back(shares.contains(bytes) ? percent(measure::median_of(*shares.at(bytes))) : "");
    table.add(cells);
  }
  return table.text(columns);
}

}  // namespace

std::string hit_rate_table(const Results& hit_rate, device::Api api, int columns) {
  if (hit_rate.findings.empty()) return "";
  std::string text = heading("Hit rate of the last cache", api, "", columns);
  text += walk_table(hit_rate, columns);
  text += stream_table(hit_rate, columns);
  for (const measure::Finding& finding : hit_rate.findings) text += wrapped(finding.evidence, columns);
  return text;
}

}  // namespace sonde::summary
