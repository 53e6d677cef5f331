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
/// further ones (Hahn, Journal of Quality Technology, 1970), which takes them for normal, stretched to hold `value`.
/// One alone tells nothing of the next: its interval is without end.
Estimate predicted(double value, std::span<const double> found);

/// The same of numbers above zero, whose scatter grows with them: by their logarithms, and never narrower than 1 % to
/// either side, to which medians are known.
Estimate predicted_above_zero(double value, std::span<const double> found);

/// Whether a claim holds, by the margin by which it does: zero or less is that it does not.
enum class Answer { no, yes, open };

/// Open where another run might answer otherwise.
Answer answer(const Estimate& margin);

}  // namespace sonde::analysis
