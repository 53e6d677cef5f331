#include <fmt/format.h>

#include <cmath>

#include "analysis/number_text.hpp"
#include "probes/cpu_loaded_latency/cpu_loaded_latency.hpp"

namespace sonde::probes {
namespace {

constexpr Words reading{.pattern = Pattern::read};
constexpr Words modifying{.pattern = Pattern::read_modify_write, .stores = Stores::ordinary};
/// Only memory has room for what is written past the caches.
constexpr Words writing{.pattern = Pattern::write, .stores = Stores::non_temporal};

/// A third of a millisecond, longer than any piece of a load takes: with more, too few pieces would be counted.
constexpr double longest_delay_trips = 1 << 20;
/// A delay is for so many bytes.
constexpr double delayed_bytes = 1 << 10;
/// Trips of the loop on a usual clock.
constexpr double usual_trips_a_ns = 3;

/// A curve that is asked for, and the most threads that load.
struct AskedCurve {
  WalkedSet set;
  Words words;
  int threads = 0;

  /// Reading memory is what other tools load with, so it gets the most points.
  [[nodiscard]] bool is_main() const { return set.within == Within::memory && words.pattern == Pattern::read; }
};

/// The number of points beside a load of all threads, the one without delay among them.
std::size_t points_of_curve(const AskedCurve& curve, Look look) {
  if (curve.set.within == Within::own_cache) return 2;
  return curve.is_main() ? by_look(look, 4u, 8u, 16u) : by_look(look, 2u, 5u, 10u);
}

/// The numbers of threads: all and one, then 2, 4, …
std::vector<int> loading_counts(const AskedCurve& curve, Look look) {
  std::vector<int> counts{curve.threads};
  if (curve.threads == 1 || curve.set.within != Within::memory) return counts;
  if (curve.is_main() || look != Look::first) counts.push_back(1);
  if (!curve.is_main() || look == Look::first) return counts;
  for (int count = 2; count < curve.threads; count *= 2) counts.push_back(count);
  return counts;
}

std::vector<Words> loads_in(const WalkedSet& set, Look look) {
  if (set.within == Within::memory) return {reading, modifying, writing};
  if (set.within == Within::own_cache || look == Look::first) return {reading};
  return {reading, modifying};
}

/// The curves, that of reading memory first, then those within caches.
std::vector<AskedCurve> asked_curves(const cpu::Topology& machine, const Request& request) {
  std::vector<AskedCurve> curves;
  for (const WalkedSet& set : walked_sets(machine, request)) {
    for (const Placement placement : loading_placements) {
      // Cores of other clusters share no cache with the walk.
      if (set.within != Within::memory && placement != Placement::same_cluster) continue;
      const auto cores = loading_cores(machine, placement);
      const int threads = std::min(static_cast<int>(cores.size()), set.most_threads);
      if (threads == 0) continue;
      for (Words words : loads_in(set, request.look)) {
        words.placement = placement;
        curves.push_back({set, words, threads});
      }
    }
  }
  std::ranges::stable_sort(curves, {}, [](const AskedCurve& curve) {
    return std::pair(!curve.is_main(), curve.set.within == Within::memory);
  });
  return curves;
}

std::optional<double> next_delay(const CpuLoadCurve& curve, std::size_t wanted) {
  std::vector<workloads::ReachedLoad> reached;
  for (const CpuLoadPoint& point : curve.all_threads) {
    if (point.gbps > 0) reached.push_back({.delay = point.delay, .gbps = point.gbps});
  }
  if (reached.empty() || curve.all_threads.front().gbps <= 0) return std::nullopt;
  // After none, about what a KiB takes a thread is tried.
  const CpuLoadPoint& undelayed = curve.all_threads.front();
  const double kibibyte_ns = delayed_bytes * undelayed.threads / undelayed.gbps;
  const double first = std::clamp(std::round(kibibyte_ns * usual_trips_a_ns), 1.0, longest_delay_trips);
  return workloads::delay_in_the_widest_gap(reached, wanted, {.first = first, .longest = longest_delay_trips});
}

const char* name_of_set(const std::vector<WalkedSet>& sets, double bytes) {
  const auto set = std::ranges::find(sets, bytes, &WalkedSet::bytes);
  if (set == sets.end() || set->within == Within::memory) return "memory";
  return set->within == Within::own_cache ? "the core's own cache" : "the last cache";
}

const char* whose_cluster(std::optional<Placement> placement) {
  if (placement == Placement::same_cluster) return "the same cluster";
  return placement == Placement::other_cluster ? "other clusters" : "another node";
}

/// "7 cores of the same cluster read".
std::string who_loads(const Words& words, int threads) {
  const bool one = threads == 1;
  const char* does = one ? "reads" : "read";
  if (words.pattern == Pattern::write) does = one ? "writes past the caches" : "write past the caches";
  if (words.pattern == Pattern::read_modify_write) does = one ? "reads and writes" : "read and write";
  return fmt::format("{} of {} {}", one ? "one core" : fmt::format("{} cores", threads), whose_cluster(words.placement),
                     does);
}

}  // namespace

std::vector<Point> cpu_load_points(const cpu::Topology& machine, const Request& request,
                                   std::span<const Measurement> known) {
  const std::vector<AskedCurve> asked = asked_curves(machine, request);
  const auto point = [](const AskedCurve& curve, int threads, double delay, int visits = 1) {
    Coordinates x{.bytes = curve.set.bytes, .cpu_threads = threads};
    if (threads > 0) x.delay = delay;
    const double making_the_cycle = curve.is_main() && threads == 0 ? 5e-9 * curve.set.bytes : 0;
    return point_on(cpu_loaded_latency_probe::walk, x, curve.words, 0.1 + making_the_cycle, visits);
  };
  const auto undelayed = [&](bool reading_alone) {
    std::vector<Point> points;
    for (const AskedCurve& curve : asked) {
      if (reading_alone && curve.words.pattern != Pattern::read) continue;
      // Findings are read from the walk alone and from that beside all threads.
      points.push_back(point(curve, 0, 0, measure::usual_visits));
      for (const int threads : loading_counts(curve, request.look))
        points.push_back(point(curve, threads, 0, threads == curve.threads ? measure::usual_visits : 1));
    }
    return points;
  };
  const auto delayed = [&] {
    std::vector<Point> points;
    const std::vector<CpuLoadCurve> curves = cpu_load_curves(known);
    for (const AskedCurve& curve : asked) {
      const auto measured = std::ranges::find_if(
          curves, [&](const CpuLoadCurve& one) { return one.bytes == curve.set.bytes && one.words == curve.words; });
      if (measured == curves.end()) continue;
      if (const auto delay = next_delay(*measured, points_of_curve(curve, request.look)))
        points.push_back(point(curve, curve.threads, *delay));
    }
    return points;
  };
  return measure::first_new_points(
      request, known, [&] { return undelayed(request.look == Look::first); }, [&] { return undelayed(false); },
      delayed);
}

std::vector<CpuLoadCurve> cpu_load_curves(std::span<const Measurement> known) {
  std::vector<CpuLoadCurve> curves;
  for (const Measurement& one : known) {
    if (one.unit != "ns") continue;
    const Coordinates& x = one.point.x;
    auto curve = std::ranges::find_if(
        curves, [&](const CpuLoadCurve& found) { return found.bytes == x.bytes && found.words == one.point.words; });
    if (curve == curves.end())
      curve = curves.insert(curves.end(), {.words = one.point.words, .bytes = x.bytes.value()});
    const Measurement* const load = find(known, one.point.words, x, "GB/s");
    const CpuLoadPoint point{.threads = static_cast<int>(x.cpu_threads.value()),
                             .delay = x.delay.value_or(0),
                             .gbps = load == nullptr ? 0 : median_of(*load),
                             .latency = &one};
    if (point.threads == 0) {
      curve->alone = &one;
    } else {
      curve->all_threads.push_back(point);
      if (point.delay == 0) curve->undelayed.push_back(point);
    }
  }
  for (CpuLoadCurve& curve : curves) {
    int most = 0;
    for (const CpuLoadPoint& point : curve.all_threads) most = std::max(most, point.threads);
    std::erase_if(curve.all_threads, [most](const CpuLoadPoint& point) { return point.threads < most; });
    std::ranges::sort(curve.all_threads, {}, &CpuLoadPoint::delay);
    std::ranges::sort(curve.undelayed, {}, &CpuLoadPoint::threads);
  }
  return curves;
}

Conclusion cpu_load_conclusion(const cpu::Topology& machine, const Request& request,
                               std::span<const Measurement> measurements) {
  const std::vector<WalkedSet> sets = walked_sets(machine, request);
  Conclusion conclusion;
  for (const CpuLoadCurve& curve : cpu_load_curves(measurements)) {
    if (curve.alone == nullptr || curve.undelayed.empty()) continue;
    const std::string load =
        fmt::format("In {} ({}) a load of the CPU takes", name_of_set(sets, curve.bytes), size_text(curve.bytes));
    const auto add = [&](const FindingKind& kind, const Measurement& measured,
                         const std::string& evidence) -> Finding& {
      Finding& finding =
          conclusion.findings.emplace_back(finding_of(kind, curve.words, estimate(measured, measurements),
                                                      evidence + workloads::describe_disturbance(measured.state)));
      finding.details = {{"p90_ns", six_digits(analysis::quantile(measured.values, 0.9))},
                         {"p99_ns", six_digits(analysis::quantile(measured.values, 0.99))}};
      return finding;
    };
    const double alone_ns = median_of(*curve.alone);
    const auto add_beside = [&](const FindingKind& kind, const CpuLoadPoint& point) {
      const double ns = median_of(*point.latency);
      add(kind, *point.latency,
          fmt::format("{} {} ns (p99 {}) while {} {} GB/s, {} as alone.", load, analysis::number_text(ns),
                      analysis::number_text(analysis::quantile(point.latency->values, 0.99)),
                      who_loads(curve.words, point.threads), analysis::number_text(point.gbps),
                      workloads::times_as_long(ns / alone_ns, 3)))
          .details["load_gbps"] = six_digits(point.gbps);
    };
    add(workloads::idle_latency, *curve.alone,
        fmt::format("{} {} ns while no other core loads.", load, analysis::number_text(alone_ns)));
    const CpuLoadPoint& all = curve.undelayed.back();
    const CpuLoadPoint& fewest = curve.undelayed.front();
    add_beside(workloads::full_load_latency, all);
    // One core alone can keep the others of its cluster waiting.
    if (fewest.threads == 1 && all.threads > 1) add_beside(cpu_loaded_latency_probe::one_core_load_latency, fewest);
  }
  for (const Placement placement : loading_placements) {
    if (const std::string reason = why_no_load(machine, placement); !reason.empty())
      conclusion.without_levels.push_back({.words = {.placement = placement}, .reason = reason});
  }
  return conclusion;
}

}  // namespace sonde::probes
