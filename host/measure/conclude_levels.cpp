#include "measure/conclude_levels.hpp"

#include <cmath>
#include <cstddef>

#include "measure/cycles.hpp"

namespace sonde::measure {
namespace {

constexpr double most_smt_interference = 0.5;
constexpr std::size_t least_points = 3;  // of which fewer tell no levels anyway

/// What may be so much slower holds one more level.
constexpr double most_slower = 1.5;
constexpr double most_faster = 2;

/// What the last level is nobody can say where a path has too little room for more than caches, or where the curve is
/// still changing at its end.
bool ends_before_memory(const FoundLevel& last) {
  const auto path = last.series.find("path");
  const bool short_path = path != last.series.end() && (path->second == "local" || path->second == "constant");
  const analysis::Bracket& band = last.gbps ? *last.gbps : last.found.latency_ns;
  const double up = band.high / band.value;
  const double down = band.value / band.low;
  return short_path || (last.gbps ? down : up) > most_slower || (last.gbps ? up : down) > most_faster;
}

}  // namespace

Conclusion conclude(const Probe& probe, const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion = probe.conclude(request, measurements);
  add_cycles(conclusion.levels, measurements);
  name_levels(conclusion.levels);
  return conclusion;
}

void name_levels(std::span<FoundLevel> levels) {
  for (FoundLevel& one : levels) {
    one.name = one.found.bytes ? "level " + std::to_string(one.level) : ends_before_memory(one) ? "beyond" : "memory";
  }
}

void add_levels(const analysis::Hierarchy& hierarchy, const std::map<std::string, std::string>& series,
                measure::Conclusion& conclusion) {
  int number = 0;
  for (const analysis::Level& level : hierarchy.levels) {
    conclusion.levels.push_back({.series = series, .level = ++number, .found = level});
  }
  for (const analysis::TranslationEdge& edge : hierarchy.translation) {
    conclusion.findings.push_back(
        {.series = series,
         .name = "translation",
         .value = edge.bytes,
         .unit = "bytes",
         .evidence = "With one line a page a load takes " + std::to_string(std::lround(edge.added_ns)) +
                     " ns longer beyond a span of " + measure::size_text(edge.bytes) +
                     ", although so few lines fit a cache: this is address translation, not a level."});
  }
}

std::optional<std::string> why_not_read(const analysis::LatencyCurves& curves) {
  if (curves.cycle.size() < least_points || curves.smt_interference <= most_smt_interference) return std::nullopt;
  return "no levels are read from this curve, as most of it was measured while something else worked on the same core, "
         "maybe of another virtual machine, with a part of its caches; run again on an idle machine, or with a higher "
         "--effort, which waits longer for one";
}

}  // namespace sonde::measure
