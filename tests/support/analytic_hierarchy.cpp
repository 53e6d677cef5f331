#include "support/analytic_hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace sonde::test {
namespace {

constexpr std::size_t repetitions = 9;

// Each formula is derived beside it; all were checked by simulation (4096 lines) to within 0.03. Notation:
// rho = N / C, lines of the working set per line of the cache; W ways; h share of hits.

/// Poisson probabilities of 0, 1, … lines in one set of a hashed cache: N lines that fall on sets at random.
std::vector<double> poisson(double mean) {
  std::vector<double> chances;
  double chance = std::exp(-mean);
  const double last = mean + 12 * std::sqrt(mean) + 20;
  for (double n = 0; n < last; ++n) {
    chances.push_back(chance);
    chance *= mean / (n + 1);
  }
  return chances;
}

/// The root of h = exp(-load (1 - h)) below the trivial h = 1, for load > 1: iterating from 0 rises to it.
double surviving(double load) {
  double hits = 0;
  for (int i = 0; i < 10000; ++i) {
    const double next = std::exp(-load * (1 - hits));
    if (next - hits < 1e-12) break;
    hits = next;
  }
  return hits;
}

/// Cyclic walk, random replacement, fully associative. A line comes again after a lap with N (1 - h) misses,
/// each of which evicts one of C lines: it survives with (1 - 1/C)^(N (1 - h)), so h = exp(-rho (1 - h)),
/// or -W0(-rho e^-rho) / rho with Lambert's W. 0.82 at 1.1, 0.69 at 1.2, 0.42 at 1.5, 0.20 at 2, 0.06 at 3.
double random_hits(double rho) { return rho <= 1 ? 1 : surviving(rho); }

/// Cyclic walk, LRU, sets by modulo. Beyond C, C (rho - 1) of the C / W sets hold W + 1 lines and always
/// miss, the others always hit: the missing lines are (rho - 1) C (W + 1) of rho C, until from rho = 1 + 1/W
/// on every set misses.
double modulo_lru_hits(double rho, double ways) {
  if (rho <= 1) return 1;
  return std::max(0.0, 1 - (rho - 1) * (ways + 1) / rho);
}

/// Cyclic walk, LRU, hashed sets. A line hits if at most W - 1 others lie in its set, with the chance
/// P(Poisson(rho W) <= W - 1). W = 16: 0.47 at 1.0, 0.20 at 1.2, 0.03 at 1.5; W = 4: 0.43, 0.29, 0.15.
double hashed_lru_hits(double rho, unsigned ways) {
  const std::vector<double> lines = poisson(rho * ways);
  double hits = 0;
  for (std::size_t n = 0; n < std::min<std::size_t>(ways, lines.size()); ++n) hits += lines[n];
  return hits;
}

/// Cyclic walk, random replacement, one set of W ways with n lines: as above with (1 - 1/W) for each miss in
/// between. The n - 1 other lines miss in between, and the line itself when it was gone; n - 1/2 agrees with
/// a simulation.
double random_hits_in_set(double lines, double ways) {
  if (lines <= ways) return 1;
  return surviving((lines - 0.5) * -std::log(1 - 1 / ways));
}

/// Cyclic walk, random replacement, hashed sets: each set by itself, weighted with its lines. Within 0.015 of
/// a simulation with 4, 8 and 16 ways.
double hashed_random_hits(double rho, unsigned ways) {
  const std::vector<double> lines = poisson(rho * ways);
  double hits = 0;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const auto count = static_cast<double>(n);
    hits += lines[n] * count * random_hits_in_set(count, ways);
  }
  return hits / (rho * ways);
}

/// Independent lines, hashed sets, any demand policy: a set with X lines hits with min(W, X) / X, weighted
/// with its X lines: E[min(W, X)] / (rho W), X ~ Poisson(rho W). W = 16: 0.805 at 1.2, 0.664 at 1.5; W = 4:
/// 0.731, 0.628.
double hashed_independent_hits(double rho, unsigned ways) {
  const std::vector<double> lines = poisson(rho * ways);
  double held = 0;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    held += lines[n] * std::min(static_cast<double>(ways), static_cast<double>(n));
  }
  return held / (rho * ways);
}

using HitShare = double (*)(const AnalyticCache&, double);

/// Latency of the nearest cache, and of each step further for the share that misses the union up to there.
double through_the_caches(const AnalyticHierarchy& hierarchy, double bytes, HitShare hit_share) {
  if (hierarchy.caches.empty()) return hierarchy.memory_ns;
  double ns = hierarchy.caches.front().latency_ns;
  for (std::size_t i = 0; i < hierarchy.caches.size(); ++i) {
    const AnalyticCache& cache = hierarchy.caches[i];
    const bool last = i + 1 == hierarchy.caches.size();
    const double beyond = last ? hierarchy.memory_ns : hierarchy.caches[i + 1].latency_ns;
    ns += (beyond - cache.latency_ns) * (1 - hit_share(cache, bytes));
  }
  return ns;
}

/// Lines in random order come to pages as good as independently, so the share of hits is entries / pages,
/// whatever the policy: the row for independent lines, with pages in their place.
double translation_ns(const AnalyticTranslation& translation, double bytes) {
  if (translation.entries == 0) return 0;
  return translation.penalty_ns * (1 - std::min(1.0, translation.entries * translation.page_bytes / bytes));
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  /// Evenly distributed over (0, 1].
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>(((z ^ (z >> 31)) >> 11) + 1) * 0x1p-53;
  }
  /// Mean 0, standard deviation 1 (Box and Muller, 1958).
  double gaussian() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

