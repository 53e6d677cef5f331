#pragma once

#include "analysis/statistics.hpp"
#include "counters/selfcheck/known_load.hpp"

// Compares counters with loads of known traffic. Pure functions of the repetitions, which a record file holds.
namespace sonde::counters {

/// Counted bytes over expected ones without the idle traffic: the median of repetitions and an interval.
using SeenShare = analysis::Estimate;

/// All repetitions of one load, as one role counted them.
struct CheckedLoad {
  Load load;
  double moved_bytes = 0;            ///< expected in this role
  std::optional<double> seen_bytes;  ///< empty where too little of it is known
  std::optional<SeenShare> share;    ///< over the range of the repetitions; empty where nothing is expected
  bool judged = false;               ///< whether the verdict uses this load
};

enum class CheckVerdict {
  as_expected,
  other_beats,       ///< a count stands for twice or half as many bytes
  stations_missing,  ///< the share is that of some of the stations
  other_factor,      ///< steady, without an explanation
  calibrated,        ///< the bytes of a count, which are not stated for certain, are known now
  counts_nothing,
  not_known,        ///< the counters gave no number
  disturbed,        ///< repetitions differ
  does_not_follow,  ///< the share differs between loads or is nothing
};

/// All loads, as one role counted them.
struct CheckedRole {
  Role role = Role::other;
  std::string title;  ///< for a person: "fabric, read"
  Counting counting;
  std::vector<CheckedLoad> loads;
  double idle_gbps = 0;
  std::optional<SeenShare> share;  ///< of all judged loads, with its 95 % interval
  /// The fewest and the most stations that there would be if only missing ones explained the share.
  std::optional<std::pair<std::size_t, std::size_t>> stations;
  CheckVerdict verdict = CheckVerdict::not_known;
  std::set<Label> labels;  ///< of all judged repetitions
  double scale = 1;        ///< applied to rotated groups of stations
};

/// Checks each role that counts the CPU's traffic, in the order of roles; none where no counter counts memory.
std::vector<CheckedRole> check_roles(std::span<const Repetition> repetitions);

/// A sentence with the verdict, and what to do where it is not as expected.
std::string explain(const CheckedRole& checked);

/// Whether a role's counters may be believed.
bool is_fine(CheckVerdict verdict);

}  // namespace sonde::counters
