// How often does the last cache before memory, such as AMD's Infinity Cache, serve a load?
// docs/method/hit-rate.md explains it.

#include "probes/hit_rate/hit_rate.hpp"

#include <cmath>

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
/// A sweep that ends on a rise, or too soon after one, goes on to so many times its end.
constexpr double further = 4;
/// A rise may follow where the last third of a doubling has become slower by so much.
constexpr double still_rising = 1.02;

bool is_cpu(const device::DeviceInfo& device) { return device.type == device::DeviceType::cpu; }

double largest_bytes(const device::DeviceInfo& device, const Request& request) {
  if (request.largest_bytes) return static_cast<double>(*request.largest_bytes);
  return by_look(request.look, is_cpu(device) ? 64 : 256, 512, 1024) * mib;
}

/// A quick sweep is coarse on a CPU device, which has no time for more.
double sizes_per_doubling(const device::DeviceInfo& device, const Request& request) {
  return is_cpu(device) && request.look == Look::first ? 2 : 3;
}

/// A point of the walk. Some caches take in only what the GPU wrote, so it writes the other kinds of memory.
Point point_at(const Request& request, const Words& varied, double bytes, int visits) {
  const double line = request.line_bytes;
  const double whole = std::max(1.0, std::round(bytes / line)) * line;
  return point_on(hit_rate_probe::walk, {.bytes = whole}, varied, 0.08 + 1.2e-8 * whole, visits);
}

std::vector<Point> sweep(const device::DeviceInfo& device, const Request& request, double from_bytes, double to_bytes) {
  const double step = std::exp2(1 / sizes_per_doubling(device, request));
  std::vector<Point> points;
  for (double bytes = from_bytes; bytes <= 1.001 * to_bytes; bytes *= step)
    points.push_back(point_at(request, {.memory = "device"}, bytes, 1));
  return points;
}

/// Working sets, as shares of the cache, where hits and misses are told apart best: well inside, and from where all
/// replacement policies agree.
std::vector<double> shares_of_cache(Look look) {
  if (look == Look::first) return {0.34, 0.4, 0.48, 0.57, 0.66, 1.65, 2, 2.7, 4, 6};
  return {0.3, 0.37, 0.44, 0.52, 0.6, 0.67, 0.82, 1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8};
}

std::vector<double> shares_in_other_kinds(Look look) {
  if (look == Look::first) return {0.42, 0.52, 0.64, 1.7, 2.3, 3.2};
  return {0.3, 0.4, 0.52, 0.65, 1.65, 2.2, 3, 4, 6};
}

/// Whether a measurement comes after the sweep; what counters saw of the sweep is part of it.
bool is_after_the_sweep(const Measurement& one) {
  if (is_by_counters(one.point.words)) return one.point.words.pattern.has_value();
  return !one.visits.empty() || one.point.words != usual_walk_words;
}

std::vector<Point> closer_points(const analysis::LastCache& cache, const device::DeviceInfo& device,
                                 const Request& request) {
  const double largest = std::min(request.largest_bytes ? largest_bytes(device, request) : 8.2 * cache.bytes,
                                  static_cast<double>(device.largest_buffer_bytes));
  const double least = request.smallest_bytes ? static_cast<double>(*request.smallest_bytes) : 0;
  std::vector<Point> points;
  const auto add = [&](const Words& varied, const std::vector<double>& shares, int visits) {
    for (const double share : shares) {
      const double bytes = share * cache.bytes;
      if (bytes >= least && bytes <= largest) points.push_back(point_at(request, varied, bytes, visits));
    }
  };
  // So many visits take minutes, in which a driver may give the cache to others.
  constexpr int visits_over_minutes = 16;
  const int usual = measure::usual_visits;
  const int visits = request.look == Look::closest && !is_cpu(device) ? visits_over_minutes : usual;
  add({.memory = "device"}, shares_of_cache(request.look), visits);
  // A CPU device has no memory of another kind: it is asked only where time does not matter.
  if (is_cpu(device) && request.look != Look::closest) return points;
  for (std::size_t kind = 1; kind < device.memory_kinds.size(); ++kind) {
    if (device.memory_kinds[kind].missing.empty())
      add({.memory = device.memory_kinds[kind].name, .writer = Writer::gpu}, shares_in_other_kinds(request.look),
          request.look == Look::first ? 1 : usual);
  }
  return points;
}

/// Working sets of counted streams, as shares of the cache.
std::vector<double> shares_of_streams(Look look) {
  if (look == Look::first) return {0.5, 1, 2, 4};
  return {0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8};
}

std::vector<Point> counted_streams(const device::DeviceInfo& device, const Request& request, double cache_bytes) {
  std::vector<Point> points;
  for (const Pattern pattern : {Pattern::read, Pattern::write, Pattern::copy}) {
    for (const double share : shares_of_streams(request.look)) {
      const double bytes = std::round(share * cache_bytes / mib) * mib;
      const bool fits = bytes <= static_cast<double>(device.largest_buffer_bytes) &&
                        bytes >= static_cast<double>(request.smallest_bytes.value_or(1));
      if (!fits || !is_asked_for(request, bytes)) continue;
      points.push_back(point_on(hit_rate_probe::stream, {.bytes = bytes}, {.pattern = pattern}, 0.2));
    }
  }
  return points;
}

/// First a sweep over all sizes. Then, where it shows a last cache, working sets from a third of it to eight times as
/// much, several visits each, and some of them in every other kind of memory; and where traffic is counted, streams
/// that read, write and do both, whose hit rates only counters tell.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  const double largest = std::min(largest_bytes(device, request), static_cast<double>(device.largest_buffer_bytes));
  const double least = request.smallest_bytes ? static_cast<double>(*request.smallest_bytes) : least_bytes;
  if (known.empty()) return sweep(device, request, least, largest);
  if (std::ranges::any_of(known, is_after_the_sweep)) return {};
  const std::vector<analysis::RandomLoad> loads = loads_of(known, usual_walk_words);
  std::optional<analysis::LastCache> cache = analysis::estimate_last_cache(loads);
  if (const auto closer = cache ? analysis::refine_last_cache(*cache, loads) : std::nullopt) cache = closer;
  const double step = std::exp2(1 / sizes_per_doubling(device, request));
  const bool rises = loads.size() > 1 && loads.back().nanoseconds > still_rising * loads[loads.size() - 2].nanoseconds;
  const bool is_first = !loads.empty() && loads.back().bytes < largest * step;
  // A cache near the end may have another behind it: too little of that is seen.
  const bool may_go_on = is_first && !request.largest_bytes && rises;
  const bool is_near_the_end = !cache || cache->bytes * further > largest;
  if (may_go_on && is_near_the_end) {
    const double end = std::min(further * largest, static_cast<double>(device.largest_buffer_bytes));
    std::vector<Point> more = sweep(device, request, loads.back().bytes * step, end);
    if (!more.empty()) return more;
  }
  const bool is_wanted = cache && may_be_before_memory(*cache, request);
  std::vector<Point> points = is_wanted ? closer_points(*cache, device, request) : std::vector<Point>();
  const double cache_bytes = is_wanted ? cache->bytes : static_cast<double>(request.stated_memory_side_bytes);
  if (request.counts_traffic && cache_bytes > 0)
    std::ranges::move(counted_streams(device, request, cache_bytes), std::back_inserter(points));
  return points;
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
    // The closer look comes after the sweep.
    .wants_hit_rates = true};

}  // namespace sonde::probes
