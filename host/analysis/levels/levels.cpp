#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <iterator>

#include "analysis/levels/curve_levels.hpp"
#include "analysis/levels/doubt.hpp"
#include "analysis/levels/page_tables.hpp"
#include "analysis/levels/translation.hpp"

namespace sonde::analysis {

namespace {

/// A size too many costs a few points, and one too few a level.
curve::Constants eager() {
  curve::Constants constants;
  constants.parameters_of_cache = 3;
  constants.crowded_ratio = 4;
  return constants;
}

}  // namespace

std::vector<Edge> find_edges(const LatencyCurves& curves) { return curve::read_edges(curves, eager()); }

std::vector<Gap> doubtful_gaps(const LatencyCurves& curves, const std::function<bool(const Gap&)>& may_be_cut) {
  return curve::read_doubt(curves, may_be_cut, eager());
}

Hierarchy find_levels(const LatencyCurves& curves) { return curve::read_levels(curves); }

}  // namespace sonde::analysis
