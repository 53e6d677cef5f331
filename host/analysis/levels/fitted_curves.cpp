#include "analysis/levels/fitted_curves.hpp"

#include <cmath>
#include <functional>
#include <random>

#include "analysis/levels/fit_points.hpp"
#include "analysis/levels/in_parallel.hpp"
#include "analysis/levels/step_evidence.hpp"

namespace sonde::analysis {
namespace {

constexpr std::size_t bootstrap_rounds = 40;

/// Each point keeps the median of its repetitions drawn again, and its distance to the fit, to either side.
std::vector<FitPoint> resampled(const std::vector<CurvePoint>& curve, const std::vector<FitPoint>& points,
                                const std::function<double(double)>& fitted_ns, std::mt19937_64& random) {
  std::vector<FitPoint> sample = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> values = curve[i].values;
    for (double& value : values) value = curve[i].values[random() % curve[i].values.size()];
    const double log_fitted = std::log(fitted_ns(points[i].log2_bytes));
    const double distance = points[i].log_ns - log_fitted;
    sample[i].log_ns = log_fitted + (random() % 2 == 0 ? distance : -distance) +
                       std::log(summarize(values).median / median_of(curve[i]));
  }
  return sample;
}

FitCurves resampled(const FittedCurves& all, std::mt19937_64& random) {
  const FitCurves& points = all.points();
  const auto cycle = [&](double log2_bytes) { return cyclic_ns(all.fitted(), log2_bytes); };
  const auto independent = [&](double log2_bytes) { return independent_ns(all.fitted(), log2_bytes); };
  return {.cycle = resampled(all.curves.cycle, points.cycle, cycle, random),
          .independent = resampled(all.curves.independent, points.independent, independent, random),
          .line_bytes = points.line_bytes};
}

}  // namespace

FitCurves fit_curves(const LatencyCurves& curves) {
  return {.cycle = fit_points(curves.cycle, curves.line_bytes, errors_of_cycle),
          .independent = fit_points(curves.independent, curves.line_bytes, errors_of_independent),
          .line_bytes = curves.line_bytes};
}

std::vector<FittedHierarchy> bootstrap(const FittedCurves& all, std::uint64_t seed) {
  return in_parallel(bootstrap_rounds, [&](std::size_t round) {
    std::mt19937_64 random(seed + (std::uint64_t{round} << 32));
    const FittedHierarchy fitted = fit(resampled(all, random), all.fitted(), 6);
    // A cache that went to where nothing was measured says nothing of how sure the others are.
    return within_sweep(fitted, all.points()) ? fitted : all.fitted();
  });
}

}  // namespace sonde::analysis
