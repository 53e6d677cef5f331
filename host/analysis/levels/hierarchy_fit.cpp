#include "analysis/levels/hierarchy_fit.hpp"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

#include "analysis/levels/hierarchy_evaluator.hpp"

namespace sonde::analysis {
namespace {

constexpr double huber_limit = 2.5;
/// Translation and row misses raise a plateau a little with every doubling; more than this is not a plateau.
constexpr double drift_sigma = 0.02;
constexpr double drift_sigma_of_memory = 0.05;

std::size_t parameter_count(const FittedHierarchy& hierarchy) {
  const std::size_t caches = hierarchy.log2_bytes.size();
  return caches + 3 * (caches + 1);
}

Eigen::VectorXd pack(const FittedHierarchy& hierarchy) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(parameter_count(hierarchy)));
  Eigen::Index i = 0;
  for (const double value : hierarchy.log2_bytes) x[i++] = value;
  for (const double value : hierarchy.log_ns) x[i++] = value;
  for (const double value : hierarchy.drift) x[i++] = value;
  for (const double value : hierarchy.offset_ns) x[i++] = value;
  return x;
}

void unpack(const Eigen::VectorXd& x, FittedHierarchy& hierarchy) {
  Eigen::Index i = 0;
  for (double& value : hierarchy.log2_bytes) value = x[i++];
  for (double& value : hierarchy.log_ns) value = x[i++];
  for (double& value : hierarchy.drift) value = x[i++];
  for (double& value : hierarchy.offset_ns) value = x[i++];
}

/// The square of what this returns is Huber's loss.
double robust(double residual) {
  const double size = std::abs(residual);
  if (size <= huber_limit) return residual;
  return std::copysign(std::sqrt(2 * huber_limit * size - huber_limit * huber_limit), residual);
}

/// How far a point lies from what a hierarchy gives it, of which the square is the point's cost.
double robust_distance(const FitPoint& point, double fitted_ns) {
  return robust((std::log(fitted_ns) - point.log_ns) / point.sigma);
}

double slope_of_robust(double residual) {
  return std::abs(residual) <= huber_limit ? 1 : huber_limit / std::abs(robust(residual));
}

