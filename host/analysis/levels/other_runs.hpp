#pragma once

#include <span>

#include "analysis/levels/levels.hpp"

// How far what one run says of a level holds for the next: beside what its repetitions know, each point of a plateau is
// a moment and an allocation of its own.
namespace sonde::analysis {

/// A plateau's latency or bandwidth, with what another run may find by how its points scatter. At least two points.
Bracket in_other_runs(double value, std::span<const double> medians);

/// How far a curve's points from one size to another scatter, as a standard deviation of the logarithm: by how much
/// each lies off the line between its neighbours, which a slope does not move it by. Most must not lie at an edge.
double scatter_between(std::span<const CurvePoint> swept, double from_bytes, double to_bytes);

/// A latency or bandwidth that a fit knows, at least as wide as points scatter, and as runs differ anyway.
Bracket no_surer_than_runs_are(const Bracket& bracket, double scatter);

/// A step between two levels, where the curve does it.
struct Step {
  double log_ns = 0;  ///< of the latencies, as a logarithm
  double octaves = 0;
};

/// A size, with those swept on both sides, and as much of the step's width as its points scatter of its height: in
/// other memory a point beside an edge may lie on the other side.
Bracket size_in_other_runs(const Bracket& bytes, const Step& step, std::span<const CurvePoint> swept);

}  // namespace sonde::analysis
