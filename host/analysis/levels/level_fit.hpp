#pragma once

#include "analysis/levels/terms.hpp"

// Levels from terms, as docs/level-model.md describes: which terms are one edge, how sure a size is, and what lies
// between two edges.
namespace sonde::analysis::curve {

/// A cache of the model, and the share of loads that miss it at the points of the cycle.
struct EdgePart {
  std::size_t term = 0;
  double log2_bytes = 0;
  double step = 0;  ///< what a miss adds to a load
  Eigen::VectorXd miss;
};
using Edge = std::vector<EdgePart>;

/// The sum of all parts' steps.
double step_of(const Edge& edge);
/// The part with the largest step.
const EdgePart& main_of(const Edge& edge);
/// The largest and the least share of misses of any part, at each point.
Eigen::VectorXd most_missed(const Edge& edge);
Eigen::VectorXd least_missed(const Edge& edge);

/// The share of an edge's step that is done at a size of the cycle, in octaves.
double share_done(const Fitted& fitted, const Edge& edge, double log2_bytes);

/// The size in octaves at which that share is reached.
double crossing(const Fitted& fitted, const Edge& edge, double wanted);

/// The octaves by which single visits saw an edge below where the model has its middle, and above it.
struct SeenElsewhere {
  double below = 0;
  double above = 0;
};
/// Visits outside `sizes`, in octaves, belong to other edges.
SeenElsewhere seen_elsewhere(const Fitted& fitted, const Edge& edge, const SizeRange& sizes,
                             std::span<const CurvePoint> visits);

/// The working sets of the cycle's points, in octaves.
std::vector<double> cycle_sizes(const Observations& points);

/// The time that translation adds to the cycle at a size.
double translation_at(const Fitted& fitted, double log2_bytes);

/// All edges of a fit, in order of size.
std::vector<Edge> edges_of(const Observations& points, const Fitted& fitted, const Constants& constants);

/// Whether the curve goes on beyond most of a cache's step.
bool is_seen(const Observations& points, const EdgePart& part, const Constants& constants);

/// The scatter of a curve's points between two sizes, as a standard deviation of the logarithm: by the distance of
/// each from the line between its neighbours, which a slope leaves at zero. Most must not lie at an edge.
double scatter_between(std::span<const CurvePoint> swept, double from_bytes, double to_bytes);

/// The share of the square of this scatter that the repetitions of a point do not explain: another moment or allocation
/// reads so much else. Repetitions have chi-square variances, whose median is that of Wilson and Hilferty (Proceedings
/// of the National Academy of Sciences 17, 1931).
double share_of_moments(std::span<const CurvePoint> swept, double scatter);

/// `curves` are without the translation that walks with several strides have shown; `measured` is their cycle with it.
/// Needs three points of the cycle.
std::vector<Level> fit_levels(const LatencyCurves& curves, std::span<const CurvePoint> measured,
                              const Constants& constants);

/// The rises of a cycle, as find_edges has them. Needs three points.
std::vector<analysis::Edge> fit_edges(const LatencyCurves& cycle, const Constants& constants);

}  // namespace sonde::analysis::curve
