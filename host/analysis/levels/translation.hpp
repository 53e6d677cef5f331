#pragma once

#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// What an edge of translation has to be.
struct LeastEdge {
  double rise;        ///< share of the latency before it
  double over_noise;  ///< its rise, over half the quartile range of the walk's values
};
/// Below the first is not worth a finding. The second is enough to doubt a small step at the same size.
inline constexpr LeastEdge clear_edge{.rise = 0.08, .over_noise = 4};
inline constexpr LeastEdge faint_edge{.rise = 0.05, .over_noise = 2.5};

/// From the walk with one line a page: where its latency, less what the cycle curve says of so few lines, rises with
/// the span of the pages.
std::vector<TranslationEdge> translation_edges(const LatencyCurves& curves, const LeastEdge& least = clear_edge);

/// What an edge adds to a load at a span of so many bytes.
double added_ns_at(const TranslationEdge& edge, double bytes);

/// The curves as they would be if translation cost nothing. Beyond an edge a walk in random order still finds the
/// share of pages that are within reach.
LatencyCurves without_translation(const LatencyCurves& curves, const std::vector<TranslationEdge>& edges);

}  // namespace sonde::analysis
