#include <fmt/format.h>

#include <algorithm>

#include "probes/cpu_loaded_latency/cpu_loaded_latency.hpp"

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

}  // namespace

Conclusion cpu_load_conclusion(const cpu::Topology& machine, const Request& request,
                               std::span<const Measurement> measurements) {
  const std::vector<WalkedSet> sets = walked_sets(machine, request);
  Conclusion conclusion;
  for (const CpuLoadCurve& curve : cpu_load_curves(measurements)) {
    if (curve.alone == nullptr || curve.undelayed.empty()) continue;
    const std::string load =
        fmt::format("In {} ({}) a load of the CPU takes", name_of_set(sets, curve.bytes), size_text(curve.bytes));
    const auto add = [&](const FindingKind& kind, const Measurement& measured,
                         const std::string& evidence) -> Finding& {
      Finding& finding = conclusion.findings.emplace_back(finding_of(
          kind, curve.words, estimate(measured), evidence + workloads::describe_disturbance(measured.state)));
      finding.details = {{"p90_ns", six_digits(analysis::quantile(measured.values, 0.9))},
                         {"p99_ns", six_digits(analysis::quantile(measured.values, 0.99))}};
      return finding;
    };
    const double alone_ns = median_of(*curve.alone);
    const auto add_beside = [&](const FindingKind& kind, const CpuLoadPoint& point) {
      const double ns = median_of(*point.latency);
      add(kind, *point.latency,
          fmt::format("{} {:.3g} ns (p99 {:.3g}) while {} {:.3g} GB/s, {:.3g} times as long as alone.", load, ns,
                      analysis::quantile(point.latency->values, 0.99), who_loads(curve.words, point.threads),
                      point.gbps, ns / alone_ns))
          .details["load_gbps"] = six_digits(point.gbps);
    };
    add(workloads::idle_latency, *curve.alone, fmt::format("{} {:.3g} ns while no other core loads.", load, alone_ns));
    const CpuLoadPoint& all = curve.undelayed.back();
    const CpuLoadPoint& fewest = curve.undelayed.front();
    add_beside(workloads::full_load_latency, all);
    // One core alone can keep the others of its cluster waiting.
    if (fewest.threads == 1 && all.threads > 1) add_beside(cpu_loaded_latency_probe::one_core_load_latency, fewest);
  }
  for (const Placement placement : loading_placements) {
    if (const std::string reason = why_no_load(machine, placement); !reason.empty())
      conclusion.without_levels.push_back({.words = {.placement = placement}, .reason = reason});
  }
  return conclusion;
}

}  // namespace sonde::probes
