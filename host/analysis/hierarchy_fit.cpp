#include "analysis/hierarchy_fit.hpp"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

namespace sonde::analysis {
namespace {

constexpr double huber_limit = 2.5;
/// Translation and row misses raise a plateau a little with every doubling; more than this is not a plateau.
constexpr double drift_sigma = 0.02;
constexpr double drift_sigma_of_memory = 0.05;

/// A hierarchy with what every evaluation needs worked out once.
class Evaluator {
 public:
  explicit Evaluator(const FittedHierarchy& hierarchy) : hierarchy_(hierarchy) {
    for (const double log_ns : hierarchy.log_ns) ns_.push_back(std::exp(log_ns));
  }

  double cyclic_ns(double log2_bytes) const {
    double beyond = 1;
    double sum = 0;
    for (std::size_t cache = 0; cache < hierarchy_.log2_bytes.size() && beyond > 1e-6; ++cache) {
      const double missed = missed_by(cache, beyond, log2_bytes);
      sum += (beyond - missed) * level_ns(cache, log2_bytes);
      beyond = missed;
    }
    return beyond > 0 ? sum + beyond * level_ns(hierarchy_.log2_bytes.size(), log2_bytes) : sum;
  }

  double independent_ns(double log2_bytes) const {
    double beyond = 1;
    double sum = 0;
    for (std::size_t cache = 0; cache < hierarchy_.log2_bytes.size() && beyond > 1e-6; ++cache) {
      // Every line is as likely as any other, so all caches down to this one hold what this one holds.
      const double hit = hierarchy_.shapes[cache]->independent_hit(log2_bytes - hierarchy_.log2_bytes[cache]);
      const double missed = std::min(beyond, 1 - hit);
      sum += (beyond - missed) * independent_level_ns(cache, log2_bytes);
      beyond = missed;
    }
    return beyond > 0 ? sum + beyond * independent_level_ns(hierarchy_.log2_bytes.size(), log2_bytes) : sum;
  }

  double cyclic_share(std::size_t level, double log2_bytes) const {
    double beyond = 1;
    for (std::size_t cache = 0; cache < hierarchy_.log2_bytes.size(); ++cache) {
      const double missed = missed_by(cache, beyond, log2_bytes);
      if (cache == level) return beyond - missed;
      beyond = missed;
    }
    return beyond;
  }

  double level_ns(std::size_t level, double log2_bytes) const {
    const double start = level == 0 ? log2_bytes : hierarchy_.log2_bytes[level - 1];
    const double octaves = std::clamp(log2_bytes - start, 0.0, 12.0);
    return ns_[level] * std::max(0.2, 1 + hierarchy_.drift[level] * octaves);
  }

 private:
  double independent_level_ns(std::size_t level, double log2_bytes) const {
    return level_ns(level, log2_bytes) + std::max(0.0, hierarchy_.offset_ns[level]);
  }

  /// A cache sees only the lines that the ones before it miss.
  double missed_by(std::size_t cache, double beyond, double log2_bytes) const {
    const double seen = beyond < 1 ? log2_bytes + std::log2(std::max(beyond, 1e-9)) : log2_bytes;
    return beyond * hierarchy_.shapes[cache]->cyclic_miss(seen - hierarchy_.log2_bytes[cache]);
  }

  const FittedHierarchy& hierarchy_;
  std::vector<double> ns_;
};

std::size_t parameter_count(const FittedHierarchy& hierarchy) {
  const std::size_t caches = hierarchy.log2_bytes.size();
  return caches + 3 * (caches + 1);
}

Eigen::VectorXd pack(const FittedHierarchy& hierarchy) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(parameter_count(hierarchy)));
  Eigen::Index i = 0;
  for (const double value : hierarchy.log2_bytes) x[i++] = value;
  for (const double value : hierarchy.log_ns) x[i++] = value;
  // The solver's differences step by a share of each value: values about zero would drown in rounding.
  for (const double value : hierarchy.drift) x[i++] = 1 + value;
  for (const double value : hierarchy.offset_ns) x[i++] = 1 + value;
  return x;
}

void unpack(const Eigen::VectorXd& x, FittedHierarchy& hierarchy) {
  Eigen::Index i = 0;
  for (double& value : hierarchy.log2_bytes) value = x[i++];
  for (double& value : hierarchy.log_ns) value = x[i++];
  for (double& value : hierarchy.drift) value = x[i++] - 1;
  for (double& value : hierarchy.offset_ns) value = x[i++] - 1;
}