/// The size at which the cycle's share of misses reaches `share`; it only grows with the working set.
double where_misses(const AnalyticCache& cache, double share) {
  double low = cache.bytes / 64;
  double high = cache.bytes * 64;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (1 - cycle_hit_share(cache, middle) < share ? low : high) = middle;
  }
  return low;
}

void add_every(std::vector<double>& sizes, double low, double high, double factor) {
  for (double size = low; size <= high; size *= factor) sizes.push_back(size);
}

std::vector<double> cycle_sizes(const AnalyticHierarchy& hierarchy) {
  const double quarter = std::pow(2.0, 0.25);
  std::vector<double> sizes;
  add_every(sizes, hierarchy.caches.front().bytes / 8, hierarchy.caches.back().bytes * 16, quarter);
  for (const AnalyticCache& cache : hierarchy.caches) {
    const double onset = where_misses(cache, 0.05);
    const double end = where_misses(cache, 0.95);
    add_every(sizes, onset * 0.91, onset * 1.1, 1.03);
    add_every(sizes, end * 0.91, end * 1.1, 1.03);
    add_every(sizes, onset * 1.1, end * 0.91, std::sqrt(quarter));
  }
  return sizes;
}

std::vector<double> independent_sizes(const AnalyticHierarchy& hierarchy) {
  std::vector<double> sizes{hierarchy.caches.front().bytes * 0.3, hierarchy.caches.front().bytes * 0.6};
  for (std::size_t i = 0; i < hierarchy.caches.size(); ++i) {
    const bool last = i + 1 == hierarchy.caches.size();
    const double bytes = hierarchy.caches[i].bytes;
    const double limit = last ? bytes * 8 : std::min(bytes * 8, hierarchy.caches[i + 1].bytes * 0.8);
    for (const double times : {1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.5, 8.0}) {
      if (bytes * times <= limit) sizes.push_back(bytes * times);
    }
  }
  return sizes;
}

std::vector<double> page_sizes(const AnalyticHierarchy& hierarchy) {
  std::vector<double> sizes;
  const AnalyticTranslation& translation = hierarchy.translation;
  if (translation.entries == 0) return sizes;
  const double reach = translation.entries * translation.page_bytes;
  add_every(sizes, reach / 16, reach * 16, std::pow(2.0, 0.25));
  add_every(sizes, reach * 0.91, reach * 1.1, 1.03);
  return sizes;
}

std::vector<analysis::CurvePoint> points(std::vector<double> sizes, double grain,
                                         const std::function<double(double)>& latency_ns,
                                         const Disturbance& disturbance, Chance& chance) {
  for (double& size : sizes) size = std::max(1.0, std::round(size / grain)) * grain;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::vector<analysis::CurvePoint> curve;
  for (const double size : sizes) {
    const double ns = latency_ns(size);
    analysis::CurvePoint& point = curve.emplace_back(analysis::CurvePoint{.bytes = size, .values = {}});
    for (std::size_t i = 0; i < repetitions; ++i) {
      const bool outlier = chance.uniform() <= disturbance.outlier_share;
      const double noisy = ns * (1 + disturbance.relative * chance.gaussian());
      point.values.push_back(outlier ? noisy * disturbance.outlier_factor : noisy);
    }
  }
  return curve;
}

}  // namespace

double cycle_hit_share(const AnalyticCache& cache, double bytes) {
  const double rho = bytes / cache.bytes;
  if (cache.policy == Policy::random) {
    return cache.index == Index::hashed ? hashed_random_hits(rho, cache.ways) : random_hits(rho);
  }
  return cache.index == Index::hashed ? hashed_lru_hits(rho, cache.ways) : modulo_lru_hits(rho, cache.ways);
}

double independent_hit_share(const AnalyticCache& cache, double bytes) {
  const double rho = bytes / cache.bytes;
  if (cache.index == Index::hashed) return hashed_independent_hits(rho, cache.ways);
  return std::min(1.0, 1 / rho);  // C of N equally likely lines are there, whatever the policy
}

double cycle_ns(const AnalyticHierarchy& hierarchy, double bytes) {
  return through_the_caches(hierarchy, bytes, cycle_hit_share) + translation_ns(hierarchy.translation, bytes);
}

double independent_ns(const AnalyticHierarchy& hierarchy, double bytes) {
  return through_the_caches(hierarchy, bytes, independent_hit_share) + translation_ns(hierarchy.translation, bytes);
}

double page_ns(const AnalyticHierarchy& hierarchy, double bytes) {
  const AnalyticTranslation& translation = hierarchy.translation;
  const double pages = bytes / translation.page_bytes;
  // Cyclic and LRU over pages: all hit until the entries do not suffice, then none.
  const double added = translation.entries > 0 && pages > translation.entries ? translation.penalty_ns : 0;
  return through_the_caches(hierarchy, pages * hierarchy.line_bytes, cycle_hit_share) + added;
}

analysis::LatencyCurves analytic_curves(const AnalyticHierarchy& hierarchy, const Disturbance& disturbance,
                                        std::uint64_t seed) {
  Chance chance(seed);
  const double line = hierarchy.line_bytes;
  const double page = hierarchy.translation.page_bytes;
  analysis::LatencyCurves curves;
  curves.line_bytes = line;
  curves.page_bytes = page;
  curves.cycle =
      points(cycle_sizes(hierarchy), line, [&](double size) { return cycle_ns(hierarchy, size); }, disturbance, chance);
  curves.independent = points(
      independent_sizes(hierarchy), line, [&](double size) { return independent_ns(hierarchy, size); }, disturbance,
      chance);
  curves.page =
      points(page_sizes(hierarchy), page, [&](double size) { return page_ns(hierarchy, size); }, disturbance, chance);
  return curves;
}

}  // namespace sonde::test
