// How often does the last cache before memory, such as AMD's Infinity Cache, serve a load?
// docs/method/hit-rate.md explains it.

#include "probes/hit_rate/hit_rate.hpp"

#include <cmath>

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "workloads/walk/chases.hpp"

namespace sonde::probes {
namespace {

constexpr std::array curves{&hit_rate_probe::walk, &hit_rate_probe::share_by_timing, &hit_rate_probe::share_by_counters,
                            &hit_rate_probe::stream, &hit_rate_probe::share_of_stream};
constexpr std::array finding_kinds{&hit_rate_probe::effective_capacity, &hit_rate_probe::methods_differ,
                                   &hit_rate_probe::none_seen, &hit_rate_probe::contrast_too_small};

constexpr double mib = 1 << 20;
/// A first cache of 16 KiB has its three sizes within it, or it would pass for a part of the next.
constexpr double least_bytes = 4 << 10;
constexpr int steps_per_doubling = 3;
/// A sweep that ends on a rise, or too soon after one, goes on to so many times its end.
constexpr double further = 4;
/// A rise may follow where the last third of a doubling has become slower by so much.
constexpr double still_rising = 1.02;
/// The doublings up to where a point takes so long come before all else.
constexpr double first_seconds = 0.4;
/// The sizes about a cache lie on a grid, so that one that is known better asks for the same ones.
constexpr double grid_steps_per_doubling = 16;

analysis::SizeRange swept_range(const device::DeviceInfo& device, const Request& request) {
  const double usual = by_look(request.look, 256, 512, 1024) * mib;
  const double least = request.smallest_bytes ? static_cast<double>(*request.smallest_bytes) : least_bytes;
  // Whoever asks for large sizes alone gets some.
  const double most =
      request.largest_bytes ? static_cast<double>(*request.largest_bytes) : std::max(usual, further * least);
  return {least, std::max(least, std::min(most, static_cast<double>(device.largest_buffer_bytes)))};
}

/// A point of the walk. Some caches take in only what the GPU wrote, so it writes the other kinds of memory.
Point point_at(const Request& request, const Words& varied, double bytes) {
  const double line = request.line_bytes;
  const double whole = std::max(1.0, std::round(bytes / line)) * line;
  return point_on(hit_rate_probe::walk, {.bytes = whole}, varied, 0.05 + 5e-9 * whole, measure::usual_visits);
}

std::vector<Point> sweep(const Request& request, const analysis::SizeRange& range, int every) {
  std::vector<Point> points;
  for (int step = 0;; step += every) {
    const double bytes = range.low * std::exp2(static_cast<double>(step) / steps_per_doubling);
    if (bytes > 1.001 * range.high) break;
    const Point next = point_at(request, {.memory = "device"}, bytes);
    if (points.empty() || next.x != points.back().x) points.push_back(next);
  }
  return measure::spread_over_sizes(std::move(points), request.seed);
}

/// The doublings of the sweep that take little time; with sizes so large that none does, all of them.
std::vector<Point> first_points(const Request& request, const analysis::SizeRange& range) {
  std::vector<Point> points = sweep(request, range, steps_per_doubling);
  const auto slow =
      std::ranges::stable_partition(points, [](const Point& point) { return point.expected_seconds <= first_seconds; });
  if (slow.size() < points.size()) points.erase(slow.begin(), slow.end());
  return points;
}

/// What a walk over what any buffer is made of shows.
struct SeenSoFar {
  std::vector<analysis::RandomLoad> loads;
  std::optional<analysis::LastCache> cache;
};

SeenSoFar seen_so_far(std::span<const Measurement> known) {
  SeenSoFar seen{.loads = loads_of(known, usual_walk_words)};
  seen.cache = analysis::estimate_last_cache(seen.loads);
  if (const auto closer = seen.cache ? analysis::refine_last_cache(*seen.cache, seen.loads) : std::nullopt)
    seen.cache = closer;
  return seen;
}

/// Sizes beyond a sweep that ends on a rise. A cache near the end may have another behind it: too little of that is
/// seen.
std::vector<Point> further_points(const device::DeviceInfo& device, const Request& request,
                                  const analysis::SizeRange& range, const SeenSoFar& seen) {
  const auto in_sweep = [&](const analysis::RandomLoad& load) { return load.bytes <= 1.001 * range.high; };
  const auto last = std::ranges::find_if(seen.loads.rbegin(), seen.loads.rend(), in_sweep);
  const auto before = std::find_if(last, seen.loads.rend(), [&](const analysis::RandomLoad& load) {
    return load.bytes * std::exp2(0.9 / steps_per_doubling) < last->bytes;
  });
  if (request.largest_bytes || before == seen.loads.rend()) return {};
  const bool rises = last->nanoseconds > still_rising * before->nanoseconds;
  const bool is_near_the_end = !seen.cache || seen.cache->bytes * further > range.high;
  if (!rises || !is_near_the_end) return {};
  return sweep(request, {range.low, std::min(further * range.high, static_cast<double>(device.largest_buffer_bytes))},
               1);
}

/// Working sets, as shares of the cache, where hits and misses are told apart best: well inside, and from where all
/// replacement policies agree. They are in the order of what they tell, and each look has the first of them.
constexpr std::array shares_of_cache{2.0, 0.48, 4.0, 0.34, 2.7,  0.66, 1.65, 6.0,
                                     0.4, 0.57, 3.2, 0.82, 1.25, 1.0,  5.0,  8.0};
constexpr std::array shares_in_other_kinds{2.3, 0.52, 3.2, 0.42, 1.7, 0.64, 6.0, 0.3, 4.0};
/// Working sets of counted streams, as shares of the cache.
constexpr std::array shares_of_streams{2.0, 0.5, 4.0, 1.0, 1.5, 3.0, 0.75, 8.0, 6.0};

std::span<const double> shares_at(Look look, std::span<const double> shares, std::size_t at_first) {
  return shares.first(look == Look::first ? at_first : shares.size());
}

/// Working sets about the cache, none near one of the same memory that was asked for before.
std::vector<Point> closer_points(const analysis::LastCache& cache, const device::DeviceInfo& device,
                                 const Request& request, std::span<const Measurement> known, const Words& varied,
                                 std::span<const double> shares) {
  const double step = std::exp2(1 / grid_steps_per_doubling);
  std::vector<Point> points;
  for (const double share : shares) {
    const double bytes =
        std::exp2(std::round(grid_steps_per_doubling * std::log2(share * cache.bytes)) / grid_steps_per_doubling);
    if (!is_asked_for(request, bytes) || bytes > static_cast<double>(device.largest_buffer_bytes)) continue;
    const std::vector<Point> near{point_at(request, varied, bytes), point_at(request, varied, bytes * step),
                                  point_at(request, varied, bytes / step)};
    if (measure::new_points(request, known, near).size() == near.size()) points.push_back(near.front());
  }
  return points;
}

std::vector<Point> in_other_kinds(const analysis::LastCache& cache, const device::DeviceInfo& device,
                                  const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points;
  for (std::size_t kind = 1; kind < device.memory_kinds.size(); ++kind) {
    if (!device.memory_kinds[kind].missing.empty()) continue;
    points = measure::joined(
        std::move(points),
        closer_points(cache, device, request, known, {.memory = device.memory_kinds[kind].name, .writer = Writer::gpu},
                      shares_at(request.look, shares_in_other_kinds, 6)));
  }
  return points;
}

std::vector<Point> counted_streams(const device::DeviceInfo& device, const Request& request, double cache_bytes) {
  std::vector<Point> points;
  // A whole power of two, so that a cache that is known better has the same streams.
  const double about = std::exp2(std::round(std::log2(cache_bytes)));
  for (const double share : shares_at(request.look, shares_of_streams, 4)) {
    for (const Pattern pattern : {Pattern::read, Pattern::write, Pattern::copy}) {
      const double bytes = std::max(1.0, std::round(share * about / mib)) * mib;
      const bool fits = bytes <= static_cast<double>(device.largest_buffer_bytes);
      if (fits && is_asked_for(request, bytes))
        points.push_back(point_on(hit_rate_probe::stream, {.bytes = bytes}, {.pattern = pattern}, 0.2));
    }
  }
  return points;
}

/// First a sweep over all sizes, its doublings before the sizes between them. Then, where it shows a last cache,
/// working sets from a third of it to eight times as much, and some of them in every other kind of memory; and where
/// traffic is counted, streams that read, write and do both, whose hit rates only counters tell.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  const analysis::SizeRange range = swept_range(device, request);
  const SeenSoFar seen = seen_so_far(known);
  const bool is_wanted = seen.cache && may_be_before_memory(*seen.cache, request);
  const double cache_bytes = is_wanted ? seen.cache->bytes : static_cast<double>(request.stated_memory_side_bytes);
  const std::vector<Point> none;
  return measure::first_new_points(
      request, known, [&] { return first_points(request, range); }, [&] { return sweep(request, range, 1); },
      [&] { return further_points(device, request, range, seen); },
      [&] {
        return is_wanted ? closer_points(*seen.cache, device, request, known, {.memory = "device"},
                                         shares_at(request.look, shares_of_cache, 10))
                         : none;
      },
      [&] { return is_wanted ? in_other_kinds(*seen.cache, device, request, known) : none; },
      [&] { return request.counts_traffic && cache_bytes > 0 ? counted_streams(device, request, cache_bytes) : none; });
}

}  // namespace

