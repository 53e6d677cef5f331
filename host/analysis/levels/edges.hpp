#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "analysis/levels/likelihood.hpp"

// Some of the model's caches are one edge, and some edges end a level. Caches are taken in order of size: two closer
// than a factor of about two, or with fewer than two points between them that the one mostly serves, are one edge, as
// chance in sets and pages spreads an edge more than a formula does. Two within a factor of crowded_ratio, of which one
// has a step of less than twice, are one edge unless the curve between them is flat: halves of a cache at two distances
// mix so. An edge ends a level if latency rises by enough and if the curve goes on beyond most of its step, or a
// profile of its size ends within the curve.
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

/// The time that translation adds to the cycle at a size.
double translation_at(const Fitted& fitted, double log2_bytes);

/// All edges of a fit, in order of size.
std::vector<Edge> edges_of(const Observations& points, const Fitted& fitted, const Constants& constants);

/// Whether the curve goes on beyond most of a cache's step.
bool is_seen(const Observations& points, const EdgePart& part, const Constants& constants);

}  // namespace sonde::analysis::curve
