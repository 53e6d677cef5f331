#include "probes/core_to_core/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "measure/visits.hpp"
#include "probes/core_to_core/rounds.hpp"
#include "probes/core_to_core/split_lock_plan.hpp"

namespace sonde::probes {
namespace {

using Cores = std::vector<const cpu::Core*>;
using Series = std::map<std::string, std::string>;

/// Up to so many cores everything is asked of every pair, and repeated at further moments.
constexpr std::size_t few_cores = 8;
/// From so many on a pair gets less: there are thousands.
constexpr std::size_t many_cores = 32;

/// Of so many every ordered pair takes ten seconds at quick, and at normal under a minute, as pairs go at once; but its
/// record has tens of thousands of lines.
std::size_t most_cores(Effort effort) {
  switch (effort) {
    case Effort::quick: return 32;
    case Effort::normal: return 144;
    case Effort::thorough: break;
  }
  return 4096;
}

/// Of one pair of cores: what the plan shows, and the time it takes where nobody disturbs.
constexpr double seconds_beside = 8e-3;  ///< new memory, threads, the record
constexpr double seconds_of_a_round_trip = 3e-7;
constexpr double seconds_of_held_lines = 2e-3;
constexpr double seconds_of_queued_mebibyte = 5e-3;  ///< through all trials, flushed before each
constexpr double seconds_of_a_further_pair = 1e-3;   ///< at once with another: its memory, threads and records
constexpr double seconds_of_a_copied_gibibyte = 2;   ///< through all trials, and new memory

constexpr std::uint64_t most_copied_bytes = 4ull << 30;
constexpr std::uint64_t most_copied_bytes_in_short_time = 1ull << 30;
constexpr std::uint64_t least_copied_bytes = 256 << 20;

double exchange_seconds(const ExchangeSize& size) {
  constexpr int exchanges = 2;
  return seconds_beside + seconds_of_a_round_trip * exchanges * size.lines * size.samples * size.round_trips;
}

Point point_of(const CpuPair& pair, Series series, double seconds, int visits) {
  series["placement"] = placement_of(pair);
  return {.series = std::move(series),
          .x = {{"from", pair.from_cpu()}, {"to", pair.to_cpu()}},
          .expected_seconds = seconds,
          .visits = visits};
}

std::vector<CpuPair> all_pairs(const Cores& cores) {
  std::vector<CpuPair> pairs;
  for (const cpu::Core* from : cores) {
    if (!from->siblings.empty()) pairs.push_back({.from = from, .to = from, .siblings = true});
    for (const cpu::Core* to : cores) {
      if (to != from) pairs.push_back({.from = from, .to = to});
    }
  }
  return pairs;
}

/// Cores spread evenly over a list, its first among them.
Cores spread(const Cores& cores, std::size_t most) {
  if (cores.size() <= most) return cores;
  Cores chosen;
  for (std::size_t index = 0; index < most; ++index) chosen.push_back(cores[index * cores.size() / most]);
  return chosen;
}

/// What goes to and fro by compare-and-swap; by stores it does at the same point.
const Series exchange_words{{"exchange", "compare-and-swap"}, {"line", "modified"}};

/// None where each pair has its turn alone.
std::vector<std::vector<CpuPair>> rounds(const cpu::Topology& machine, const Cores& cores) {
  if (cores.size() <= most_cores_in_turn) return {};
  return rounds_of(cores, pairs_at_once(machine, cores.size()));
}

std::vector<Point> held_and_queued(const CpuPair& pair, const Request& request, int visits) {
  std::vector<Point> points;
  // What one hardware thread of a core holds, the other finds in the same caches.
  if (!pair.siblings)
    points.push_back(
        point_of(pair, {{"line", "modified"}, {"role", "reader"}}, seconds_beside + seconds_of_held_lines, visits));
  for (const double data_bytes : {512.0, 4096.0}) {
    const double bytes = queue_chunks * data_bytes;
    if (!measure::is_asked_for(request, bytes) || (data_bytes > 512 && request.effort == Effort::quick)) continue;
    const double seconds = seconds_beside + bytes / (1 << 20) * seconds_of_queued_mebibyte;
    points.push_back(point_of(pair, {{"role", "writer"}}, seconds, visits));
    points.back().x["bytes"] = bytes;
  }
  return points;
}

/// One pair of each placement copies 4 GiB, 1 where time is short, or as much as a quarter of the memory and --sizes
/// allow.
std::vector<Point> copy_points(const std::vector<CpuPair>& pairs, const Request& request, std::uint64_t memory_bytes) {
  std::uint64_t bytes = request.effort == Effort::thorough ? most_copied_bytes : most_copied_bytes_in_short_time;
  while (bytes > memory_bytes / 4 || bytes > request.largest_bytes.value_or(~0ull)) bytes /= 2;
  std::vector<Point> points;
  if (request.effort == Effort::quick || bytes < least_copied_bytes || bytes < request.smallest_bytes.value_or(0))
    return points;
  std::map<std::string, CpuPair> of_placement;
  for (const CpuPair& pair : pairs) of_placement.try_emplace(placement_of(pair), pair);
  const double seconds = static_cast<double>(bytes) / (1 << 30) * seconds_of_a_copied_gibibyte;
  for (const auto& [placement, pair] : of_placement) {
    points.push_back(point_of(pair, {{"role", "writer"}, {"pattern", "copy"}}, seconds, 1));
    points.back().x["bytes"] = static_cast<double>(bytes);
  }
  return points;
}

}  // namespace

std::string placement_of(const CpuPair& pair) {
  if (pair.from == pair.to) return "same-core";
  if (pair.from->node != pair.to->node) return "other-node";
  return pair.from->cluster == pair.to->cluster ? "same-cluster" : "other-cluster";
}

std::vector<const cpu::Core*> measured_cores(const cpu::Topology& machine, Effort effort) {
  Cores all;
  for (const cpu::Core& core : machine.cores) all.push_back(&core);
  return spread(all, most_cores(effort));
}

std::vector<CpuPair> representative_pairs(const Cores& cores) {
  if (cores.size() <= few_cores) return all_pairs(cores);
  std::map<int, Cores> clusters;
  for (const cpu::Core* core : cores) clusters[core->cluster].push_back(core);
  Cores firsts;
  for (const auto& [cluster, own] : clusters) firsts.push_back(own.front());
  std::vector<CpuPair> pairs = all_pairs(spread(firsts, few_cores));
  // Within a cluster: its first core with others near and far, as a mesh has both.
  for (const cpu::Core* first : spread(firsts, few_cores)) {
    const Cores& own = clusters.at(first->cluster);
    const Cores others(own.begin() + 1, own.end());
    for (const cpu::Core* other : spread(others, std::max<std::size_t>(1, few_cores / clusters.size()))) {
      pairs.push_back({.from = first, .to = other});
      pairs.push_back({.from = other, .to = first});
    }
  }
  return pairs;
}

ExchangeSize exchange_size(const cpu::Topology& machine, Effort effort) {
  if (effort == Effort::thorough) return {.lines = 64, .samples = 15, .round_trips = 100};
  if (measured_cores(machine, effort).size() >= many_cores) return {.lines = 32, .samples = 3, .round_trips = 100};
  return {.lines = 32, .samples = effort == Effort::quick ? 5 : 9, .round_trips = 100};
}

std::vector<Point> core_to_core_points(const cpu::Topology& machine, const Request& request,
                                       std::uint64_t memory_bytes) {
  const Cores cores = measured_cores(machine, request.effort);
  const std::vector<CpuPair> representatives = representative_pairs(cores);
  const int visits = cores.size() <= few_cores ? measure::usual_visits(request.effort) : 1;
  const double exchanging = exchange_seconds(exchange_size(machine, request.effort));
  const bool many = cores.size() > most_cores_in_turn;
  std::vector<Point> points;
  // Where pairs go at once, some go alone too: what the others add has to be known.
  for (const CpuPair& pair : many ? representatives : all_pairs(cores))
    points.push_back(point_of(pair, exchange_words, exchanging, visits));
  for (const std::vector<CpuPair>& round : rounds(machine, cores)) {
    Series at_once = exchange_words;
    at_once["fabric"] = "loaded";
    const double seconds = exchanging + seconds_of_a_further_pair * static_cast<double>(round.size() - 1);
    points.push_back(point_of(round.front(), at_once, seconds, visits));
  }
  for (const CpuPair& pair : representatives) {
    for (Point& point : held_and_queued(pair, request, visits)) {
      points.push_back(point);
      // Once more with the memory at the reader's side.
      if (pair.from->node == pair.to->node) continue;
      point.x["node"] = pair.to->node;
      points.push_back(point);
    }
  }
  for (const Point& point : copy_points(representatives, request, memory_bytes)) points.push_back(point);
  for (const Point& point : split_lock_points(machine, request)) points.push_back(point);
  // One point says why not all are there.
  if (cores.size() < machine.cores.size() && !cores.empty()) {
    const auto absent = std::ranges::find_if(
        machine.cores, [&](const cpu::Core& core) { return std::ranges::find(cores, &core) == cores.end(); });
    points.push_back(point_of({.from = cores.front(), .to = &*absent}, exchange_words, 0, 1));
  }
  return points;
}

std::optional<CpuPair> pair_of(const Point& point, const cpu::Topology& machine, Effort effort) {
  const Cores cores = measured_cores(machine, effort);
  CpuPair pair;
  for (const cpu::Core* core : cores) {
    if (core->cpu == point.x.at("from")) pair.from = core;
    if (core->cpu == point.x.at("to")) pair.to = core;
  }
  if (point.series.at("placement") == "same-core") {
    pair.to = pair.from;
    pair.siblings = true;
  }
  if (pair.from == nullptr || pair.to == nullptr) return std::nullopt;
  return pair;
}

std::vector<CpuPair> pairs_of(const Point& point, const cpu::Topology& machine, Effort effort) {
  for (const std::vector<CpuPair>& round : rounds(machine, measured_cores(machine, effort))) {
    const CpuPair& first = round.front();
    if (first.from_cpu() == point.x.at("from") && first.to_cpu() == point.x.at("to")) return round;
  }
  return {};
}

std::string why_left_out(const cpu::Topology& machine, Effort effort) {
  const std::size_t measured = measured_cores(machine, effort).size();
  return "of " + std::to_string(machine.cores.size()) + " cores " + std::to_string(measured) +
         ", spread over the machine, exchange lines with each other, as all pairs would take too long; " +
         (effort == Effort::quick ? "--effort normal has more" : "--effort thorough has all");
}

}  // namespace sonde::probes