std::vector<analysis::RandomLoad> loads_of(std::span<const Measurement> measurements, const Words& words) {
  std::vector<analysis::RandomLoad> loads;
  for (const Measurement& one : measurements) {
    if (one.unit == "ns" && one.point.words == words) loads.push_back({one.point.x.bytes.value(), median_of(one)});
  }
  std::ranges::sort(loads, {}, &analysis::RandomLoad::bytes);
  return loads;
}

bool may_be_before_memory(const analysis::LastCache& cache, const Request& request) {
  constexpr std::size_t own_caches = 2;
  return request.stated_memory_side_bytes > 0 || cache.inner_bytes.size() >= own_caches;
}

Workload hit_rate_probe::prepare_walk(device::Device& device, const Point& point, const Request& request) {
  const auto lines = static_cast<std::uint32_t>(point.x.bytes.value() / request.line_bytes);
  const workloads::MemoryPlace place =
      point.words == usual_walk_words ? workloads::MemoryPlace{} : workloads::place_of(point.words);
  Workload workload = workloads::independent_chase(device, lines, request.line_bytes, request.seed, place);
  // Warm-up goes on while laps get faster, and the cache of a large working set is full long before all of it was read.
  constexpr std::uint64_t few_lines = 1 << 17;
  std::get<SteppedWork>(workload.work).lap =
      std::max<std::uint64_t>(lines / 4, std::min<std::uint64_t>(lines, few_lines));
  return workload;
}

Workload hit_rate_probe::prepare_stream(device::Device& device, const Point& point, const Request& request) {
  const Pattern pattern = point.words.pattern.value();
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const workloads::StreamShape shape =
      workloads::search_shape(device, pattern, Sharing::separate, bytes, workloads::SearchDepth::usual);
  return workloads::stream(device, pattern, Sharing::separate, shape, bytes, request.seed);
}

const Probe hit_rate{
    .name = "hit-rate",
    .question = "How often does the last cache before memory, such as an Infinity Cache, serve a load?",
    .curves = curves,
    .finding_kinds = finding_kinds,
    .next = next,
    .conclude = conclude_hit_rate,
    .wants_hit_rates = true};

}  // namespace sonde::probes
