#include <fmt/format.h>

#include <cmath>

#include "analysis/number_text.hpp"
#include "probes/hit_rate/hit_rate.hpp"

namespace sonde::probes {
namespace {

using analysis::LastCache;
using analysis::RandomLoad;

/// The least contrast of use: with less, an error of 1 % in a latency is one of more than 3 points in the hit rate.
constexpr double least_usable_contrast = 1.5;
/// The error of a median: runs that each know theirs within 1 % differ by so much.
constexpr double error_of_a_median = 0.01;
/// The hit rate shows what the cache holds from so many times its size on.
constexpr double beyond_the_cache = 1.3;
constexpr std::size_t least_counted_sizes = 3;
/// A sweep that ends sooner shows a cache before the stated one as the last.
constexpr double swept_beyond = 3;
/// The hit rate is given from this share of the cache's size on.
constexpr double hit_rate_from = 0.3;

/// The cache by what another run may measure, and that run's loads.
struct OtherRun {
  LastCache cache;
  std::vector<RandomLoad> loads;
};

/// The cache as all visits of a walk show it, and as each other run does that shows it.
struct SeenCache {
  LastCache all;
  std::vector<Measurement> walk = {};
  std::vector<OtherRun> others = {};

  /// Whether nearly all other runs show the cache: those that do say little of a number that many do not have.
  [[nodiscard]] bool is_sure() const { return static_cast<double>(others.size()) >= 0.95 * measure::OtherRuns::count; }
  [[nodiscard]] analysis::Estimate bytes() const {
    std::vector<double> each{all.bytes};
    for (const OtherRun& one : others) each.push_back(one.cache.bytes);
    analysis::Estimate found = analysis::among(all.bytes, each);
    // An error of the latency moves the size by twice as much in a working set twice as large.
    const double unknown = 2 * error_of_a_median * all.miss_ns / (all.miss_ns - all.hit_ns);
    found.low = std::min(found.low, all.bytes * (1 - unknown));
    found.high = std::max(found.high, all.bytes * (1 + unknown));
    return found;
  }
};

/// `read` reads the cache, if it shows one, from the loads of a run on the curve with these words.
template <typename Read>
SeenCache seen(const LastCache& all, std::span<const Measurement> measurements, const Words& words, Read read) {
  SeenCache cache{all};
  std::ranges::copy_if(measurements, std::back_inserter(cache.walk),
                       [&](const Measurement& one) { return one.unit == "ns" && one.point.words == words; });
  measure::OtherRuns others(cache.walk);
  for (int run = 0; run < measure::OtherRuns::count; ++run) {
    std::vector<RandomLoad> loads = loads_of(others.next(), words);
    if (const std::optional<LastCache> one = read(loads)) cache.others.push_back({*one, std::move(loads)});
  }
  return cache;
}

/// Adds the hit rate of the loads that reach the cache, at each working set: that of each repetition, and the interval
/// of all.
void add_shares(const SeenCache& cache, Conclusion& conclusion) {
  for (const Measurement& one : cache.walk) {
    const double bytes = one.point.x.bytes.value();
    if (bytes < hit_rate_from * cache.all.bytes) continue;
    Measurement share{.point = one.point, .unit = "ratio", .values = {}, .state = one.state, .visits = one.visits};
    share.point.curve = &hit_rate_probe::share_by_timing;
    for (const double ns : one.values) share.values.push_back(six_digits(cache.all.local_hit_rate({bytes, ns})));
    const double ns = median_of(one);
    const double value = cache.all.local_hit_rate({bytes, ns});
    std::vector<double> each{value};
    for (const OtherRun& other : cache.others) {
      for (const RandomLoad& load : other.loads) {
        if (load.bytes == bytes) each.push_back(other.cache.local_hit_rate(load));
      }
    }
    analysis::Estimate interval = analysis::among(value, each);
    const double unknown = error_of_a_median * ns / (cache.all.miss_ns_at(bytes) - cache.all.hit_ns);
    interval.low = std::min(interval.low, value - unknown);
    interval.high = std::max(interval.high, value + unknown);
    if (cache.is_sure()) share.interval = {six_digits(interval.low), six_digits(value), six_digits(interval.high)};
    conclusion.derived.push_back(std::move(share));
  }
}

std::string sizes_text(const std::vector<double>& sizes) {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == sizes.size() ? " and " : ", ") + size_text(sizes[i]);
  return text;
}

std::string in_kind(const Words& words) {
  return words == usual_walk_words ? "A" : "In the memory " + words.memory.str() + " a";
}

void compare_with_stated(Finding& finding, double bytes, double stated_bytes) {
  if (stated_bytes <= 0) return;
  finding.details["share_of_stated"] = six_digits(bytes / stated_bytes);
  finding.evidence +=
      fmt::format(", {:.0f} % of the {} that the system states", 100 * bytes / stated_bytes, size_text(stated_bytes));
}

/// Adds what is known of a cache that serves one kind of memory.
void add_cache(const LastCache& all, std::span<const Measurement> measurements, const Words& words, double stated_bytes,
               Conclusion& conclusion) {
  const SeenCache cache =
      seen(all, measurements, words, [&](const auto& loads) { return analysis::refine_last_cache(all, loads); });
  add_shares(cache, conclusion);
  Finding finding = finding_of(
      hit_rate_probe::effective_capacity, words, cache.bytes(),
      fmt::format("{} load takes {} ns where the last cache serves it and {} ns where it does not, {:.2f} times "
                  "as long; beyond it the hit rate is that of a cache of {}",
                  in_kind(words), analysis::number_text(all.hit_ns), analysis::number_text(all.miss_ns), all.contrast(),
                  size_text(all.bytes)));
  finding.details = {{"hit_ns", six_digits(all.hit_ns)},
                     {"miss_ns", six_digits(all.miss_ns)},
                     {"miss_growth_ns", six_digits(all.growth_ns)},
                     {"contrast", six_digits(all.contrast())},
                     {"before_bytes", six_digits(all.inner_bytes.empty() ? 0 : all.inner_bytes.back())}};
  if (!cache.is_sure()) finding.low = finding.high = std::nullopt;
  compare_with_stated(finding, all.bytes, stated_bytes);
  finding.evidence += ".";
  conclusion.findings.push_back(finding);
}

/// Concludes for memory of another kind, given the cache for what any buffer is made of.
void conclude_kind(const LastCache& usual, std::span<const Measurement> measurements, const Words& words,
                   double stated_bytes, Conclusion& conclusion) {
  const std::vector<RandomLoad> loads = loads_of(measurements, words);
  if (const auto cache = analysis::refine_last_cache(usual, loads)) {
    if (cache->contrast() >= least_usable_contrast) add_cache(*cache, measurements, words, stated_bytes, conclusion);
    return;
  }
  if (loads.size() < 3) return;
  const RandomLoad& inside = loads.front();
  const RandomLoad& beyond = loads.back();
  const bool flat = beyond.nanoseconds < analysis::least_contrast * inside.nanoseconds;
  if (!flat || beyond.bytes < 1.5 * usual.bytes || inside.bytes > 0.75 * usual.bytes) {
    conclusion.without_levels.push_back(
        {words,
         "too few working sets, or too much noise, to see what the last cache holds of this memory: measure "
         "for longer (--time), and without --sizes"});
    return;
  }
  const auto bypassed = [&](const auto& some) { return std::optional(analysis::without_part(usual, some)); };
  add_shares(seen(*bypassed(loads), measurements, words, bypassed), conclusion);
  conclusion.findings.push_back(
      {.kind = &hit_rate_probe::none_seen,
       .words = words,
       .evidence =
           fmt::format("{} load takes {} ns in {} and {} ns in {}: the cache that holds {} of "
                       "device memory serves none of it.",
                       in_kind(words), analysis::number_text(inside.nanoseconds), size_text(inside.bytes),
                       analysis::number_text(beyond.nanoseconds), size_text(beyond.bytes), size_text(usual.bytes))});
}

/// The cache's effective capacity by what counters saw of the random walk, and by how much its hit rate differs from
/// that by timing, `by_timing`. Findings only where both were measured at three working sets beyond the cache.
std::vector<Finding> findings_by_counters(const analysis::LastCache& cache, std::span<const Measurement> measurements,
                                          std::span<const Measurement> by_timing, double stated_bytes) {
  if (by_timing.empty()) return {};
  const Words timed_words = by_timing.front().point.words;
  const Words counted_words = with(timed_words, {.method = Method::counters});
  std::vector<double> capacities;
  std::vector<double> differences;
  double largest_bytes = 0;
  const double inner_bytes = cache.inner_bytes.empty() ? 0 : cache.inner_bytes.back();
  for (const Measurement& timed : by_timing) {
    const double bytes = timed.point.x.bytes.value();
    const Measurement* const counted = find(measurements, counted_words, timed.point.x, "ratio");
    if (counted == nullptr || bytes < beyond_the_cache * cache.bytes) continue;
    const double share = median_of(*counted);
    // The lines that reach the cache are those that the caches before it do not hold.
    capacities.push_back(inner_bytes + share * (bytes - inner_bytes));
    differences.push_back(share - median_of(timed));
    largest_bytes = std::max(largest_bytes, bytes);
  }
  if (capacities.size() < least_counted_sizes) return {};
  const std::string range = fmt::format("at {} working sets from {} to {}", capacities.size(),
                                        size_text(beyond_the_cache * cache.bytes), size_text(largest_bytes));
  const analysis::Estimate held = analysis::predicted_above_zero(analysis::quantile(capacities, 0.5), capacities);
  Finding capacity = finding_of(hit_rate_probe::effective_capacity, counted_words, held,
                                fmt::format("By the bytes that counters saw at the fabric and at memory, {}, its hit "
                                            "rate is that of a cache of {}",
                                            range, size_text(held.value)));
  compare_with_stated(capacity, held.value, stated_bytes);
  capacity.evidence += ".";
  const analysis::Estimate by = analysis::predicted(analysis::quantile(differences, 0.5), differences);
  return {capacity, finding_of(hit_rate_probe::methods_differ, timed_words, by,
                               fmt::format("The hit rate by counters is {:.3f} {} than that by timing, {}.",
                                           std::abs(by.value), by.value < 0 ? "lower" : "higher", range))};
}

/// Whether sizes are about a doubling apart, with which two caches pass for one.
bool are_a_doubling_apart(const std::vector<RandomLoad>& loads) {
  constexpr double most_apart = 1.6;
  std::vector<double> apart;
  for (std::size_t i = 1; i < loads.size(); ++i) apart.push_back(loads[i].bytes / loads[i - 1].bytes);
  return analysis::quantile(apart, 0.5) > most_apart;
}

}  // namespace

