#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/levels/constants.hpp"
#include "analysis/statistics.hpp"

// The public face of this folder: the curves that were measured, the levels that are read from them, and what else can
// be read from such curves. All other headers here are the model behind it.
namespace sonde::analysis {

/// Repetitions at one working set, in nanoseconds.
struct CurvePoint {
  double bytes = 0;
  std::vector<double> values;
  double settling = 0;          ///< share by which laps still got faster; the values are then upper bounds
  double smt_interference = 0;  ///< share of the values taken while something else used the core: upper bounds too
};

inline double median_of(const CurvePoint& point) { return summarize(point.values).median; }

/// Repetitions of a walk that touches one line every `stride_bytes`.
struct StridePoint {
  double stride_bytes = 0;
  double lines = 0;
  std::vector<double> values;
};

/// Sizes in bytes.
struct SizeRange {
  double low = 0;
  double high = 0;  ///< infinite where there is no end
  [[nodiscard]] bool holds(double bytes) const { return low <= bytes && bytes <= high; }
};

/// The curves of one memory hierarchy that levels are read from, each sorted by bytes. Only `cycle` must not be empty.
struct LatencyCurves {
  std::vector<CurvePoint> cycle;          ///< permutation walk over distinct lines
  std::vector<CurvePoint> independent;    ///< uniformly random lines: the hit rate gives capacity whatever the policy
  std::vector<CurvePoint> page;           ///< one line a page, over the span of the pages
  std::vector<StridePoint> strides = {};  ///< walks with one line per stride, at several strides
  double line_bytes = 64;
  double page_bytes = 4096;                 ///< distance of the lines of `page`
  std::vector<double> left_out_bytes = {};  ///< sizes of the cycle whose points were disturbed
  double smt_interference = 0;              ///< mean of CurvePoint::smt_interference over the cycle, left-out ones too
  /// Stretches of the cycle between two of its points, in which all others were disturbed and left out; from 0 at its
  /// beginning and to infinity at its end. `nearer_ns` is the least that a point in the first of these took, which is
  /// an upper bound of a latency; 0 where the cycle begins with a point that was not.
  std::vector<SizeRange> disturbed = {};
  double nearer_ns = 0;
  double share_of_others = 0;  ///< share of time that others took, in the mean over all points
  /// The undisturbed visits of the cycle, each by itself, those of peaks too; may be empty.
  std::vector<CurvePoint> visits = {};
  double cpu_page_bytes = 0;  ///< a CPU's page, whose tables every load needs; 0 for other devices
  bool of_streams = false;    ///< `cycle` is the time per line of streams, on all cores at once
};

/// Drops the points taken beside SMT interference where others are near on both sides; sorted by bytes before and
/// after.
std::vector<CurvePoint> without_smt_interference(std::vector<CurvePoint> points);

/// A walk that takes longer by this factor than it should was disturbed: others slow a walk down.
inline constexpr double least_peak = 1.15;

/// Drops outliers of a cycle: one point, or several in a row within an octave, slower by 15 % than the points on both
/// sides, which agree with each other. A larger working set is not served faster and no cache makes such a peak, so
/// something else ran unnoticed. Sorted by bytes before and after.
std::vector<CurvePoint> without_peaks(const std::vector<CurvePoint>& points);

/// The curves with those points alone that were not taken beside SMT interference, and with `disturbed`.
LatencyCurves undisturbed(LatencyCurves curves);

/// A value with its 95 % interval.
using Bracket = Estimate;

/// The size by each order of loads alone, where neither interval holds a size that the other does.
struct SizeByOrder {
  Bracket cycle;
  Bracket independent;
};

/// One level of the hierarchy, the nearest first. The last has neither size nor transition: it is memory.
struct Level {
  std::optional<Bracket> bytes;
  double onset_bytes = 0;  ///< where latency has left this level's plateau by 5 % of the step to the next
  double end_bytes = 0;    ///< where it has come within 5 % of the next
  Bracket latency_ns;
  std::optional<SizeByOrder> disagreement;
  std::vector<double> either;       ///< the two sizes that the curves leave, where they leave hardly any between them
  bool is_unfinished = false;       ///< the last level alone: the curve ends within the climb to it
  bool may_be_translation = false;  ///< the last level alone: its climb is small or unfinished, and no page walk ran
  /// It ends in a disturbed stretch, where further levels may end too. The last level: sizes beyond it were disturbed.
  bool ends_disturbed = false;
};

/// A table of pages, like a translation lookaside buffer: a load whose page is not in it takes longer.
struct PageTable {
  Bracket entries;              ///< pages that it holds
  double page_bytes = 0;        ///< a power of two
  double least_page_bytes = 0;  ///< smallest page size that explains the walks nearly as well
  double most_page_bytes = 0;   ///< largest such page size
  Bracket added_ns;             ///< what a miss adds to a load