/// The square of what this returns is Huber's loss.
double robust(double residual) {
  const double size = std::abs(residual);
  if (size <= huber_limit) return residual;
  return std::copysign(std::sqrt(2 * huber_limit * size - huber_limit * huber_limit), residual);
}

/// Residuals as Eigen's solver wants them.
struct Residuals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const FitCurves& curves;
  mutable FittedHierarchy hierarchy;

  int inputs() const { return static_cast<int>(parameter_count(hierarchy)); }
  int values() const {
    return static_cast<int>(curves.cycle.size() + curves.independent.size() + 2 * hierarchy.drift.size() +
                            hierarchy.log2_bytes.size());
  }

  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& residuals) const {
    unpack(x, hierarchy);
    const Evaluator evaluator(hierarchy);
    Eigen::Index i = 0;
    for (const FitPoint& point : curves.cycle) {
      residuals[i++] = robust((std::log(evaluator.cyclic_ns(point.log2_bytes)) - point.log_ns) / point.sigma);
    }
    for (const FitPoint& point : curves.independent) {
      residuals[i++] = robust((std::log(evaluator.independent_ns(point.log2_bytes)) - point.log_ns) / point.sigma);
    }
    for (std::size_t level = 0; level < hierarchy.drift.size(); ++level) {
      const bool memory = level + 1 == hierarchy.drift.size();
      residuals[i++] = hierarchy.drift[level] / (memory ? drift_sigma_of_memory : drift_sigma);
    }
    for (std::size_t level = 0; level < hierarchy.offset_ns.size(); ++level) {
      const double offset = hierarchy.offset_ns[level];
      const double ns = std::exp(hierarchy.log_ns[level]);
      if (curves.independent.empty() || offset < 0) {
        // Arithmetic takes no less than no time, and nothing is known of it without independent accesses.
        residuals[i++] = 100 * offset / ns;
      } else {
        residuals[i++] = (offset - hierarchy.offset_ns[0]) / (hierarchy.offset_sigma * ns);
      }
    }
    // Capacities in order: a cache that is no larger than the one before would make the others' meaning swap.
    for (std::size_t cache = 0; cache < hierarchy.log2_bytes.size(); ++cache) {
      const double before = cache == 0 ? -1e9 : hierarchy.log2_bytes[cache - 1];
      residuals[i++] = 10 * std::max(0.0, before + 0.5 - hierarchy.log2_bytes[cache]);
    }
    return 0;
  }
};

}  // namespace

double cyclic_ns(const FittedHierarchy& hierarchy, double log2_bytes) { return Evaluator(hierarchy).cyclic_ns(log2_bytes); }

double independent_ns(const FittedHierarchy& hierarchy, double log2_bytes) {
  return Evaluator(hierarchy).independent_ns(log2_bytes);
}

double level_ns(const FittedHierarchy& hierarchy, std::size_t level, double log2_bytes) {
  return Evaluator(hierarchy).level_ns(level, log2_bytes);
}

double cyclic_share(const FittedHierarchy& hierarchy, std::size_t level, double log2_bytes) {
  return Evaluator(hierarchy).cyclic_share(level, log2_bytes);
}

FittedHierarchy fit(const FitCurves& curves, const FittedHierarchy& start, int most_iterations) {
  Residuals residuals{curves, start};
  // More parameters than points: nothing to be learnt.
  if (residuals.values() < residuals.inputs()) {
    FittedHierarchy hopeless = start;
    hopeless.cost = 1e18;
    return hopeless;
  }
  Eigen::NumericalDiff<Residuals> with_jacobian(residuals, 1e-10);
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Residuals>> solver(with_jacobian);
  // The solver counts the evaluations of every numerical derivative.
  solver.parameters.maxfev = most_iterations * (residuals.inputs() + 1);
  solver.parameters.ftol = solver.parameters.xtol = 1e-6;
  Eigen::VectorXd x = pack(start);
  solver.minimize(x);
  FittedHierarchy fitted = start;
  unpack(x, fitted);
  fitted.cost = solver.fvec.squaredNorm();
  return fitted;
}

}  // namespace sonde::analysis
