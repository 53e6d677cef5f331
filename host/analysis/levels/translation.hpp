#pragma once

#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// From the walk with one line a page: where its latency, less what the cycle curve says of so few lines, rises with
/// the span of the pages.
std::vector<TranslationEdge> translation_edges(const LatencyCurves& curves);

/// The curves as they would be if translation cost nothing. Beyond an edge a walk in random order still finds the
/// share of pages that are within reach.
LatencyCurves without_translation(const LatencyCurves& curves, const std::vector<TranslationEdge>& edges);

}  // namespace sonde::analysis
