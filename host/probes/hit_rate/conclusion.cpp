#include "probes/hit_rate/conclusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/last_cache.hpp"
#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/hit_rate/by_counters.hpp"
#include "probes/hit_rate/plan.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

using analysis::LastCache;
using analysis::RandomLoad;
using Series = std::map<std::string, std::string>;

/// Below this an error of 1 % in a latency is one of more than 3 points in the share of hits.
constexpr double least_usable_contrast = 1.5;
/// Runs that each know their medians within 1 % differ by so much.
constexpr double unknown_of_a_median = 0.01;
/// A sweep that ends sooner shows a cache before the stated one as the last.
constexpr double swept_beyond = 3;
/// From such a share of the cache's size on the share of hits is told.
constexpr double told_from = 0.3;

/// One series as it was measured: all of it, and visit by visit.
struct Walked {
  std::vector<Measurement> measurements;
  std::vector<RandomLoad> loads;
  std::vector<std::vector<RandomLoad>> visits;
};

Walked walked(std::span<const Measurement> measurements, const Series& series) {
  Walked found;
  for (const Measurement& one : measurements) {
    if (one.unit == "ns" && one.point.series == series) found.measurements.push_back(one);
  }
  found.loads = loads_of(found.measurements, series);
  for (const std::vector<Measurement>& visit : measure::by_visit(found.measurements))
    found.visits.push_back(loads_of(visit, series));
  return found;
}

/// The cache by one visit, and that visit's loads.
struct Visit {
  LastCache cache;
  std::span<const RandomLoad> loads;
};

/// What the cache is by all visits, and by each that shows it. The walk must outlive it.
struct SeenCache {
  LastCache all;
  std::vector<Visit> visits = {};

  [[nodiscard]] analysis::Estimate bytes() const {
    std::vector<double> each;
    for (const Visit& one : visits) each.push_back(one.cache.bytes);
    analysis::Estimate found = analysis::predicted_above_zero(all.bytes, each);
    // Of a working set twice as large a latency that is off by so much moves the size by twice as much.
    const double unknown = 2 * unknown_of_a_median * all.miss_ns / (all.miss_ns - all.hit_ns);
    found.low = std::min(found.low, all.bytes * (1 - unknown));
    found.high = std::max(found.high, all.bytes * (1 + unknown));
    return found;
  }
};

SeenCache seen(const LastCache& all, const Walked& walk) {
  SeenCache cache{all};
  for (const std::vector<RandomLoad>& visit : walk.visits) {
    if (const auto one = analysis::refine_last_cache(all, visit)) cache.visits.push_back({*one, visit});
  }
  return cache;
}

/// The share of the loads that reach the cache which it serves, at each footprint: of each repetition, and the interval
/// of all.
void add_shares(const SeenCache& cache, const Walked& walk, Conclusion& conclusion) {
  for (const Measurement& one : walk.measurements) {
    const double bytes = one.point.x.at("bytes");
    // What the sweep has seen once is known less well.
    const bool is_of_the_sweep = one.visits.empty() && one.point.series == series_of_timing();
    if (bytes < told_from * cache.all.bytes || is_of_the_sweep) continue;
    Measurement share{.point = one.point, .unit = "ratio", .values = {}, .state = one.state, .visits = one.visits};
    for (const double ns : one.values) share.values.push_back(six_digits(cache.all.local_hit_rate({bytes, ns})));
    const double ns = measure::median_of(one);
    const double value = cache.all.local_hit_rate({bytes, ns});
    std::vector<double> each;
    for (const Visit& visit : cache.visits) {
      for (const RandomLoad& load : visit.loads) {
        if (load.bytes == bytes) each.push_back(visit.cache.local_hit_rate(load));
      }
    }
    analysis::Estimate interval = analysis::predicted(value, each);
    const double unknown = unknown_of_a_median * ns / (cache.all.miss_ns_at(bytes) - cache.all.hit_ns);
    interval.low = std::min(interval.low, value - unknown);
    interval.high = std::max(interval.high, value + unknown);
    if (std::isfinite(interval.low) && std::isfinite(interval.high))
      share.interval = {six_digits(interval.low), six_digits(value), six_digits(interval.high)};
    conclusion.derived.push_back(std::move(share));
  }
}

std::string sizes_text(const std::vector<double>& sizes) {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == sizes.size() ? " and " : ", ") + size_text(sizes[i]);
  return text;
}

std::string of_kind(const Series& series) {
  return series == series_of_timing() ? "A" : "In the memory " + workloads::memory_of(series) + " a";
}

void add_capacity(const SeenCache& cache, const Series& series, double stated_bytes, Conclusion& conclusion) {
  const LastCache& all = cache.all;
  Finding finding{
      .series = series,
      .name = "effective-capacity",
      .unit = "bytes",
      .evidence = fmt::format("{} load takes {:.3g} ns where the last cache serves it and {:.3g} ns where it does not, "
                              "{:.2f} times as long; beyond it the share of hits is that of {}",
                              of_kind(series), all.hit_ns, all.miss_ns, all.contrast(), size_text(all.bytes)),
      .details = {{"hit_ns", six_digits(all.hit_ns)},
                  {"miss_ns", six_digits(all.miss_ns)},
                  {"miss_growth_ns", six_digits(all.growth_ns)},
                  {"contrast", six_digits(all.contrast())},
                  {"before_bytes", six_digits(all.inner_bytes.empty() ? 0 : all.inner_bytes.back())}}};
  if (stated_bytes > 0) {
    finding.details["share_of_stated"] = six_digits(all.bytes / stated_bytes);
    finding.evidence += fmt::format(", {:.0f} % of the {} that the system states", 100 * all.bytes / stated_bytes,
                                    size_text(stated_bytes));
  }
  if (cache.visits.size() > 1) {
    const auto [least, most] =
        std::ranges::minmax(cache.visits, {}, [](const Visit& visit) { return visit.cache.bytes; });
    finding.evidence += fmt::format("; one visit after the other it was between {} and {}",
                                    size_text(least.cache.bytes), size_text(most.cache.bytes));
  }
  finding.evidence += ".";
  measure::state(finding, cache.bytes());
  conclusion.findings.push_back(finding);
}

