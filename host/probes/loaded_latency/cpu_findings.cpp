#include "probes/loaded_latency/cpu_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/loaded_latency/cpu_plan.hpp"
#include "probes/loaded_latency/plan.hpp"

namespace sonde::probes {
namespace {

const char* name_of_set(const std::vector<WalkedSet>& sets, double bytes) {
  const auto set = std::ranges::find(sets, bytes, &WalkedSet::bytes);
  if (set == sets.end() || set->within == Within::memory) return "memory";
  return set->within == Within::own_cache ? "the core's own cache" : "the last cache";
}

const char* whose_cluster(Placement placement) {
  switch (placement) {
    case Placement::same_cluster: return "the same cluster";
    case Placement::other_cluster: return "other clusters";
    case Placement::other_node: break;
  }
  return "another node";
}

/// "7 cores of the same cluster read".
std::string who_loads(const CpuLoadChoice& choice) {
  const bool one = choice.threads == 1;
  const char* does = one ? "reads" : "read";
  if (choice.kind.stream == cpu::Stream::write) does = one ? "writes past the caches" : "write past the caches";
  if (choice.kind.stream == cpu::Stream::read_modify_write) does = one ? "reads and writes" : "read and write";
  return fmt::format("{} of {} {}", one ? "one core" : fmt::format("{} cores", choice.threads),
                     whose_cluster(choice.placement), does);
}

class OfCurve {
 public:
  OfCurve(const CpuLoadCurve& curve, const char* set) : curve_(curve), set_(set) {}

  Finding alone() const {
    return of(*curve_.alone, "idle-latency",
              fmt::format("In {} ({}) a load of the CPU takes {:.3g} ns while no other core loads.", set_,
                          size_text(curve_.bytes), median_of(*curve_.alone)));
  }
  Finding beside(const CpuLoadPoint& point, const char* word) const {
    const double ns = median_of(*point.latency);
    const std::string evidence = fmt::format(
        "In {} ({}) a load of the CPU takes {:.3g} ns (p99 {:.3g}) while {} {:.3g} GB/s, {:.3g} times as "
        "long as alone.",
        set_, size_text(curve_.bytes), ns, analysis::quantile(point.latency->values, 0.99), who_loads(point.choice),
        point.gbps, ns / median_of(*curve_.alone));
    Finding finding = of(*point.latency, word, evidence);
    finding.details["load_gbps"] = six_digits(point.gbps);
    return finding;
  }

 private:
  Finding of(const Measurement& measured, const char* word, const std::string& evidence) const {
    Finding finding{.series = curve_.series, .name = word, .unit = "ns"};
    finding.evidence = evidence + disturbance_of(measured.state);
    measure::state(finding, measure::estimate(measured));
    for (const auto& [name, share] : {std::pair("p90_ns", 0.9), std::pair("p99_ns", 0.99)})
      finding.details[name] = six_digits(analysis::quantile(measured.values, share));
    return finding;
  }

  const CpuLoadCurve& curve_;
  const char* set_;
};

}  // namespace

Conclusion cpu_load_conclusion(const cpu::Topology& machine, const Request& request,
                               std::span<const Measurement> measurements) {
  const std::vector<WalkedSet> sets = walked_sets(machine, request);
  Conclusion conclusion;
  for (const CpuLoadCurve& curve : cpu_load_curves(measurements)) {
    if (curve.alone == nullptr || curve.undelayed.empty()) continue;
    const OfCurve says(curve, name_of_set(sets, curve.bytes));
    conclusion.findings.push_back(says.alone());
    const CpuLoadPoint& all = curve.undelayed.back();
    const CpuLoadPoint& fewest = curve.undelayed.front();
    conclusion.findings.push_back(says.beside(all, "full-load-latency"));
    // One core alone can keep the others of its cluster waiting.
    if (fewest.choice.threads == 1 && all.choice.threads > 1)
      conclusion.findings.push_back(says.beside(fewest, "one-core-load-latency"));
  }
  for (int placement = 0; placement < placements; ++placement) {
    const CpuLoadChoice choice{.placement = static_cast<Placement>(placement)};
    const std::string reason = why_no_load(machine, choice.placement);
    if (!reason.empty()) conclusion.unread.push_back({{{"placement", series_of(choice).at("placement")}}, reason});
  }
  return conclusion;
}

}  // namespace sonde::probes
