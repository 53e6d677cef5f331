#pragma once

#include <span>
#include <vector>

#include "analysis/levels/hierarchy_fit.hpp"
#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// What the formulas miss a point by, beside its own spread: of its latency, and of its size, which is an error of
/// latency where the curve is steep.
struct FormulaErrors {
  double log_ns;
  double octaves;
  double octaves_of_one_line;  ///< falls with the root of the lines: few fall into sets more unevenly than many
  double settling_left;        ///< of a fall that the last laps were in, over what they fell by
  double settling_left_sigma;
};
/// For the cycle, whose edge depends on the policy, and for independent accesses, whose hits do not, and which forget
/// what the caches held before in a lap or two. Of a fall most is still to come near a cache's size, little far beyond
/// it.
inline constexpr FormulaErrors errors_of_cycle{
    .log_ns = 0.008, .octaves = 0.04, .octaves_of_one_line = 0.7, .settling_left = 0.25, .settling_left_sigma = 1.0};
inline constexpr FormulaErrors errors_of_independent{
    .log_ns = 0.008, .octaves = 0.01, .octaves_of_one_line = 0.7, .settling_left = 0.25, .settling_left_sigma = 0.5};

/// Medians with what the fit may miss them by.
std::vector<FitPoint> fit_points(std::span<const CurvePoint> curve, double line_bytes, const FormulaErrors& errors);

}  // namespace sonde::analysis
