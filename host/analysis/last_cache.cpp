#include "analysis/last_cache.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace sonde::analysis {
namespace {

/// The latencies of a cache are read away from its size, where its policy matters: sets that fill unevenly lose lines
/// before it is full and have room beyond. The caches before it serve few of the loads, so that theirs matters less.
constexpr double still_inside = 0.7;
constexpr double beyond_inner = 1.3;
constexpr double well_beyond = 1.55;
/// Farther out the next table of pages may be full, which slows misses at once and not little by little.
constexpr double far_beyond = 8.5;
/// The least ratio of two caches' sizes; without it a few sizes about an edge would pass for a cache.
constexpr double least_reach = 2.2;
constexpr std::size_t least_points = 3;
constexpr std::size_t most_pieces = 7;
/// Scatter below which a further piece is worth nothing.
constexpr double noise_floor = 0.004;

/// sum = slope_ns * bytes - saved, by least squares of relative errors.
struct FittedLine {
  double slope_ns = 0;
  double saved = 0;
  double squares = 0;
};

/// The sums from which the line of a stretch of points follows.
struct Sums {
  double one = 0;
  double x = 0;
  double xx = 0;
  double y = 0;
  double xy = 0;
  double yy = 0;

  /// Adds a point, of whose sum the line has to explain the given share.
  void add(const RandomLoad& load, double share = 1) {
    // Both are relative to the point's own sum, so that each weighs the same.
    const double sum = load.bytes * load.nanoseconds;
    const double inverse = 1 / sum;
    const double bytes = load.bytes * inverse;
    one += inverse * inverse;
    x += inverse * bytes;
    xx += bytes * bytes;
    y += share * inverse;
    xy += share * bytes;
    yy += share * share;
  }

  [[nodiscard]] FittedLine line() const {
    const double determinant = xx * one - x * x;
    if (determinant <= 1e-12 * xx * one) return {.squares = std::numeric_limits<double>::infinity()};
    const double slope = (xy * one - x * y) / determinant;
    const double saved = (x * xy - xx * y) / determinant;
    const double squares = yy - slope * xy + saved * y;
    return {slope, saved, std::max(0.0, squares)};
  }
};

FittedLine line_through(std::span<const RandomLoad> loads) {
  Sums sums;
  for (const RandomLoad& load : loads) sums.add(load);
  return sums.line();
}

/// The best split into lines for each number of them, by dynamic programming (Bellman and Roth, 1969), and of these the
/// one of the least Bayesian information criterion.
std::vector<FittedLine> pieces_of(std::span<const RandomLoad> sorted) {
  const std::size_t count = sorted.size();
  constexpr double endless = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> best(most_pieces + 1, std::vector<double>(count + 1, endless));
  std::vector<std::vector<std::size_t>> from(most_pieces + 1, std::vector<std::size_t>(count + 1, 0));
  best[0][0] = 0;
  for (std::size_t begin = 0; begin < count; ++begin) {
    Sums sums;
    for (std::size_t end = begin + 1; end <= count; ++end) {
      sums.add(sorted[end - 1]);
      if (end - begin < least_points || sorted[end - 1].bytes < least_reach * sorted[begin].bytes) continue;
      const FittedLine line = sums.line();
      if (line.slope_ns <= 0) continue;
      for (std::size_t pieces = 0; pieces < most_pieces; ++pieces) {
        const double squares = best[pieces][begin] + line.squares;
        if (squares < best[pieces + 1][end]) {
          best[pieces + 1][end] = squares;
          from[pieces + 1][end] = begin;
        }
      }
    }
  }
  std::size_t chosen = 0;
  double least = endless;
  const auto points = static_cast<double>(count);
  for (std::size_t pieces = 1; pieces <= most_pieces; ++pieces) {
    const double squares = best[pieces][count];
    if (!std::isfinite(squares)) continue;
    const double criterion = points * std::log(squares / points + noise_floor * noise_floor) +
                             3 * static_cast<double>(pieces) * std::log(points);
    if (criterion < least) {
      least = criterion;
      chosen = pieces;
    }
  }
  std::vector<FittedLine> found;
  for (std::size_t end = count; chosen > 0; --chosen) {
    const std::size_t begin = from[chosen][end];
    found.insert(found.begin(), line_through(sorted.subspan(begin, end - begin)));
    end = begin;
  }
  return found;
}

/// The size at which two lines meet, which is what the cache between them holds.
double crossing(const FittedLine& inner, const FittedLine& outer) {
  return (outer.saved - inner.saved) / (outer.slope_ns - inner.slope_ns);
}

std::vector<RandomLoad> between(std::span<const RandomLoad> loads, double least_bytes, double most_bytes) {
  std::vector<RandomLoad> found;
  std::ranges::copy_if(loads, std::back_inserter(found),
                       [&](const RandomLoad& one) { return one.bytes >= least_bytes && one.bytes <= most_bytes; });
  return found;
}

/// The line beyond the cache, where the latency of a miss may grow with the logarithm of the working set, for those
/// lines alone that the cache does not hold. For a given growth the line follows by least squares, and the sum of
/// squares is a parabola of the growth.
struct MissLine {
  FittedLine line;
  double growth_ns = 0;
};

MissLine miss_line(std::span<const RandomLoad> loads, double from_bytes) {
  const auto with = [&](double growth_ns) {
    Sums sums;
    for (const RandomLoad& one : loads) {
      const double grown = growth_ns * std::log2(one.bytes / from_bytes) * (1 - from_bytes / one.bytes);
      sums.add(one, 1 - grown / one.nanoseconds);
    }
    return sums.line();
  };
  const FittedLine flat = with(0);
  if (loads.size() < 5) return {flat};
  const double step = 0.01 * flat.slope_ns;
  const double lower = with(-step).squares;
  const double upper = with(step).squares;
  const double curvature = lower + upper - 2 * flat.squares;
  if (curvature <= 0) return {flat};
  const double growth = step * (lower - upper) / (2 * curvature);
  if (growth <= 0) return {flat};
  const FittedLine grown = with(growth);
  // The growth is one number more and has to explain more than chance would.
  const auto count = static_cast<double>(loads.size());
  const double floor = count * noise_floor * noise_floor;
  if ((flat.squares + floor) / (grown.squares + floor) < std::exp(2 * std::log(count) / count)) return {flat};
  return {grown, growth};
}

}  // namespace

