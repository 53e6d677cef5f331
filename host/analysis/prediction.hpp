#pragma once

#include <span>

namespace sonde::analysis {

/// A number and the interval that holds what another run finds in 95 of 100.
struct Estimate {
  double low = 0;
  double value = 0;
  double high = 0;
};

/// `value`, and what was found at each of several moments of one run: the prediction interval for the mean of as many
/// moments of another (Hahn, Journal of Quality Technology, 1970), which takes them for normal, stretched to hold
/// `value`. Moments of one run agree more than those of two: what changes from run to run is taken to be as much as a
/// run's mean scatters. One moment alone tells nothing of the next: its interval is without end.
Estimate predicted(double value, std::span<const double> found);

/// The same of numbers above zero, whose scatter grows with them: by their logarithms, and never narrower than 3 % to
/// either side, by which runs differ that each know their medians within 1 %.
Estimate predicted_above_zero(double value, std::span<const double> found);

/// The same of neighbours on a curve, each measured once: what slows one moment slows those around it, so that however
/// many agree, runs are taken to differ by as much as single neighbours do.
Estimate predicted_of_neighbours(double value, std::span<const double> found);

/// Whether a claim holds, by the margin by which it does: zero or less is that it does not.
enum class Answer { no, yes, open };

/// Open where another run might answer otherwise.
Answer answer(const Estimate& margin);

}  // namespace sonde::analysis
