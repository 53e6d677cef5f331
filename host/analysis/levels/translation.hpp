#pragma once

#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"

// Address translation, by two kinds of walks. With one line a page, a walk is compared with one over as many lines
// packed together. With one line every so many bytes, how many pages a walk touches depends on its stride, but how a
// cache serves it on its lines alone: the same number of lines at several strides tells the two apart.
namespace sonde::analysis {

/// The edges of the walk with one line a page: where its latency, less what the cycle shows for so few lines, rises
/// with the span of the pages.
std::vector<TranslationEdge> translation_edges(const LatencyCurves& curves);

/// The curves as they would be if translation cost nothing. Beyond an edge a walk in random order still finds the
/// share of pages that are within reach.
LatencyCurves without_translation(const LatencyCurves& curves, const std::vector<TranslationEdge>& edges);

/// The tables that walks with several strides show, the nearest first; none where a number of lines costs the same at
/// every stride.
std::vector<PageTable> page_tables(std::span<const StridePoint> points);

/// A table as an edge of the cycle's curve.
TranslationEdge edge_of(const PageTable& table);

}  // namespace sonde::analysis
