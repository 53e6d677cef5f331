#include "probes/core_to_core/core_to_core.hpp"

namespace sonde::probes::core_to_core_probe {
namespace {

using Cores = std::vector<const cpu::Core*>;

/// Everything is asked of every pair of up to so many cores, and repeated at further moments.
constexpr std::size_t few_cores = 8;
/// A pair of so many cores gets less time, as there are thousands of pairs.
constexpr std::size_t many_cores = 32;
/// Pairs of more cores exchange lines at once, those that share no core: one after the other would take minutes.
constexpr std::size_t most_cores_in_turn = 32;

/// With so many cores every ordered pair takes ten seconds at quick effort, and under a minute at normal effort, where
/// pairs go at once; but its record has tens of thousands of lines.
std::size_t most_cores(Look look) { return by_look<std::size_t>(look, 32, 144, 4096); }

// Times that one pair of cores takes where nobody disturbs it.
constexpr double seconds_of_setup = 8e-3;  ///< new memory, threads, the record
constexpr double seconds_of_a_round_trip = 3e-7;
constexpr double seconds_of_held_lines = 2e-3;
constexpr double seconds_of_queued_mebibyte = 5e-3;  ///< through all trials, flushed before each
constexpr double seconds_of_an_extra_pair = 1e-3;   ///< that goes at once with another: its memory, threads and records
constexpr double seconds_of_a_copied_gibibyte = 2;  ///< through all trials, and new memory

constexpr std::uint64_t most_copied_bytes = 4ull << 30;
constexpr std::uint64_t most_copied_bytes_in_short_time = 1ull << 30;
constexpr std::uint64_t least_copied_bytes = 256 << 20;

Point point_of(const CpuPair& pair, const Curve& curve, double seconds, int visits, Coordinates x = {}) {
  x.from = pair.from_cpu();
  x.to = pair.to_cpu();
  return point_on(curve, x, {.placement = pair.placement()}, seconds, visits);
}

std::vector<CpuPair> all_pairs(const Cores& cores) {
  std::vector<CpuPair> pairs;
  for (const cpu::Core* from : cores) {
    if (!from->siblings.empty()) pairs.push_back({.from = from, .to = from});
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

/// Pairs that stand for all with their placement, both ways: all pairs of few cores, of many cores a pair for each two
/// clusters.
std::vector<CpuPair> representative_pairs(const Cores& cores) {
  if (cores.size() <= few_cores) return all_pairs(cores);
  std::map<int, Cores> clusters;
  for (const cpu::Core* core : cores) clusters[core->cluster].push_back(core);
  Cores firsts;
  for (const auto& [cluster, own] : clusters) firsts.push_back(own.front());
  std::vector<CpuPair> pairs = all_pairs(spread(firsts, few_cores));
  // Within a cluster its first core goes with others near and far, as a mesh has both.
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

std::vector<Point> held_and_queued(const CpuPair& pair, const Request& request, int visits) {
  std::vector<Point> points;
  // Two hardware threads of a core share its caches, so what one holds the other finds there.
  if (pair.from != pair.to) {
    points.push_back(point_of(pair, modified_line, seconds_of_setup + seconds_of_held_lines, visits));
  }
  for (const double data_bytes : {512.0, 4096.0}) {
    const double bytes = queue_chunks * data_bytes;
    if (!measure::is_asked_for(request, bytes) || (data_bytes > 512 && request.look == Look::first)) continue;
    const double seconds = seconds_of_setup + bytes / (1 << 20) * seconds_of_queued_mebibyte;
    points.push_back(point_of(pair, queue_writer, seconds, visits, {.bytes = bytes}));
  }
  return points;
}

/// One pair of each placement copies 4 GiB, 1 where time is short, or as much as a quarter of the memory and --sizes
/// allow.
std::vector<Point> copy_points(const std::vector<CpuPair>& pairs, const Request& request, std::uint64_t memory_bytes) {
  std::uint64_t bytes = request.look == Look::closest ? most_copied_bytes : most_copied_bytes_in_short_time;
  while (bytes > memory_bytes / 4 || bytes > request.largest_bytes.value_or(~0ull)) bytes /= 2;
  std::vector<Point> points;
  if (request.look == Look::first || bytes < least_copied_bytes || bytes < request.smallest_bytes.value_or(0))
    return points;
  std::map<std::string_view, CpuPair> first_pairs;  // by the placement's word
  for (const CpuPair& pair : pairs) first_pairs.try_emplace(measure::word_of(pair.placement()), pair);
  const double seconds = static_cast<double>(bytes) / (1 << 30) * seconds_of_a_copied_gibibyte;
  for (const auto& [placement, pair] : first_pairs) {
    points.push_back(point_of(pair, copy_writer, seconds, 1, {.bytes = static_cast<double>(bytes)}));
  }
  return points;
}

std::size_t fitting_pairs(const cpu::Topology& machine, std::size_t cores) {
  constexpr std::size_t most = 8;
  std::size_t fitting = std::min(most, cores / 4);
  if (machine.quota) fitting = std::min(fitting, static_cast<std::size_t>(*machine.quota / 2));
  return std::max<std::size_t>(1, fitting);
}

}  // namespace

Placement CpuPair::placement() const {
  if (from == to) return Placement::same_core;
  if (from->node != to->node) return Placement::other_node;
  return from->cluster == to->cluster ? Placement::same_cluster : Placement::other_cluster;
}

std::vector<const cpu::Core*> measured_cores(const cpu::Topology& machine, Look look) {
  Cores all;
  for (const cpu::Core& core : machine.cores) all.push_back(&core);
  return spread(all, most_cores(look));
}

std::string why_left_out(const cpu::Topology& machine, Look look) {
  const std::size_t measured = measured_cores(machine, look).size();
  return "of " + std::to_string(machine.cores.size()) + " cores " + std::to_string(measured) +
         ", spread over the machine, exchange lines with each other, as all pairs would take too long; " +
         (look == Look::first ? "--effort normal has more" : "--effort thorough has all");
}

ExchangeSize exchange_size(const cpu::Topology& machine, Look look) {
  if (look == Look::closest) return {.lines = 64, .samples = 15, .round_trips = 100};
  if (measured_cores(machine, look).size() >= many_cores) return {.lines = 32, .samples = 3, .round_trips = 100};
  return {.lines = 32, .samples = look == Look::first ? 5u : 9u, .round_trips = 100};
}

Tournament::Tournament(const cpu::Topology& machine, Cores cores) : at_once_(fitting_pairs(machine, cores.size())) {
  std::vector<CpuPair> siblings;
  for (const cpu::Core* core : cores) {
    if (!core->siblings.empty()) siblings.push_back({.from = core, .to = core});
  }
  add_groups_of(siblings);
  // The circle method: the first seat stays and the others move on by one place each turn; seats opposite each other
  // meet. Of an odd number of cores one seat is empty, and whoever meets it has the turn off.
  if (cores.size() % 2 != 0) cores.push_back(nullptr);
  for (std::size_t turn = 0; turn + 1 < cores.size(); ++turn) {
    std::vector<CpuPair> there;
    std::vector<CpuPair> back;
    for (std::size_t seat = 0; seat < cores.size() / 2; ++seat) {
      const cpu::Core* const one = cores[seat];
      const cpu::Core* const other = cores[cores.size() - 1 - seat];
      if (one == nullptr || other == nullptr) continue;
      there.push_back({.from = one, .to = other});
      back.push_back({.from = other, .to = one});
    }
    add_groups_of(there);
    add_groups_of(back);
    std::rotate(cores.begin() + 1, cores.end() - 1, cores.end());
  }
}

/// Each group is spread evenly over the pairs.
void Tournament::add_groups_of(const std::vector<CpuPair>& pairs) {
  const std::size_t count = (pairs.size() + at_once_ - 1) / at_once_;
  for (std::size_t group = 0; group < count; ++group) {
    groups_.emplace_back();
    for (std::size_t index = group; index < pairs.size(); index += count) groups_.back().push_back(pairs[index]);
  }
}

const std::vector<CpuPair>& Tournament::group_of(const CpuPair& first) const {
  const auto found = std::ranges::find(groups_, first, [](const std::vector<CpuPair>& group) { return group.front(); });
  if (found == groups_.end()) throw device::Unsupported("these two CPUs are the first of no pairs that go at once");
  return *found;
}

std::vector<Point> core_to_core_points(const cpu::Topology& machine, const Request& request,
                                       std::uint64_t memory_bytes) {
  const Cores cores = measured_cores(machine, request.look);
  const std::vector<CpuPair> representatives = representative_pairs(cores);
  const int visits = cores.size() <= few_cores ? measure::usual_visits : 1;
  const ExchangeSize size = exchange_size(machine, request.look);
  constexpr int exchanges = 2;
  const double exchanging =
      seconds_of_setup + seconds_of_a_round_trip * exchanges * size.lines * size.samples * size.round_trips;
  const bool at_once = cores.size() > most_cores_in_turn;
  std::vector<Point> points;
  // Some of the pairs that go at once go alone too: what the others add has to be known.
  for (const CpuPair& pair : at_once ? representatives : all_pairs(cores))
    points.push_back(point_of(pair, exchange_by_compare_and_swap, exchanging, visits));
  if (at_once) {
    const Tournament tournament(machine, cores);
    for (const std::vector<CpuPair>& group : tournament.groups()) {
      const double seconds = exchanging + seconds_of_an_extra_pair * static_cast<double>(group.size() - 1);
      points.push_back(point_of(group.front(), exchange_by_compare_and_swap_beside_pairs, seconds, visits));
    }
  }
  for (const CpuPair& pair : representatives) {
    for (Point& point : held_and_queued(pair, request, visits)) {
      points.push_back(point);
      // Between nodes it is measured once more with the memory at the reader's side.
      if (pair.from->node == pair.to->node) continue;
      point.x.node = pair.to->node;
      points.push_back(point);
    }
  }
  for (const Point& point : copy_points(representatives, request, memory_bytes)) points.push_back(point);
  // One point of the cores that are left out says why.
  if (cores.size() < machine.cores.size() && !cores.empty()) {
    const auto absent = std::ranges::find_if(
        machine.cores, [&](const cpu::Core& core) { return std::ranges::find(cores, &core) == cores.end(); });
    points.push_back(point_of({.from = cores.front(), .to = &*absent}, exchange_by_compare_and_swap, 0, 1));
  }
  return points;
}

std::optional<CpuPair> pair_of(const Point& point, const cpu::Topology& machine, Look look) {
  const Cores cores = measured_cores(machine, look);
  const auto core_with = [&](std::optional<double> cpu) -> const cpu::Core* {
    const auto found = std::ranges::find_if(cores, [&](const cpu::Core* core) {
      return core->cpu == cpu || (!core->siblings.empty() && core->siblings.front() == cpu);
    });
    return found == cores.end() ? nullptr : *found;
  };
  const CpuPair pair{.from = core_with(point.x.from), .to = core_with(point.x.to)};
  if (pair.from == nullptr || pair.to == nullptr) return std::nullopt;
  return pair;
}

}  // namespace sonde::probes::core_to_core_probe
