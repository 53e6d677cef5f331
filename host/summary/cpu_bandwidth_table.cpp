#include "summary/cpu_bandwidth_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "summary/layout.hpp"
#include "summary/node_table.hpp"

namespace sonde::summary {
namespace {

constexpr std::array patterns{"read",           "write",         "copy", "scale", "add", "triad", "read-modify-write",
                              "read-2-write-1", "read-3-write-1"};

/// The curve over the working set of so many compact threads, by the bytes that the program moves.
BySize curve_of(const Results& results, const std::string& pattern, const std::string& stores, double threads) {
  BySize curve;
  for (const auto& [series, samples] : results.samples) {
    const auto word = [&series = series](const char* key, const char* usual) {
      const auto found = series.find(key);
      return found == series.end() ? usual : found->second;
    };
    if (series.contains("placement")) continue;  // of nodes
    if (word("pattern", "read") != pattern || word("stores", "ordinary") != stores) continue;
    if (word("pinning", "compact") != "compact" || word("bytes-counted", "program") != "program") continue;
    for (const measure::Measurement* one : samples) {
      if (one->point.x.at("cpu_threads") == threads) curve[one->point.x.at("bytes")] = one;
    }
  }
  return curve;
}

/// One and all.
std::pair<double, double> fewest_and_most(const Results& results) {
  std::set<double> threads;
  for (const auto& [series, samples] : results.samples) {
    if (series.contains("placement")) continue;
    for (const measure::Measurement* one : samples) threads.insert(one->point.x.at("cpu_threads"));
  }
  return {*threads.begin(), *threads.rbegin()};
}

std::vector<double> both(const std::pair<double, double>& threads) {
  return threads.first == threads.second ? std::vector{threads.first} : std::vector{threads.first, threads.second};
}

std::string threads_text(double threads) { return fmt::format("{:g} thread{}", threads, threads == 1 ? "" : "s"); }

std::string by_working_set(const Results& results, const std::vector<double>& threads, int columns) {
  std::vector<Column> heads{{.head = "working set"}};
  std::vector<BySize> curves;
  for (const double count : threads) {
    for (const char* const pattern : {"read", "write", "triad"}) {
      heads.push_back({.head = fmt::format("{}, {}", pattern, threads_text(count))});
      curves.push_back(curve_of(results, pattern, "ordinary", count));
    }
  }
  Table table(heads);
  for (const double size : telling_bytes) {
    std::vector<std::string> cells{measure::size_text(size)};
    for (const BySize& curve : curves) cells.push_back(median_cell(near(curve, size)));
    if (std::ranges::any_of(cells.begin() + 1, cells.end(), [](const auto& cell) { return !cell.empty(); }))
      table.add(cells);
  }
  return table.empty() ? "" : table.text(columns);
}

std::string in_the_largest(const Results& results, const std::vector<double>& threads, int columns) {
  std::vector<Column> heads{{.head = "in the largest", .left = true}};
  for (const double count : threads) {
    for (const char* const stores : {"ordinary", "non-temporal"})
      heads.push_back({.head = fmt::format("{}, {}", stores, threads_text(count))});
  }
  Table table(heads);
  for (const char* const pattern : patterns) {
    std::vector<std::string> cells{pattern};
    for (const double count : threads) {
      for (const char* const stores : {"ordinary", "non-temporal"}) {
        const BySize curve = curve_of(results, pattern, stores, count);
        cells.push_back(curve.empty() ? "" : median_cell(curve.rbegin()->second));
      }
    }
    if (std::ranges::any_of(cells.begin() + 1, cells.end(), [](const auto& cell) { return !cell.empty(); }))
      table.add(cells);
  }
  return table.empty() ? "" : "\n" + table.text(columns);
}

/// How many threads saturate memory is much alike for all streams: of reading and of triad it is said here, of the
/// others in the report.
bool is_told(const measure::Finding& finding) {
  if (finding.name != "saturated-by") return true;
  const auto stores = finding.series.find("stores");
  const bool past_caches = stores != finding.series.end() && stores->second == "non-temporal";
  const std::string& pattern = finding.series.at("pattern");
  return !past_caches && (pattern == "read" || pattern == "triad");
}

}  // namespace

std::string cpu_bandwidth_table(const Results& cpu_bandwidth, int columns) {
  std::string nodes =
      node_table(cpu_bandwidth, "All cores of a node reading, from node to node, GB/s: medians", columns);
  if (std::ranges::all_of(cpu_bandwidth.samples, [](const auto& of) { return of.first.contains("placement"); }))
    return nodes;
  const std::vector<double> threads = both(fewest_and_most(cpu_bandwidth));
  std::string text =
      "\n" + wrapped("Bandwidth of the CPU itself, GB/s that the program reads and writes: medians", columns);
  text += by_working_set(cpu_bandwidth, threads, columns) + in_the_largest(cpu_bandwidth, threads, columns);
  text += nodes;
  for (const measure::Finding& finding : cpu_bandwidth.findings) {
    if (is_told(finding)) text += wrapped(finding.evidence, columns);
  }
  return text;
}

}  // namespace sonde::summary
