#pragma once

#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"

// Address translation as walks with one line every so many bytes show it. How many pages a walk touches depends on its
// stride, how a cache serves it on its lines alone: so the same number of lines at several strides tells the two apart.
namespace sonde::analysis {

/// The smallest page that any GPU or CPU here uses: what looks like a smaller one is taken to be this.
inline constexpr double smallest_page_bytes = 4096;

/// The tables that the walks show, the nearest first; none where a number of lines costs the same at every stride.
std::vector<PageTable> page_tables(std::span<const StridePoint> points);

/// How many pages a walk over so many lines touches.
double pages_touched(double lines, double stride_bytes, double page_bytes);

/// A table as an edge of the cycle's curve.
TranslationEdge edge_of(const PageTable& table);

}  // namespace sonde::analysis
