#pragma once

#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "counters/traffic/counter_source.hpp"

// What counters say of a time, from readings at its ends. Pure functions.
namespace sonde::counters {

/// Why a value is missing, or how it came about.
enum class Label {
  reset,         ///< a count went back: unknown
  saturated,     ///< a counter stands at its end: unknown
  vanished,      ///< a counter can no longer be read: unknown
  not_counted,   ///< the kernel placed no counter: unknown
  reads_zero,    ///< memory counters stand still under load: unknown
  uneven,        ///< stations in turn differ too much for one to stand for others: unknown
  multiplexed,   ///< the kernel shared the counter out: scaled to the whole time
  extrapolated,  ///< stations took turns: scaled to the whole time
};
std::string_view name_of(Label label);
/// The label of this name; nothing where there is none.
std::optional<Label> label_of(std::string_view name);

/// What moved in a time. Bytes are empty where they are not known.
struct Traffic {
  double begin_seconds = 0;  ///< by the steady clock
  double seconds = 0;
  PerRole<std::optional<double>> amounts;
  std::set<Label> labels;
  double scale = 1;  ///< the whole time over the time that stations with turns were counted
  /// By how much the stations that took turns differ, over their mean; empty where none did.
  std::optional<double> spread;
  /// Bytes a second at each of the fabric's stations, by group, of groups that take turns.
  std::vector<double> turns;
};

/// Between two readings of a source, the earlier first.
Traffic traffic_between(const Reading& before, const Reading& after, const Layout& layout);

/// As far as it may be stated: where stations in turn differ by over a tenth, what was extrapolated from them is
/// unknown and labelled.
Traffic stated(Traffic traffic);

/// Of all of a time, from pieces that follow one another. A role that is unknown in some pieces is extrapolated from
/// the others, unless they are less than half of the time.
Traffic total(std::span<const Traffic> pieces);

}  // namespace sonde::counters