/// Memory of another kind, held against the cache that what any buffer is made of has.
void conclude_kind(const LastCache& usual, const Walked& walk, const Series& series, double stated_bytes,
                   Conclusion& conclusion) {
  if (const auto cache = analysis::refine_last_cache(usual, walk.loads)) {
    if (cache->contrast() < least_usable_contrast) return;
    const SeenCache found = seen(*cache, walk);
    add_shares(found, walk, conclusion);
    add_capacity(found, series, stated_bytes, conclusion);
    return;
  }
  if (walk.loads.size() < 3) return;
  const RandomLoad& inside = walk.loads.front();
  const RandomLoad& beyond = walk.loads.back();
  const bool flat = beyond.nanoseconds < analysis::least_contrast * inside.nanoseconds;
  if (!flat || beyond.bytes < 1.5 * usual.bytes || inside.bytes > 0.75 * usual.bytes) {
    conclusion.unread.push_back(
        {series,
         "too few working sets, or too much noise, to see what the last cache holds of this memory: measure "
         "with --effort thorough, and without --sizes"});
    return;
  }
  SeenCache bypassed{analysis::without_part(usual, walk.loads)};
  for (const std::vector<RandomLoad>& visit : walk.visits)
    bypassed.visits.push_back({analysis::without_part(usual, visit), visit});
  add_shares(bypassed, walk, conclusion);
  conclusion.findings.push_back(
      {.series = series,
       .name = "none-seen",
       .evidence = fmt::format("{} load takes {:.3g} ns in {} and {:.3g} ns in {}: the cache that holds {} of "
                               "device memory serves none of it.",
                               of_kind(series), inside.nanoseconds, size_text(inside.bytes), beyond.nanoseconds,
                               size_text(beyond.bytes), size_text(usual.bytes))});
}

}  // namespace

Conclusion conclude_hit_rate(const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  const Walked usual = walked(measurements, series_of_timing());
  if (usual.loads.size() < 3) return conclusion;
  const std::optional<LastCache> rough = analysis::estimate_last_cache(usual.loads);
  const auto stated_bytes = static_cast<double>(request.stated_memory_side_bytes);
  Finding finding{.series = series_of_timing()};
  const std::string far = size_text(usual.loads.back().bytes);
  if (usual.loads.back().bytes < swept_beyond * stated_bytes) {
    conclusion.unread.push_back({series_of_timing(), "the system states a cache of " + size_text(stated_bytes) +
                                                         " before memory, and " + far +
                                                         " were swept: --sizes up to four times as much shows it"});
    return conclusion;
  }
  if (!rough) {
    finding.name = "none-seen";
    finding.evidence = fmt::format(
        "Up to {} no load takes longer by a fifth at some size and for a factor of two beyond it: no "
        "cache is seen before what serves the largest working set.",
        far);
    conclusion.findings.push_back(finding);
    return conclusion;
  }
  const std::optional<LastCache> cache = analysis::refine_last_cache(*rough, usual.loads);
  if (!cache) {
    conclusion.unread.push_back(
        {series_of_timing(), "loads take longer from about " + size_text(rough->bytes) + " on, but the sizes up to " +
                                 far +
                                 " do not agree on one cache: measure again on an idle machine, or to larger --sizes"});
    return conclusion;
  }
  std::vector<double> sizes = cache->inner_bytes;
  sizes.push_back(cache->bytes);
  if (!may_be_before_memory(*cache, request)) {
    finding.name = "none-seen";
    finding.evidence = fmt::format(
        "Loads take longer from {} on and then no more up to {}, and the system states no cache behind a GPU's own: "
        "none is seen before memory.",
        sizes_text(sizes), far);
    conclusion.findings.push_back(finding);
    return conclusion;
  }
  if (cache->contrast() < least_usable_contrast) {
    finding.name = "contrast-too-small";
    finding.value = six_digits(cache->contrast());
    finding.unit = "ratio";
    finding.evidence = fmt::format(
        "Beyond {} a load takes {:.3g} ns instead of {:.3g}, {:.2f} times as long: too little to tell hits from "
        "misses, "
        "and it may be address translation.",
        size_text(cache->bytes), cache->miss_ns, cache->hit_ns, cache->contrast());
    conclusion.findings.push_back(finding);
    return conclusion;
  }
  const SeenCache found = seen(*cache, usual);
  add_shares(found, usual, conclusion);
  add_capacity(found, series_of_timing(), stated_bytes, conclusion);
  std::ranges::move(findings_by_counters(*cache, measurements, conclusion.derived, stated_bytes),
                    std::back_inserter(conclusion.findings));
  std::set<Series> kinds;
  for (const Measurement& one : measurements) {
    if (one.point.series != series_of_timing() && !is_by_counters(one.point.series)) kinds.insert(one.point.series);
  }
  for (const Series& series : kinds)
    conclude_kind(*cache, walked(measurements, series), series, stated_bytes, conclusion);
  return conclusion;
}

}  // namespace sonde::probes