  [[nodiscard]] double reach_bytes() const { return entries.value * page_bytes; }
};

/// An edge that follows pages rather than bytes: address translation, not a level.
struct TranslationEdge {
  double bytes = 0;                 ///< largest span of pages that is still free of it
  double added_ns = 0;              ///< what it adds to a load beyond the edge
  double reach_bytes = 0;           ///< span at which half of that is reached
  std::vector<double> log2_spans;   ///< spans of the pages that were walked, on the way up
  std::vector<double> added_ns_at;  ///< what it adds to a load at each of them
  bool is_table = false;            ///< found as a PageTable apart from the caches, so nothing of it stays in the curve
};

struct Hierarchy {
  std::vector<Level> levels;
  int nearer_levels = 0;  ///< levels before these, which end in a disturbed stretch at the cycle's beginning
  std::vector<TranslationEdge> translation;
  std::vector<PageTable> page_tables;  ///< found by walks with several strides; `translation` has their ends as edges
};

/// Reads the levels from the curves: docs/method/levels.md says how. A false level is worse than a missed one. Empty
/// for fewer than three points of the cycle.
Hierarchy find_levels(const LatencyCurves& curves, const curve::Constants& constants = {});

/// A rise of the cycle, found without the care that a level takes: good for choosing what to measure next.
struct Edge {
  double onset_bytes = 0;
  double middle_bytes = 0;  ///< middle of the cache sizes that explain it
};
std::vector<Edge> find_edges(const LatencyCurves& curves);

/// Two neighbouring sizes of the cycle.
struct Gap {
  double low_bytes = 0;
  double high_bytes = 0;
};
/// What further points of a cycle would tell.
struct Doubts {
  /// The gaps, one for each rise, in which another point would narrow the size most, among those that may be cut. A
  /// rise where no point is worth one standard deviation has no gap.
  std::vector<Gap> gaps;
  std::vector<double> rises_bytes;  ///< the likeliest size of each cache, about which points tell most
};
Doubts doubts(const LatencyCurves& curves, const std::function<bool(const Gap&)>& may_be_cut);

/// The sizes, for each level, at which a walk beside a stream of as much memory shows that level alone: walk and stream
/// both fit it, and the level before serves nothing. `high` is less than `low` for a level without such sizes.
std::vector<SizeRange> room_for_walk_and_stream(std::span<const Level> levels);

/// The levels of `asleep`, a walk with nothing beside it, with the latencies of `awake`, the same walk beside a stream
/// of as much memory. Sizes stay, as the stream takes room in shared caches. A level is read where there is room for
/// both, memory far beyond the last cache; a level with fewer than three points there keeps its latency.
std::vector<Level> awake_latency(std::vector<Level> levels, std::span<const CurvePoint> asleep,
                                 std::span<const CurvePoint> awake);

/// The bandwidth of one level, the nearest first. The last has neither size nor transition: it is memory.
struct BandwidthLevel {
  std::optional<Bracket> bytes;
  double onset_bytes = 0;  ///< like Level::onset_bytes
  double end_bytes = 0;
  Bracket gbps;
};

/// The sizes well within each level: streams through them find next to nothing in nearer caches by a walk's transition,
/// and next to all in this one. `high` is less than `low` for a level without such sizes.
std::vector<SizeRange> well_within(std::span<const Level> levels);

/// The bandwidth of each level by the visits of a curve, in GB/s, that lie well within it, less what nearer caches
/// serve of them; several points of one size are its visits. The interval holds what another point would read, and one
/// of these. Nothing for a level without a point.
std::vector<std::optional<Bracket>> bandwidths_within(std::span<const Level> levels,
                                                      std::span<const CurvePoint> visits);

/// Reads the levels from a bandwidth curve alone, sorted by bytes, whose values are GB/s. Empty where there is no edge,
/// and where the curve rises again in a way that no hierarchy does: a false level is worse than a missed one.
std::vector<BandwidthLevel> find_bandwidth_levels(std::span<const CurvePoint> swept, double line_bytes);

/// The reason for which such a curve shows no levels; empty where it has too few sizes to show any.
std::string_view why_without_bandwidth_levels(std::span<const CurvePoint> swept);

/// A bandwidth curve from where its working sets give all groups enough to do.
std::vector<CurvePoint> with_enough_to_do(std::span<const CurvePoint> curve);

/// The same curve as the time to move a line, in ns, which rises with the working set.
std::vector<CurvePoint> time_curve(std::span<const CurvePoint> curve, double line_bytes);

}  // namespace sonde::analysis
