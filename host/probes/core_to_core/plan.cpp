#include "measure/asked_sizes.hpp"
#include "probes/core_to_core/core_to_core.hpp"

namespace sonde::probes::core_to_core_probe {
namespace {

using Cores = std::vector<const cpu::Core*>;

/// Everything is asked of every pair of up to so many cores, and repeated at further moments.
constexpr std::size_t few_cores = 8;
/// A pair of so many cores gets less time, as there are thousands of pairs. Where there are more, those that share no
/// core exchange lines at once: one after the other would take minutes.
constexpr std::size_t many_cores = 32;

// Times that one pair of cores takes where nobody disturbs it.
constexpr double seconds_of_setup = 8e-3;  ///< new memory, threads, the record
constexpr double seconds_of_a_round_trip = 3e-7;
constexpr double seconds_of_held_lines = 2e-3;
constexpr double seconds_of_queued_mebibyte = 5e-3;  ///< through all trials, flushed before each
constexpr double seconds_of_an_extra_pair = 1e-3;   ///< that goes at once with another: its memory, threads and records
constexpr double seconds_of_a_copied_gibibyte = 2;  ///< through all trials, and new memory

/// Data of a chunk of a queue; the small one is the study's.
constexpr double small_chunk_bytes = 512;
constexpr double large_chunk_bytes = 4096;

constexpr std::uint64_t most_copied_bytes = 4ull << 30;
constexpr std::uint64_t usually_copied_bytes = 1ull << 30;
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

/// Adds a point, and between nodes another with the memory at the second CPU's side.
void add_on_both_nodes(std::vector<Point>& points, const CpuPair& pair, Point point) {
  points.push_back(point);
  if (pair.from->node == pair.to->node) return;
  point.x.node = pair.to->node;
  points.push_back(point);
}

void add_held_line(std::vector<Point>& points, const CpuPair& pair, int visits) {
  // Two hardware threads of a core share its caches, so what one holds the other finds there.
  if (pair.from == pair.to) return;
  add_on_both_nodes(points, pair, point_of(pair, modified_line, seconds_of_setup + seconds_of_held_lines, visits));
}

void add_queue(std::vector<Point>& points, const CpuPair& pair, double data_bytes, const Request& request, int visits) {
  const double bytes = queue_chunks * data_bytes;
  if (!measure::is_asked_for(request, bytes)) return;
  const double seconds = seconds_of_setup + bytes / (1 << 20) * seconds_of_queued_mebibyte;
  add_on_both_nodes(points, pair, point_of(pair, queue_writer, seconds, visits, {.bytes = bytes}));
}

/// The first pair of each placement.
std::vector<CpuPair> one_of_each_placement(const std::vector<CpuPair>& pairs) {
  std::vector<CpuPair> firsts;
  for (const CpuPair& pair : pairs) {
    if (std::ranges::find(firsts, pair.placement(), &CpuPair::placement) == firsts.end()) firsts.push_back(pair);
  }
  return firsts;
}

/// A copy of 1 GiB, or of as much as a quarter of the memory and --sizes allow.
void add_copy(std::vector<Point>& points, const CpuPair& pair, const Request& request, std::uint64_t memory_bytes) {
  std::uint64_t bytes = request.largest_bytes ? most_copied_bytes : usually_copied_bytes;
  while (bytes > memory_bytes / 4 || bytes > request.largest_bytes.value_or(~0ull)) bytes /= 2;
  if (bytes < least_copied_bytes || bytes < request.smallest_bytes.value_or(0)) return;
  const double seconds = static_cast<double>(bytes) / (1 << 30) * seconds_of_a_copied_gibibyte;
  points.push_back(point_of(pair, copy_writer, seconds, 1, {.bytes = static_cast<double>(bytes)}));
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

std::vector<const cpu::Core*> all_cores(const cpu::Topology& machine) {
  Cores all;
  for (const cpu::Core& core : machine.cores) all.push_back(&core);
  return all;
}

ExchangeSize exchange_size(const cpu::Topology& machine) {
  return {.lines = 32, .samples = machine.cores.size() >= many_cores ? 3u : 5u, .round_trips = 100};
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
  const Cores cores = all_cores(machine);
  const std::vector<CpuPair> representatives = representative_pairs(cores);
  const std::vector<CpuPair> firsts = one_of_each_placement(representatives);
  const int visits = cores.size() <= few_cores ? measure::usual_visits : 1;
  const ExchangeSize size = exchange_size(machine);
  constexpr int exchanges = 2;
  const double exchanging =
      seconds_of_setup + seconds_of_a_round_trip * exchanges * size.lines * size.samples * size.round_trips;
  const bool at_once = cores.size() > many_cores;
  const auto add_exchange = [&](std::vector<Point>& points, const CpuPair& pair) {
    points.push_back(point_of(pair, exchange_by_compare_and_swap, exchanging, visits));
  };
  std::vector<Point> points;
  for (const CpuPair& pair : firsts) add_exchange(points, pair);
  for (const CpuPair& pair : firsts) {
    add_held_line(points, pair, visits);
    add_queue(points, pair, small_chunk_bytes, request, visits);
  }
  std::vector<Point> of_pairs;
  // Some of the pairs that go at once go alone too: what the others add has to be known.
  for (const CpuPair& pair : at_once ? representatives : all_pairs(cores)) add_exchange(of_pairs, pair);
  for (const CpuPair& pair : representatives) {
    add_held_line(of_pairs, pair, visits);
    add_queue(of_pairs, pair, small_chunk_bytes, request, visits);
  }
  std::erase_if(of_pairs, [&](const Point& one) {
    return std::ranges::any_of(points, [&](const Point& other) { return key_of(other) == key_of(one); });
  });
  if (at_once) {
    const Tournament tournament(machine, cores);
    for (const std::vector<CpuPair>& group : tournament.groups()) {
      const double seconds = exchanging + seconds_of_an_extra_pair * static_cast<double>(group.size() - 1);
      of_pairs.push_back(point_of(group.front(), exchange_by_compare_and_swap_beside_pairs, seconds, visits));
    }
  }
  constexpr std::uint64_t any_seed = 1;
  std::ranges::move(measure::shuffled(std::move(of_pairs), any_seed), std::back_inserter(points));
  for (const CpuPair& pair : representatives) add_queue(points, pair, large_chunk_bytes, request, visits);
  for (const CpuPair& pair : firsts) add_copy(points, pair, request, memory_bytes);
  return points;
}

std::vector<Point> within_seconds(const Request& request, std::span<const Point> points, double seconds) {
  std::vector<Point> some;
  std::ranges::copy_if(points, std::back_inserter(some), [&](const Point& point) {
    if (point.x.bytes && asks_for_sizes(request)) return true;
    seconds -= point.expected_seconds;
    return seconds >= 0;
  });
  return some;
}

CpuPair pair_of(const Point& point, const cpu::Topology& machine) {
  const auto core_with = [&](std::optional<double> cpu) -> const cpu::Core* {
    const auto found = std::ranges::find_if(machine.cores, [&](const cpu::Core& core) {
      return core.cpu == cpu || (!core.siblings.empty() && core.siblings.front() == cpu);
    });
    return found == machine.cores.end() ? nullptr : &*found;
  };
  const CpuPair pair{.from = core_with(point.x.from), .to = core_with(point.x.to)};
  if (pair.from == nullptr || pair.to == nullptr)
    throw device::Unsupported("this process may not use both of these CPUs");
  return pair;
}

}  // namespace sonde::probes::core_to_core_probe
