#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "counters/selfcheck/known_load.hpp"

// What counters saw of known traffic. Pure functions of the repetitions, which a record file holds.
namespace sonde::counters {

/// Seen over moved, the idle baseline taken off: the median of repetitions and what holds them.
struct SeenShare {
  double low = 0;
  double value = 0;
  double high = 0;
};

/// One load in one role, all of its repetitions together.
struct CheckedLoad {
  Load load;
  double moved_bytes = 0;            ///< that this role should see
  std::optional<double> seen_bytes;  ///< empty where too little of it is known
  std::optional<SeenShare>
      share;            ///< from the smallest to the largest of the repetitions; empty for what moves nothing
  bool judged = false;  ///< whether the verdict rests on it
};

enum class Verdict {
  as_expected,
  other_beats,       ///< a count stands for twice or half as many bytes
  stations_missing,  ///< as if some of the stations were not counted
  other_factor,      ///< steady, and nothing explains it
  calibrated,        ///< of a counter whose bytes are not stated for certain: they are known now
  counts_nothing,
  not_known,        ///< counters that gave no number
  disturbed,        ///< repetitions differ
  does_not_follow,  ///< loads differ, or nothing of them is seen
};

/// One role, all of its loads together.
struct CheckedRole {
  Role role = Role::other;
  Counting counting;
  std::vector<CheckedLoad> loads;
  double idle_gbps = 0;
  std::optional<SeenShare> share;  ///< of the loads that are judged, within its 95 % interval
  Verdict verdict = Verdict::not_known;
  std::set<Label> labels;  ///< of the repetitions that are judged
  double scale = 1;        ///< that was applied, as stations took turns
};

/// The roles that the CPU's own traffic is seen in, in the order of roles; none where nothing of memory is counted.
std::vector<CheckedRole> check_roles(std::span<const Repetition> repetitions);

/// How many stations there would be if the rest of them were all that is missing, by the interval of what was seen.
struct StationsThatExplain {
  std::size_t fewest = 0;
  std::size_t most = 0;
};
std::optional<StationsThatExplain> stations_that_explain(const CheckedRole& checked);

/// The name that a person reads: "fabric read".
std::string title_of(Role role);

/// The verdict in words, and what to do where it is not as expected.
std::string explain(const CheckedRole& checked);

/// Whether a role's counters may be believed.
bool is_fine(Verdict verdict);

}  // namespace sonde::counters
