#include "summary/cpu_loaded_latency_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/statistics.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using Samples = std::vector<const measure::Measurement*>;

double largest_bytes_of(const Results& results) {
  double largest = 0;
  for (const auto& [series, samples] : results.samples) {
    for (const measure::Measurement* one : samples) largest = std::max(largest, one->point.x.at("bytes"));
  }
  return largest;
}

/// What the load of a point moved: 0 where there was none.
double gbps_beside(const measure::Measurement& latency, const Samples& samples) {
  for (const measure::Measurement* one : samples) {
    if (one->unit == "GB/s" && one->point.x == latency.point.x) return measure::median_of(*one);
  }
  return 0;
}

/// "same cluster, read": where the load is made, and how.
std::string name_of_load(const Series& series) {
  const auto word = [&](const char* key, const char* usual) {
    const auto found = series.find(key);
    return found == series.end() ? std::string(usual) : found->second;
  };
  std::string place = word("placement", "same-cluster");
  std::ranges::replace(place, '-', ' ');
  const std::string past = word("stores", "ordinary") == "non-temporal" ? " past the caches" : "";
  return place + ", " + word("pattern", "read") + past;
}

}  // namespace

std::string cpu_loaded_latency_table(const Results& loaded_latency, int columns) {
  if (loaded_latency.samples.empty()) return "";
  const double largest = largest_bytes_of(loaded_latency);
  Table table({{.head = "load", .left = true},
               {.head = "cores"},
               {.head = "GB/s"},
               {.head = "p50, ns"},
               {.head = "p90, ns"},
               {.head = "p99, ns"}});
  for (const auto& [series, samples] : loaded_latency.samples) {
    std::multimap<double, const measure::Measurement*> by_gbps;
    for (const measure::Measurement* one : samples) {
      if (one->unit == "ns" && one->point.x.at("bytes") == largest) by_gbps.emplace(gbps_beside(*one, samples), one);
    }
    for (const auto& [gbps, one] : by_gbps) {
      std::vector<std::string> cells{name_of_load(series), fmt::format("{:g}", one->point.x.at("cpu_threads")),
                                     gbps > 0 ? three_digits(gbps) : "0"};
      for (const double share : {0.5, 0.9, 0.99})
        cells.push_back(marked(three_digits(analysis::quantile(one->values, share)), *one));
      table.add(cells);
    }
  }
  std::string text =
      "\n" + wrapped(fmt::format("Latency of the CPU itself while other cores load, in {}: windows of 1024 loads",
                                 measure::size_text(largest)),
                     columns);
  if (!table.empty()) text += table.text(columns);
  for (const measure::Finding& finding : loaded_latency.findings) text += wrapped(finding.evidence, columns);
  return text;
}

}  // namespace sonde::summary