Conclusion conclude_hit_rate(const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  const std::vector<RandomLoad> usual = loads_of(measurements, usual_walk_words);
  if (usual.size() < 3) return conclusion;
  const auto not_known = [&](const std::string& reason) {
    conclusion.without_levels.push_back({usual_walk_words, reason});
    return conclusion;
  };
  const auto none_seen = [&](const std::string& evidence) {
    conclusion.findings.push_back(
        {.kind = &hit_rate_probe::none_seen, .words = usual_walk_words, .evidence = evidence});
    return conclusion;
  };
  if (are_a_doubling_apart(usual)) {
    return not_known(
        "no cache is read from this sweep, as its sizes are a doubling apart; a longer run (--time) has more");
  }
  const std::optional<LastCache> rough = analysis::estimate_last_cache(usual);
  const auto stated_bytes = static_cast<double>(request.stated_memory_side_bytes);
  const std::string far = size_text(usual.back().bytes);
  if (usual.back().bytes < swept_beyond * stated_bytes) {
    return not_known("the system states a cache of " + size_text(stated_bytes) + " before memory, and " + far +
                     " were swept: --sizes up to four times as much shows it");
  }
  if (!rough) {
    return none_seen(fmt::format(
        "Latency never rises by 20 % and stays there for a doubling, up to {}: everything measured is served by the "
        "same level.",
        far));
  }
  const std::optional<LastCache> cache = analysis::refine_last_cache(*rough, usual);
  if (!cache) {
    return not_known("loads take longer from about " + size_text(rough->bytes) + " on, but the sizes up to " + far +
                     " do not agree on one cache: measure again on an idle machine, or to larger --sizes");
  }
  if (!may_be_before_memory(*cache, request)) {
    std::vector<double> sizes{cache->bytes};
    sizes.insert(sizes.begin(), cache->inner_bytes.begin(), cache->inner_bytes.end());
    return none_seen(fmt::format(
        "Loads take longer from {} on and then no more up to {}, and the system states no cache behind a GPU's own: "
        "none is seen before memory.",
        sizes_text(sizes), far));
  }
  if (cache->contrast() < least_usable_contrast) {
    conclusion.findings.push_back(
        {.kind = &hit_rate_probe::contrast_too_small,
         .words = usual_walk_words,
         .value = six_digits(cache->contrast()),
         .evidence = fmt::format("Beyond {} a load takes {} ns instead of {}, {:.2f} times as long: too little "
                                 "to tell hits from misses, and it may be address translation.",
                                 size_text(cache->bytes), analysis::number_text(cache->miss_ns),
                                 analysis::number_text(cache->hit_ns), cache->contrast())});
    return conclusion;
  }
  add_cache(*cache, measurements, usual_walk_words, stated_bytes, conclusion);
  conclusion.add(findings_by_counters(*cache, measurements, conclusion.derived, stated_bytes));
  std::set<Words> kinds;
  for (const Measurement& one : measurements) {
    if (one.point.words != usual_walk_words && !is_by_counters(one.point.words)) kinds.insert(one.point.words);
  }
  for (const Words& words : kinds) conclude_kind(*cache, measurements, words, stated_bytes, conclusion);
  return conclusion;
}

}  // namespace sonde::probes