/// Residuals and their derivatives as Eigen's solver wants them.
struct Residuals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const FitCurves& curves;
  FittedHierarchy hierarchy;

  Eigen::Index caches() const { return static_cast<Eigen::Index>(hierarchy.log2_bytes.size()); }
  Eigen::Index points() const { return static_cast<Eigen::Index>(curves.cycle.size() + curves.independent.size()); }
  int inputs() const { return static_cast<int>(parameter_count(hierarchy)); }
  int values() const { return static_cast<int>(points() + 2 * (caches() + 1) + caches()); }

  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& residuals) {
    unpack(x, hierarchy);
    Evaluator evaluator(hierarchy);
    Eigen::Index i = 0;
    for (const FitPoint& point : curves.cycle) {
      residuals[i++] = robust_distance(point, evaluator.cyclic_ns(point.log2_bytes));
    }
    for (const FitPoint& point : curves.independent) {
      residuals[i++] = robust_distance(point, evaluator.independent_ns(point.log2_bytes));
    }
    for (std::size_t level = 0; level < hierarchy.drift.size(); ++level) {
      residuals[i++] = hierarchy.drift[level] / sigma_of_drift(level);
    }
    for (std::size_t level = 0; level < hierarchy.offset_ns.size(); ++level) residuals[i++] = offset_residual(level);
    // Capacities in order: a cache that is no larger than the one before would make the others' meaning swap.
    for (std::size_t cache = 0; cache < hierarchy.log2_bytes.size(); ++cache) {
      residuals[i++] = out_of_order_weight * std::max(0.0, out_of_order(cache));
    }
    return 0;
  }

  int df(const Eigen::VectorXd& x, Eigen::MatrixXd& jacobian) {
    unpack(x, hierarchy);
    jacobian.setZero(values(), inputs());
    set_slopes_of_points(jacobian);
    // Columns: capacities, log latencies, drifts, offsets.
    const Eigen::Index first_ns = caches();
    const Eigen::Index first_drift = first_ns + caches() + 1;
    const Eigen::Index first_offset = first_drift + caches() + 1;
    Eigen::Index i = points();
    for (Eigen::Index level = 0; level <= caches(); ++level, ++i) {
      jacobian(i, first_drift + level) = 1 / sigma_of_drift(static_cast<std::size_t>(level));
    }
    for (Eigen::Index level = 0; level <= caches(); ++level, ++i) {
      const auto index = static_cast<std::size_t>(level);
      const double ns = std::exp(hierarchy.log_ns[index]);
      jacobian(i, first_ns + level) = -offset_residual(index);
      if (free_offset(index)) {
        jacobian(i, first_offset + level) += 1 / (hierarchy.offset_sigma * ns);
        jacobian(i, first_offset) -= 1 / (hierarchy.offset_sigma * ns);
      } else {
        jacobian(i, first_offset + level) = no_offset_weight / ns;
      }
    }
    for (Eigen::Index cache = 0; cache < caches(); ++cache, ++i) {
      if (out_of_order(static_cast<std::size_t>(cache)) <= 0) continue;
      jacobian(i, cache) = -out_of_order_weight;
      if (cache > 0) jacobian(i, cache - 1) = out_of_order_weight;
    }
    return 0;
  }

 private:
  static constexpr double no_offset_weight = 100;
  static constexpr double out_of_order_weight = 10;
  static constexpr double least_octaves = 0.5;
  static constexpr double size_step = 1e-4;

  double sigma_of_drift(std::size_t level) const {
    return hierarchy.drift_scale * (level + 1 == hierarchy.drift.size() ? drift_sigma_of_memory : drift_sigma);
  }

  /// Arithmetic takes no less than no time, and nothing is known of it without independent accesses.
  bool free_offset(std::size_t level) const { return !curves.independent.empty() && hierarchy.offset_ns[level] >= 0; }

  double offset_residual(std::size_t level) const {
    const double offset = hierarchy.offset_ns[level];
    const double ns = std::exp(hierarchy.log_ns[level]);
    if (!free_offset(level)) return no_offset_weight * offset / ns;
    return (offset - hierarchy.offset_ns[0]) / (hierarchy.offset_sigma * ns);
  }

  double out_of_order(std::size_t cache) const {
    return cache == 0 ? 0 : hierarchy.log2_bytes[cache - 1] + least_octaves - hierarchy.log2_bytes[cache];
  }

  /// By the capacities from differences, for the shapes are tables; by all else, in which latency is a sum over the
  /// levels, in closed form.
  void set_slopes_of_points(Eigen::MatrixXd& jacobian) {
    const auto levels = static_cast<std::size_t>(caches()) + 1;
    std::vector<double> latency;
    Evaluator evaluator(hierarchy);
    Eigen::Index i = 0;
    const auto set = [&](const FitPoint& point, bool independent) {
      const double at = point.log2_bytes;
      const std::vector<double>& shares = independent ? evaluator.independent_shares(at) : evaluator.cyclic_shares(at);
      double sum = 0;
      for (std::size_t level = 0; level < levels; ++level) {
        const double offset = independent ? std::max(0.0, hierarchy.offset_ns[level]) : 0;
        const double share = shares[level];
        const auto column = caches() + static_cast<Eigen::Index>(level);
        sum += share * (evaluator.level_ns(level, at) + offset);
        jacobian(i, column) = share * evaluator.level_ns(level, at);
        jacobian(i, column + static_cast<Eigen::Index>(levels)) = share * evaluator.drift_slope(level, at);
        jacobian(i, column + 2 * static_cast<Eigen::Index>(levels)) =
            independent && hierarchy.offset_ns[level] > 0 ? share : 0;
      }
      jacobian.row(i).rightCols(3 * static_cast<Eigen::Index>(levels)) *=
          slope_of_robust((std::log(sum) - point.log_ns) / point.sigma) / (point.sigma * sum);
      latency.push_back(sum);
      ++i;
    };
    for (const FitPoint& point : curves.cycle) set(point, false);
    for (const FitPoint& point : curves.independent) set(point, true);
    for (Eigen::Index cache = 0; cache < caches(); ++cache) {
      FittedHierarchy larger = hierarchy;
      larger.log2_bytes[static_cast<std::size_t>(cache)] += size_step;
      Evaluator beside(larger);
      for (Eigen::Index at = 0; at < points(); ++at) {
        const auto index = static_cast<std::size_t>(at);
        const bool independent = index >= curves.cycle.size();
        const FitPoint& point = independent ? curves.independent[index - curves.cycle.size()] : curves.cycle[index];
        const double there = independent ? beside.independent_ns(point.log2_bytes) : beside.cyclic_ns(point.log2_bytes);
        const double residual = (std::log(latency[index]) - point.log_ns) / point.sigma;
        jacobian(at, cache) = slope_of_robust(residual) * std::log(there / latency[index]) / (size_step * point.sigma);
      }
    }
  }
};

}  // namespace

double cyclic_ns(const FittedHierarchy& hierarchy, double log2_bytes) {
  return Evaluator(hierarchy).cyclic_ns(log2_bytes);
}

double independent_ns(const FittedHierarchy& hierarchy, double log2_bytes) {
  return Evaluator(hierarchy).independent_ns(log2_bytes);
}

double level_ns(const FittedHierarchy& hierarchy, std::size_t level, double log2_bytes) {
  return Evaluator(hierarchy).level_ns(level, log2_bytes);
}

double cyclic_share(const FittedHierarchy& hierarchy, std::size_t level, double log2_bytes) {
  return Evaluator(hierarchy).cyclic_shares(log2_bytes)[level];
}

double cost_of_independent(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  Evaluator evaluator(hierarchy);
  double cost = 0;
  for (const FitPoint& point : curves.independent) {
    const double residual = robust_distance(point, evaluator.independent_ns(point.log2_bytes));
    cost += residual * residual;
  }
  return cost;
}

FittedHierarchy fit(const FitCurves& curves, const FittedHierarchy& start, int most_iterations) {
  Residuals residuals{curves, start};
  // More parameters than points: nothing to be learnt.
  if (residuals.values() < residuals.inputs()) {
    FittedHierarchy hopeless = start;
    hopeless.cost = 1e18;
    return hopeless;
  }
  Eigen::LevenbergMarquardt<Residuals> solver(residuals);
  solver.parameters.maxfev = most_iterations;
  solver.parameters.ftol = solver.parameters.xtol = 1e-6;
  Eigen::VectorXd x = pack(start);
  solver.minimize(x);
  FittedHierarchy fitted = start;
  unpack(x, fitted);
  fitted.cost = solver.fvec.squaredNorm();
  return fitted;
}

}  // namespace sonde::analysis
