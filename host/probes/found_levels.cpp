#include "probes/found_levels.hpp"

#include <cmath>

namespace sonde::probes {

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

}  // namespace sonde::probes
