#pragma once

#include <span>

#include "measure/measurement.hpp"

// What a run spends its time on. Pure functions on numbers.
namespace sonde::session {

/// A budget of a run, in seconds, for all that is asked of one device through both APIs and of the CPU beside it; each
/// further device has 40 % more.
double budget_of(double seconds_for_one_device, std::size_t devices);

/// How far the numbers of a conclusion that a first screen prints are from their targets, all together: as doublings of
/// their intervals' widths, of which those of a size count twice. All levels are printed; of other findings a line has
/// room for few, and the widest count.
double doubt(const measure::Conclusion& conclusion);

/// The number that is furthest from its target, for a person: "the size of level 2". Empty where none is in doubt.
std::string most_doubtful(const measure::Conclusion& conclusion);

/// Something that a run could go on with.
struct Candidate {
  bool is_first_look = false;
  double doubt = 0;  ///< the same as that of its conclusion
  double seconds_spent = 0;
  double seconds_of_next = 0;  ///< those that its next visit is expected to take
};

/// The candidate that a run goes on with: a first look before anything else, in their order; then what sharpens most
/// for its seconds. Nothing where no candidate fits into `seconds_left`.
///
/// An interval narrows with the square root of the time spent on it. Where a candidate has taken t seconds so far, and
/// its next visit takes c, each of its open quantities gains by log(1 + c / t) / 2, as a logarithm of its width:
/// whatever is left alone for long comes first some day, and nothing starves.
std::optional<std::size_t> most_worthwhile(std::span<const Candidate> candidates, double seconds_left);

/// How far a duel's verdict on one feature is from being known, as doublings of an interval's width; 0 once it is.
/// `log_ratios`: of each pair the logarithm of NEW's reading over BASE's; `threshold`: the change that counts, as a
/// logarithm. A verdict is known where the interval of their median has the threshold neither within it nor near.
double doubt_of_verdict(std::span<const double> log_ratios, double threshold);

}  // namespace sonde::session
