#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/cpu_loaded_latency/curves.hpp"
#include "probes/cpu_loaded_latency/plan.hpp"

namespace sonde::probes {
namespace {

const char* name_of_set(const std::vector<WalkedSet>& sets, double bytes) {
  const auto set = std::ranges::find(sets, bytes, &WalkedSet::bytes);
  if (set == sets.end() || set->within == Within::memory) return "memory";
  return set->within == Within::own_cache ? "the core's own cache" : "the last cache";
}

const char* whose_cluster(std::optional<Placement> placement) {
  if (placement == Placement::same_cluster) return "the same cluster";
  return placement == Placement::other_cluster ? "other clusters" : "another node";
}

/// "7 cores of the same cluster read".
std::string who_loads(const Words& words, int threads) {
  const bool one = threads == 1;
  const char* does = one ? "reads" : "read";
  if (words.pattern == Pattern::write) does = one ? "writes past the caches" : "write past the caches";
  if (words.pattern == Pattern::read_modify_write) does = one ? "reads and writes" : "read and write";
  return fmt::format("{} of {} {}", one ? "one core" : fmt::format("{} cores", threads), whose_cluster(words.placement),
                     does);
}

/// The findings of one curve over a set of this name.
class CurveFindings {
 public:
  CurveFindings(const CpuLoadCurve& curve, const char* set) : curve_(curve), set_(set) {}

  Finding alone() const {
    return finding_of(workloads::idle_latency, *curve_.alone,
                      fmt::format("In {} ({}) a load of the CPU takes {:.3g} ns while no other core loads.", set_,
                                  size_text(curve_.bytes), median_of(*curve_.alone)));
  }
  Finding beside(const FindingKind& kind, const CpuLoadPoint& point) const {
    const double ns = median_of(*point.latency);
    Finding finding = finding_of(
        kind, *point.latency,
        fmt::format("In {} ({}) a load of the CPU takes {:.3g} ns (p99 {:.3g}) while {} {:.3g} GB/s, {:.3g} times as "
                    "long as alone.",
                    set_, size_text(curve_.bytes), ns, analysis::quantile(point.latency->values, 0.99),
                    who_loads(curve_.words, point.threads), point.gbps, ns / median_of(*curve_.alone)));
    finding.details["load_gbps"] = six_digits(point.gbps);
    return finding;
  }

 private:
  Finding finding_of(const FindingKind& kind, const Measurement& measured, const std::string& evidence) const {
    Finding finding{.kind = &kind, .words = curve_.words, .unit = "ns"};
    finding.evidence = evidence + workloads::describe_disturbance(measured.state);
    set_value(finding, estimate(measured));
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
    const CurveFindings findings(curve, name_of_set(sets, curve.bytes));
    conclusion.findings.push_back(findings.alone());
    const CpuLoadPoint& all = curve.undelayed.back();
    const CpuLoadPoint& fewest = curve.undelayed.front();
    conclusion.findings.push_back(findings.beside(workloads::full_load_latency, all));
    // One core alone can keep the others of its cluster waiting.
    if (fewest.threads == 1 && all.threads > 1)
      conclusion.findings.push_back(findings.beside(cpu_loaded_latency_probe::one_core_load_latency, fewest));
  }
  for (const Placement placement : loading_placements) {
    if (const std::string reason = why_no_load(machine, placement); !reason.empty())
      conclusion.without_levels.push_back({.words = {.placement = placement}, .reason = reason});
  }
  return conclusion;
}

}  // namespace sonde::probes
