#pragma once

#include <span>

#include "analysis/levels/likelihood.hpp"

// The terms are found by orthogonal matching pursuit (Pati, Rezaiifar and Krishnaprasad 1993) with Schwarz's criterion
// to end it. A dictionary holds terms of every kind at sizes evenly spaced on a logarithmic axis. What a column x would
// gain beside the terms that are held is (r'x)^2 / |x - QQ'x|^2, where r is what they leave and Q an orthonormal base
// of their columns: one product of matrices for all. The best candidates under the robust weights, the plain ones and
// their mean are fitted. A cache and a translation are each added, every term chosen again beside the others, and what
// of both explains more is kept. Two additions without gain end it. Then terms that do not pay for their parameters are
// dropped, the others refined: size, shape and shift in turn on a grid that becomes finer.
namespace sonde::analysis::curve {

Fitted search(const Observations& points, const Constants& constants);

/// The amount by which each of the dictionary's columns would lower the squared residuals, beside the held terms.
Eigen::VectorXd gains(const Observations& points, std::span<const Term> held, const Dictionary& candidates,
                      const Eigen::VectorXd& weights);

}  // namespace sonde::analysis::curve
