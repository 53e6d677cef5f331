#include "measure/conclude_levels.hpp"

#include <cmath>
#include <cstddef>

namespace sonde::measure {
namespace {

constexpr double most_smt_interference = 0.5;
constexpr std::size_t least_points = 3;  // of which fewer tell no levels anyway

}  // namespace

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
