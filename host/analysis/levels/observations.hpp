#pragma once

#include <Eigen/Core>
#include <cmath>

#include "analysis/levels/levels.hpp"

// The measured points, and how far each may lie off a model that is right: docs/level-model.md has the formula.
namespace sonde::analysis::curve {

enum class LoadOrder { cycle, independent, page };

/// Points of all three orders in one list, sorted by order and size.
struct Observations {
  std::vector<LoadOrder> order;
  Eigen::VectorXd log2_bytes;    ///< what the walk spans
  Eigen::VectorXd log2_touched;  ///< the lines that it touches, which is what a cache sees
  Eigen::VectorXd latency;       ///< medians
  Eigen::VectorXd interference;  ///< share of the values taken beside SMT interference
  Eigen::VectorXd weight;        ///< 1 / (s * latency)
  bool has_independent = false;
  bool has_page = false;
  bool has_page_walks = false;  ///< walks over pages, at one stride or several, show translation
  bool of_streams = false;
  double line_bytes = 64;
  double cpu_page_bytes = 0;  ///< as LatencyCurves has it
  double base_noise = 0;      ///< of the cycle's points as a share of a latency, as far as their neighbours show it
  double least_log2 = 0;      ///< smallest size of the cycle
  double most_log2 = 0;
  double most_log2_of_pages = 0;  ///< how far the walk over pages spans

  [[nodiscard]] Eigen::Index count() const { return latency.size(); }
  /// The CPU's pages in so many bytes, where its tables show in the curve alone; 0 where a walk over pages tells of
  /// them, or the device is no CPU.
  [[nodiscard]] double unwalked_pages(double at_log2_bytes) const {
    return has_page_walks || cpu_page_bytes <= 0 ? 0 : std::exp2(at_log2_bytes) / cpu_page_bytes;
  }
  [[nodiscard]] LoadOrder order_of(Eigen::Index i) const { return order[static_cast<std::size_t>(i)]; }
};

Observations observe(const LatencyCurves& curves, const Constants& constants);

}  // namespace sonde::analysis::curve
