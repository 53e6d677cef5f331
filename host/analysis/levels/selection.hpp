#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "analysis/levels/likelihood.hpp"

// Which of the model's caches are one edge, and which edges are levels. Caches in order of size: two that are closer
// than a factor of about two, or between which no two points are served mostly by the one, are one edge, as chance in
// sets and pages spreads an edge more than a formula does. Where they are within a factor of four and a step between
// them is less than twice, what lies between has to be flat: halves of a cache at two distances mix so. An edge is a
// level's end if latency rises by enough, and if the curve goes on beyond most of its step, or a profile of its size
// ends within the curve.
namespace sonde::analysis::curve {

/// A cache of the model, and what misses it at the points of the cycle.
struct Part {
  std::size_t term = 0;
  double log2_bytes = 0;
  double step = 0;  ///< what a load that misses takes longer
  Eigen::VectorXd miss;
};
using Edge = std::vector<Part>;

/// Of all parts together.
double step_of(const Edge& edge);
const Part& main_of(const Edge& edge);
Eigen::VectorXd most_missed(const Edge& edge);
Eigen::VectorXd least_missed(const Edge& edge);

/// What translation adds to the cycle at a size.
double translation_at(const Fitted& fitted, double log2_bytes);

/// In order of size.
std::vector<Edge> edges_of(const Observations& points, const Fitted& fitted, const Constants& constants);

/// Whether the curve goes on beyond most of a cache's step.
bool is_seen(const Observations& points, const Part& part, const Constants& constants);

}  // namespace sonde::analysis::curve
