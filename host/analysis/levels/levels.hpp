#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/statistics.hpp"

namespace sonde::analysis {

/// Repetitions at one working set, in nanoseconds.
struct CurvePoint {
  double bytes = 0;
  std::vector<double> values;
  double settling = 0;          ///< share by which laps still got faster: then these are upper bounds
  double smt_interference = 0;  ///< share of the values taken while something else used the core: upper bounds too
};

inline double median_of(const CurvePoint& point) { return summarize(point.values).median; }

/// Repetitions of a walk with one line every so many bytes.
struct StridePoint {
  double stride_bytes = 0;
  double lines = 0;
  std::vector<double> values;
};

/// The curves that tell the levels of one memory hierarchy, each sorted by bytes. Only `cycle` must not be empty.
struct LatencyCurves {
  std::vector<CurvePoint> cycle;          ///< permutation walk over distinct lines
  std::vector<CurvePoint> independent;    ///< uniformly random lines: the hit rate gives capacity whatever the policy
  std::vector<CurvePoint> page;           ///< one line a page, over the span of the pages
  std::vector<StridePoint> strides = {};  ///< walks with one line every so many bytes, at several distances
  double line_bytes = 64;
  double page_bytes = 4096;                 ///< distance of the lines of `page`
  std::vector<double> left_out_bytes = {};  ///< sizes of the cycle whose points were disturbed
  double smt_interference = 0;              ///< mean share of the cycle's, those left out too, as CurvePoint says it
  bool of_streams = false;                  ///< `cycle` is what streams take for a line, on all cores at once
};

/// A value with the range that holds it with 95 % probability.
struct Bracket {
  double low = 0;
  double value = 0;
  double high = 0;
};

/// What each order of loads says of a size by itself, where neither holds a size that the other does.
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
  bool may_be_translation = false;  ///< of the last: no walk over pages tells its small or unfinished climb from that
};

/// A table of pages, like a translation lookaside buffer: where a page is not in it, a load takes longer.
struct PageTable {
  Bracket entries;              ///< pages that it holds
  double page_bytes = 0;        ///< a power of two
  double least_page_bytes = 0;  ///< that explains the walks nearly as well
  double most_page_bytes = 0;   ///< the same
  Bracket added_ns;             ///< what a load takes longer

  [[nodiscard]] double reach_bytes() const { return entries.value * page_bytes; }
};

/// An edge that follows pages rather than bytes: address translation, not a level.
struct TranslationEdge {
  double bytes = 0;                 ///< largest span of pages that is still free of it
  double added_ns = 0;              ///< what a load takes longer beyond it
  double reach_bytes = 0;           ///< span at which half of that is reached
  std::vector<double> log2_spans;   ///< of the pages that were walked, on the way up
  std::vector<double> added_ns_at;  ///< what a load takes longer at each of them
  bool is_table = false;            ///< of a table that was told from the caches, so that nothing is left of it
};

struct Hierarchy {
  std::vector<Level> levels;
  std::vector<TranslationEdge> translation;
  std::vector<PageTable> page_tables;  ///< where walks with several strides tell them; `translation` says when they end
};

/// Where the cycle rises, without the care that a level takes: for choosing what to measure next.
struct Edge {
  double onset_bytes = 0;
  double middle_bytes = 0;  ///< of the sizes that a cache may have which explains it
};
std::vector<Edge> find_edges(const LatencyCurves& curves);

/// Two sizes of the cycle with none between.
struct Gap {
  double low_bytes = 0;
  double high_bytes = 0;
};
/// For each rise of the cycle the gap, of those that may be cut, in which another point tells most about it: where
/// sizes and shapes that explain the curve nearly as well differ most in latency, if by more than points scatter.
std::vector<Gap> doubtful_gaps(const LatencyCurves& curves, const std::function<bool(const Gap&)>& may_be_cut);

/// Reads the levels from the curves: docs/method.md says how. A level that is not there is worse than one that is
/// missed. Empty for less than three points of the cycle.
Hierarchy find_levels(const LatencyCurves& curves);

}  // namespace sonde::analysis