double LastCache::miss_ns_at(double working_set_bytes) const {
  return miss_ns + growth_ns * std::max(0.0, std::log2(working_set_bytes / bytes));
}

double LastCache::hit_rate(const RandomLoad& load) const {
  const double missed_ns = miss_ns_at(load.bytes);
  return (missed_ns - load.nanoseconds - saved / load.bytes) / (missed_ns - hit_ns);
}

double LastCache::local_hit_rate(const RandomLoad& load) const {
  const double before = inner_bytes.empty() ? 0 : inner_bytes.back() / load.bytes;
  return (hit_rate(load) - before) / (1 - before);
}

std::optional<LastCache> estimate_last_cache(std::span<const RandomLoad> sweep) {
  std::vector<RandomLoad> sorted(sweep.begin(), sweep.end());
  std::ranges::sort(sorted, {}, &RandomLoad::bytes);
  const std::vector<FittedLine> pieces = pieces_of(sorted);
  LastCache found;
  std::size_t last = 0;
  for (std::size_t piece = 1; piece < pieces.size(); ++piece) {
    const double contrast = pieces[piece].slope_ns / pieces[piece - 1].slope_ns;
    if (contrast < least_contrast) continue;
    if (found.bytes > 0) found.inner_bytes.push_back(found.bytes);
    found.bytes = crossing(pieces[piece - 1], pieces[piece]);
    last = piece;
  }
  if (last == 0 || !(found.bytes > 0)) return std::nullopt;
  found.hit_ns = pieces[last - 1].slope_ns;
  found.saved = pieces[last - 1].saved;
  found.miss_ns = pieces[last].slope_ns;
  return found;
}

LastCache without_part(const LastCache& cache, std::span<const RandomLoad> loads) {
  LastCache found = cache;
  found.miss_ns = line_through(loads).slope_ns;
  found.growth_ns = 0;
  return found;
}

std::optional<LastCache> refine_last_cache(const LastCache& rough, std::span<const RandomLoad> loads) {
  LastCache found = rough;
  const double inner = rough.inner_bytes.empty() ? 0 : rough.inner_bytes.back();
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    const auto inside = between(loads, beyond_inner * inner, still_inside * found.bytes);
    const auto outside = between(loads, well_beyond * found.bytes, far_beyond * found.bytes);
    if (inside.size() < 2 || outside.size() < least_points) return std::nullopt;
    const FittedLine hits = line_through(inside);
    const MissLine misses = miss_line(outside, found.bytes);
    if (!(hits.slope_ns > 0) || misses.line.slope_ns < least_contrast * hits.slope_ns) return std::nullopt;
    found.hit_ns = hits.slope_ns;
    found.saved = hits.saved;
    found.growth_ns = misses.growth_ns;
    const double bytes = crossing(hits, misses.line);
    if (!(bytes > inner)) return std::nullopt;
    // The logarithm counts from the cache's size, which has moved.
    found.miss_ns = misses.line.slope_ns + misses.growth_ns * std::log2(bytes / found.bytes);
    found.bytes = bytes;
  }
  return found;
}

}  // namespace sonde::analysis
