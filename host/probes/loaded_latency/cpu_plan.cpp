#include "probes/loaded_latency/cpu_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "measure/visits.hpp"
#include "probes/loaded_latency/spread.hpp"

namespace sonde::probes {
namespace {

using cpu::Stores;
using cpu::Stream;

constexpr std::array<const char*, placements> words_of_placements{"same-cluster", "other-cluster", "other-node"};

constexpr LoadKind reading{.stream = Stream::read};
constexpr LoadKind modifying{.stream = Stream::read_modify_write};
/// What is written past the caches takes room nowhere but in memory.
constexpr LoadKind writing{.stream = Stream::write, .stores = Stores::non_temporal};

/// A third of a millisecond, longer than any piece of a load takes: with more, too few pieces would be counted.
constexpr double longest_delay_trips = 1 << 20;
/// What the delay is for, and trips of the loop in a nanosecond on a usual clock.
constexpr double delayed_bytes = 1 << 10;
constexpr double usual_trips_a_ns = 3;

/// Reading memory is what other tools load with: it gets the most points.
bool is_main(const WalkedSet& set, const CpuLoadChoice& choice) {
  return set.within == Within::memory && choice.kind.stream == Stream::read;
}

/// Beside a load of all threads, the one without delay among them.
std::size_t points_of_curve(const WalkedSet& set, const CpuLoadChoice& choice, Effort effort) {
  const bool main = is_main(set, choice);
  if (set.within == Within::own_cache) return 2;
  switch (effort) {
    case Effort::quick: return main ? 4 : 2;
    case Effort::normal: return main ? 8 : 5;
    case Effort::thorough: break;
  }
  return main ? 16 : 10;
}

/// 1, 2, 4, … and all; of the loads of memory that are not read alone, one and all.
std::vector<int> loading_counts(const WalkedSet& set, const CpuLoadChoice& choice, int all, Effort effort) {
  std::set<int> counts{all};
  if (is_main(set, choice)) {
    for (int count = 1; count < all; count *= 2) counts.insert(count);
  } else if (set.within == Within::memory && effort != Effort::quick) {
    counts.insert(1);
  }
  return {counts.begin(), counts.end()};
}

std::vector<LoadKind> kinds_in(const WalkedSet& set, Effort effort) {
  if (set.within == Within::memory) return {reading, modifying, writing};
  if (set.within == Within::own_cache || effort == Effort::quick) return {reading};
  return {reading, modifying};
}

/// A curve that is asked for: its choice has all threads and no delay.
struct AskedCurve {
  WalkedSet set;
  CpuLoadChoice choice;
};

std::vector<AskedCurve> asked_curves(const cpu::Topology& machine, const Request& request) {
  std::vector<AskedCurve> curves;
  for (const WalkedSet& set : walked_sets(machine, request)) {
    for (int placement = 0; placement < placements; ++placement) {
      // Of the caches others share nothing.
      if (set.within != Within::memory && placement > 0) continue;
      CpuLoadChoice choice{.placement = static_cast<Placement>(placement), .bytes = set.bytes};
      const auto cores = loading_cores(machine, choice.placement);
      choice.threads = std::min(static_cast<int>(cores.size()), set.most_threads);
      if (choice.threads == 0) continue;
      for (const LoadKind& kind : kinds_in(set, request.effort)) {
        choice.kind = kind;
        curves.push_back({set, choice});
      }
    }
  }
  return curves;
}

Point point_of(const CpuLoadChoice& choice, Effort effort) {
  Point point{.series = series_of(choice),
              .x = {{"bytes", choice.bytes}, {"cpu_threads", choice.threads}},
              .expected_seconds = effort == Effort::quick    ? 0.12
                                  : effort == Effort::normal ? 0.35
                                                             : 1};
  if (choice.threads > 0) point.x["delay"] = choice.delay;
  return point;
}

/// After no delay: about what a KiB takes a thread.
double first_delay_of(const CpuLoadPoint& undelayed) {
  const double kibibyte_ns = delayed_bytes * undelayed.choice.threads / undelayed.gbps;
  return std::clamp(std::round(kibibyte_ns * usual_trips_a_ns), 1.0, longest_delay_trips);
}

std::optional<double> next_delay(const CpuLoadCurve& curve, std::size_t wanted) {
  std::vector<Reached> reached;
  for (const CpuLoadPoint& point : curve.all_threads) {
    if (point.gbps > 0) reached.push_back({.delay = point.choice.delay, .gbps = point.gbps});
  }
  if (reached.empty()) return std::nullopt;
  return delay_in_the_widest_gap(reached, wanted,
                                 {.first = first_delay_of(curve.all_threads.front()), .longest = longest_delay_trips});
}

const CpuLoadCurve* curve_of(const std::vector<CpuLoadCurve>& curves, const CpuLoadChoice& choice) {
  const auto found = std::ranges::find_if(curves, [&](const CpuLoadCurve& curve) {
    return curve.bytes == choice.bytes && curve.series == series_of(choice);
  });
  return found == curves.end() ? nullptr : &*found;
}

/// Further visits to what findings are read from: alone, and beside the load without delay.
std::vector<Point> visits_of_findings(const std::vector<AskedCurve>& asked, Effort effort, int visits) {
  std::vector<Point> again;
  for (const AskedCurve& curve : asked) {
    CpuLoadChoice alone = curve.choice;
    alone.threads = 0;
    for (const CpuLoadChoice& choice : {alone, curve.choice}) {
      again.push_back(point_of(choice, effort));
      again.back().visits = visits;
    }
  }
  return again;
}

}  // namespace

CpuLoadChoice load_choice_of(const Point& point) {
  CpuLoadChoice choice{.bytes = point.x.at("bytes"), .threads = static_cast<int>(point.x.at("cpu_threads"))};
  for (const LoadKind& kind : {reading, modifying, writing}) {
    CpuLoadChoice like = choice;
    like.kind = kind;
    if (series_of(like).at("pattern") == point.series.at("pattern")) choice.kind = kind;
  }
  const auto word = std::ranges::find(words_of_placements, point.series.at("placement"));
  choice.placement = static_cast<Placement>(word - words_of_placements.begin());
  if (const auto delay = point.x.find("delay"); delay != point.x.end()) choice.delay = delay->second;
  return choice;
}

std::map<std::string, std::string> series_of(const CpuLoadChoice& choice) {
  std::map<std::string, std::string> series{
      {"placement", words_of_placements.at(static_cast<std::size_t>(choice.placement))}};
  switch (choice.kind.stream) {
    case Stream::write: series["pattern"] = "write"; break;
    case Stream::read_modify_write: series["pattern"] = "read-modify-write"; break;
    default: series["pattern"] = "read"; return series;
  }
  series["stores"] = choice.kind.stores == Stores::non_temporal ? "non-temporal" : "ordinary";
  return series;
}

std::vector<Point> cpu_load_points(const cpu::Topology& machine, const Request& request,
                                   std::span<const Measurement> known) {
  const std::vector<AskedCurve> asked = asked_curves(machine, request);
  std::vector<Point> points;
  if (known.empty()) {
    for (const AskedCurve& curve : asked) {
      const int all = curve.choice.threads;
      CpuLoadChoice choice = curve.choice;
      choice.threads = 0;
      points.push_back(point_of(choice, request.effort));
      for (const int threads : loading_counts(curve.set, curve.choice, all, request.effort)) {
        choice.threads = threads;
        points.push_back(point_of(choice, request.effort));
      }
    }
    return points;
  }
  const std::vector<CpuLoadCurve> curves = cpu_load_curves(known);
  for (const AskedCurve& curve : asked) {
    const CpuLoadCurve* const of_curve = curve_of(curves, curve.choice);
    if (of_curve == nullptr) continue;
    const auto delay = next_delay(*of_curve, points_of_curve(curve.set, curve.choice, request.effort));
    if (!delay) continue;
    CpuLoadChoice choice = curve.choice;
    choice.delay = *delay;
    points.push_back(point_of(choice, request.effort));
  }
  // A delay that failed is wanted for ever, and the last visits never come: one is made before.
  const int visits = points.empty() ? measure::usual_visits(request.effort) : 2;
  std::ranges::move(visits_of_findings(asked, request.effort, visits), std::back_inserter(points));
  return points;
}

std::vector<CpuLoadCurve> cpu_load_curves(std::span<const Measurement> known) {
  const auto gbps_of = [&](const Measurement& latency) {
    for (const Measurement& one : known) {
      if (one.unit == "GB/s" && one.point.series == latency.point.series && one.point.x == latency.point.x)
        return median_of(one);
    }
    return 0.0;
  };
  std::vector<CpuLoadCurve> curves;
  for (const Measurement& one : known) {
    if (one.unit != "ns") continue;
    const CpuLoadPoint point{.choice = load_choice_of(one.point), .gbps = gbps_of(one), .latency = &one};
    auto curve = std::ranges::find_if(curves, [&](const CpuLoadCurve& of) {
      return of.bytes == point.choice.bytes && of.series == one.point.series;
    });
    if (curve == curves.end())
      curve = curves.insert(curves.end(), {.series = one.point.series, .bytes = point.choice.bytes});
    if (point.choice.threads == 0) {
      curve->alone = &one;
    } else {
      curve->all_threads.push_back(point);
      if (point.choice.delay == 0) curve->undelayed.push_back(point);
    }
  }
  for (CpuLoadCurve& curve : curves) {
    int most = 0;
    for (const CpuLoadPoint& point : curve.all_threads) most = std::max(most, point.choice.threads);
    std::erase_if(curve.all_threads, [most](const CpuLoadPoint& point) { return point.choice.threads < most; });
    std::ranges::sort(curve.all_threads, {}, [](const CpuLoadPoint& point) { return point.choice.delay; });
    std::ranges::sort(curve.undelayed, {}, [](const CpuLoadPoint& point) { return point.choice.threads; });
  }
  return curves;
}

}  // namespace sonde::probes
