#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "analysis/levels/likelihood.hpp"

namespace sonde::analysis::curve {

// The certainty of one run about a size is its profile likelihood. At each size near a term's the coefficients are
// fitted anew and the shape that explains most is taken; the sizes whose deviance is less than 3.84 above the least
// hold the true one with 95 % probability (Wilks, Annals of Mathematical Statistics 9, 1938). Where the model explains
// the points worse than their errors, as their mean deviance says, the bound grows with it (McCullagh and Nelder 1989,
// chapter 9). The cycle and the independent walk are profiled together and each alone: where they want different sizes
// the bracket holds all three. A cycle alone leaves the policy open, so its bracket begins where the curve leaves the
// plateau.

/// The sizes and shapes of a term that explain the points, under these weights, nearly as well as its own; the
/// likeliest first. None where the term explains nothing.
std::vector<Term> as_likely(const Observations& points, const Fitted& fitted, std::size_t term,
                            const Eigen::VectorXd& weights, bool by_independent, const Constants& constants);

struct SizeProfile {
  Bracket bytes;  ///< the sizes that explain the curves nearly as well as this term's own
  std::optional<SizeByOrder> disagreement;
};

SizeProfile size_profile(const Observations& points, const Fitted& fitted, std::size_t term,
                         const Constants& constants);

// The next run finds other values than this one. Each point of a plateau is a moment and an allocation of its own, so
// the scatter between points shows what the repetitions of one point cannot.

/// A plateau's latency or bandwidth with its prediction interval for another run, by the scatter of its points. Needs
/// at least two points.
Bracket predicted_plateau(double value, std::span<const double> medians);

/// The scatter of a curve's points between two sizes, as a standard deviation of the logarithm: by the distance of
/// each from the line between its neighbours, which a slope leaves at zero. Most must not lie at an edge.
double scatter_between(std::span<const CurvePoint> swept, double from_bytes, double to_bytes);

/// A fitted latency or bandwidth, with its bracket at least as wide as points scatter and as runs always differ.
Bracket widen_to_run_scatter(const Bracket& bracket, double scatter);

/// The step between two levels in a curve.
struct Step {
  double log_ns = 0;   ///< its height: the logarithm of the latencies' ratio
  double octaves = 0;  ///< its width
};

/// A size whose bracket reaches the swept sizes on both sides of it, and as large a share of the step's width as the
/// points' scatter is of its height: with other memory a point beside an edge may lie on the other side.
Bracket widen_size_to_run_scatter(const Bracket& bytes, const Step& step, std::span<const CurvePoint> swept);

}  // namespace sonde::analysis::curve
