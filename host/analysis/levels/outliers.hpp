#pragma once

#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// Without the points taken beside SMT interference where others are near on both sides; sorted by bytes before and
/// after.
std::vector<CurvePoint> without_smt_interference(std::vector<CurvePoint> points);

/// Without points of a cycle, one or several in a row within an octave, that are slower by 15 % than the points on
/// both sides, which agree with each other: a larger working set is not served faster, so something else was there
/// unnoticed. No cache makes such a peak. Sorted by bytes before and after.
std::vector<CurvePoint> without_peaks(const std::vector<CurvePoint>& points);

}  // namespace sonde::analysis
