#pragma once

#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"

// Address translation as walks with one line every so many bytes show it. How many pages a walk touches depends on its
// stride, how a cache serves it on its lines alone: so the same number of lines at several strides tells the two apart.
namespace sonde::analysis {

/// The tables that the walks show, the nearest first; none where a number of lines costs the same at every stride.
std::vector<PageTable> page_tables(std::span<const StridePoint> points);

/// A table as an edge of the cycle's curve.
TranslationEdge edge_of(const PageTable& table);

}  // namespace sonde::analysis
