#pragma once

#include <vector>

#include "analysis/levels.hpp"

namespace sonde::analysis {

/// What address translation adds to a load, by the span of the pages that are in use.
struct TranslationCost {
  std::vector<double> log2_bytes;  ///< sorted; empty when no page walk was measured
  std::vector<double> added_ns;    ///< never falls
  std::vector<TranslationEdge> edges;
};

/// From the walk with one line a page: its latency less what the cycle curve says of so few lines.
TranslationCost translation_cost(const LatencyCurves& curves);

/// The curves as they would be if translation cost nothing.
LatencyCurves without_translation(const LatencyCurves& curves, const TranslationCost& cost);

}  // namespace sonde::analysis
