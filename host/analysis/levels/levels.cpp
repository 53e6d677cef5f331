#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <iterator>

#include "analysis/levels/curve_levels.hpp"
#include "analysis/levels/page_tables.hpp"
#include "analysis/levels/translation.hpp"

namespace sonde::analysis {

std::vector<Edge> find_edges(const LatencyCurves& curves) {
  // A size too many costs a few points, and one too few a level.
  curve::Constants eager;
  eager.parameters_of_cache = 3;
  eager.crowded_ratio = 4;
  return curve::read_edges(curves, eager);
}

Hierarchy find_levels(const LatencyCurves& curves) { return curve::read_levels(curves); }

}  // namespace sonde::analysis
