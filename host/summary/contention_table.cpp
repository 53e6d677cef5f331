#include "summary/contention_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/statistics.hpp"
#include "probes/contention/plan.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {

std::string contention_table(const Results& contention, device::Api api, int columns) {
  const auto found = contention.samples.find(probes::series_of_load());
  if (found == contention.samples.end()) return "";
  std::map<double, const measure::Measurement*> by_gbps;
  std::map<double, double> of_idle;  // by the load that was asked for: of pairs
  for (const measure::Measurement* one : found->second) {
    const std::map<std::string, double>& x = one->point.x;
    const auto threads = x.find("cpu_threads");
    if (threads != x.end() && threads->second > 0) continue;
    if (one->unit == "ns") by_gbps[x.at("gpu_gbps")] = one;
    if (one->unit == "ratio") of_idle[x.at("load")] = measure::median_of(*one);
  }
  if (by_gbps.empty()) return "";
  Table table(
      {{.head = "GPU, GB/s"}, {.head = "p50, ns"}, {.head = "p90, ns"}, {.head = "p99, ns"}, {.head = "over idle"}});
  for (const auto& [gbps, one] : by_gbps) {
    std::vector<std::string> cells{fmt::format("{:.1f}", gbps)};
    for (const double share : {0.5, 0.9, 0.99}) {
      const double ns = analysis::quantile(one->values, share);
      cells.push_back(marked(fmt::format("{:.{}f}", ns, ns < 100 ? 2 : 1), *one));
    }
    const auto times = of_idle.find(one->point.x.at("load"));
    if (times != of_idle.end()) cells.push_back(fmt::format("{:.2f}", times->second));
    table.add(cells);
  }
  std::string text = heading(api == device::Api::model ? "Latency of the CPU" : "Latency of the CPU while the GPU works",
                             api, "", columns) +
                     table.text(columns);
  double interrupted = 0;
  for (const auto& [gbps, one] : by_gbps) interrupted = std::max(interrupted, one->state.interrupted);
  if (interrupted > 0) {
    text +=
        wrapped(fmt::format("Left out: up to {:.2g} % of a row's windows, in which the system or the hypervisor took "
                            "the core.",
                            100 * interrupted),
                columns);
  }
  for (const measure::Finding& finding : contention.findings) text += wrapped(finding.evidence, columns);
  return text;
}

}  // namespace sonde::summary
