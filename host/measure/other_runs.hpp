#pragma once

#include <random>

#include "measure/visits.hpp"

// What another run may read. Its numbers lie as far from this one's as the visits of this one scatter, which is told by
// what each visit reads by itself, and by what the parts of all visits let expect.
namespace sonde::measure {

/// How far from a measurement's median that of another run is expected at most, in 95 of 100 cases.
struct Reach {
  double half_width = 0;
  bool is_of_logarithm = true;  ///< the numbers are all above zero, and their scatter grows with them

  /// The median that lies `times` as far away.
  [[nodiscard]] double at(double median, double times) const;
};

/// The reaches of measurements of one device by the parts of their visits; those in the same unit tell of each other.
std::vector<Reach> reaches(std::span<const Measurement> measurements);

/// The estimate of a number above zero, by points of one moment each, with as much beside it as runs differ by where
/// others use the machine. The same where nobody does.
analysis::Estimate widened_among_others(const analysis::Estimate& estimate,
                                        std::span<const Measurement* const> measurements);

/// Imagined other runs, which are the same whenever they are imagined: each has a median for every measurement, off
/// this run's by what the measurement may be off, half of the variance in common with all others of its curve.
class OtherRuns {
 public:
  static constexpr int count = 200;

  explicit OtherRuns(std::span<const Measurement> measurements);
  /// The next run, until the one after it is asked for.
  std::span<const Measurement> next();

 private:
  double normal();

  std::vector<Measurement> measurements_;
  std::vector<double> medians_;
  std::vector<Reach> reaches_;
  std::vector<std::size_t> curves_;  ///< the place of each one's curve among all
  std::mt19937_64 random_{1};
};

/// The interval of a number that imagined other runs have, and visits by themselves: each visit counts as a degree of
/// freedom against what was imagined.
analysis::Estimate moderated(const analysis::Estimate& imagined, std::span<const double> of_visits);

/// A number as far as this run knows it.
struct Known : analysis::Estimate {
  /// The number of visits, where the number is so unsteady that its interval is wider than itself: after the usual
  /// visits the interval is what was seen, before that no more than 2.5 times beyond it. 0 where it is steady.
  std::size_t unsteady_visits = 0;

  Known(const analysis::Estimate& estimate) : Estimate(estimate) {}
  Known(const analysis::Estimate& estimate, std::size_t visits, std::span<const double> seen);
};

/// The estimates of a measurement's median, of either sign or above zero; it is one of `all` of its run.
analysis::Estimate margin(const Measurement& one, std::span<const Measurement> all);
Known estimate(const Measurement& one, std::span<const Measurement> all);
inline Known estimate(const Measurement& one) { return estimate(one, {&one, 1}); }

/// A probe's reading of its measurements: of all of them, of each visit by itself, and of imagined other runs.
template <typename Seen>
class SeenInRuns {
 public:
  template <typename Read>
  SeenInRuns(std::span<const Measurement> measurements, Read read) : all_(read(measurements)) {
    for (const std::vector<Measurement>& visit : by_visit(measurements)) visits_.push_back(read(visit));
    OtherRuns others(measurements);
    for (int run = 0; run < OtherRuns::count; ++run) others_.push_back(read(others.next()));
  }

  [[nodiscard]] const Seen& all() const { return all_; }

  /// The same number of each other run.
  template <typename Look>
  [[nodiscard]] auto others(Look look) const {
    return each(others_, look);
  }

  /// The estimate of a number above zero.
  template <typename Number>
  [[nodiscard]] Known estimate(Number number) const {
    return {margin(number), visits_.size(), each(visits_, number)};
  }
  /// The estimate of a number of either sign.
  template <typename Number>
  [[nodiscard]] analysis::Estimate margin(Number number) const {
    return moderated(analysis::among(number(all_), others(number)), each(visits_, number));
  }

 private:
  template <typename Look>
  auto each(const std::vector<Seen>& readings, Look look) const {
    std::vector<std::decay_t<decltype(look(all_))>> found;
    for (const Seen& one : readings) found.push_back(look(one));
    return found;
  }

  Seen all_;
  std::vector<Seen> visits_;
  std::vector<Seen> others_;
};

/// Puts an estimate in its kind's unit into a finding's `value`, `low` and `high`; an interval without end is none.
void set_value(Finding& finding, const analysis::Estimate& estimate);

/// A finding with a value in its kind's unit. The evidence says so where the value is not steady.
Finding finding_of(const FindingKind& kind, const Words& words, const Known& value, std::string evidence);

}  // namespace sonde::measure
