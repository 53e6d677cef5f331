#include <cmath>

#include "probes/cpu_loaded_latency/cpu_loaded_latency.hpp"

namespace sonde::probes {
namespace {

constexpr double kibibyte = 1 << 10;
constexpr double mebibyte = 1 << 20;

/// The walk's set in memory is so many times the furthest cache, as preparing more takes long; what the cycle comes
/// back to has then left every cache. It is at least as large as few caches are that nobody states.
constexpr double walked_times = 2;
constexpr double least_memory_bytes = 64 * mebibyte;
/// The loads of a cluster are so many times its furthest cache, which streams cost nothing to prepare.
constexpr double loaded_times = 4;
/// A walk and its load together fill such a share of the furthest cache; the rest is for what else runs.
constexpr double filled_share = 0.75;
/// Each thread loads at least so much in memory.
constexpr double least_load_bytes = 16 * mebibyte;
/// Sets are whole pieces of memory, of whatever length.
constexpr double unit_bytes = 64 * kibibyte;

double whole_units(double bytes) { return std::max(1.0, std::floor(bytes / unit_bytes)) * unit_bytes; }

int furthest_level(const cpu::Topology& machine) { return machine.caches.empty() ? 0 : machine.caches.rbegin()->first; }

/// The largest cache that a core of these has for itself.
double own_cache_bytes(const cpu::Topology& machine) {
  const auto found = machine.caches.find(furthest_level(machine) - 1);
  return found == machine.caches.end() ? 0 : static_cast<double>(found->second);
}

/// A wanted size, or the one nearest to it that the user asked for.
double asked_for(const Request& request, double bytes) {
  const double most = std::min(bytes, static_cast<double>(request.largest_bytes.value_or(~0ull)));
  return whole_units(std::max(most, static_cast<double>(request.smallest_bytes.value_or(0)) + unit_bytes - 1));
}

/// The set between the cores' own caches and the end of the one that they share, and what is left to those who load.
std::optional<WalkedSet> set_in_shared_cache(const cpu::Topology& machine, const Request& request, int loading) {
  const auto shared = static_cast<double>(machine.furthest_cache_bytes);
  const double own = own_cache_bytes(machine);
  if (own <= 0 || loading == 0) return std::nullopt;
  WalkedSet set{.within = Within::shared_cache, .bytes = asked_for(request, std::sqrt(2 * own * shared / 2))};
  const double left = filled_share * shared - set.bytes;
  // Each thread's memory has to be beyond its own caches, so fewer load where all would not fit.
  set.most_threads = std::min(loading, static_cast<int>(left / (2 * own)));
  if (set.most_threads < 1 || set.bytes < 2 * own) return std::nullopt;
  set.thread_bytes = whole_units(std::min(set.bytes, left / set.most_threads));
  return set;
}

std::optional<WalkedSet> set_in_memory(const cpu::Topology& machine, const Request& request) {
  const auto furthest = static_cast<double>(machine.furthest_cache_bytes);
  const double bytes = asked_for(request, std::max(walked_times * furthest, least_memory_bytes));
  // Whoever asks for no larger sizes does not ask for memory.
  if (bytes < std::max(walked_times * furthest, least_memory_bytes / 4)) return std::nullopt;
  return WalkedSet{.within = Within::memory, .bytes = bytes, .most_threads = 1 << 20};
}

}  // namespace

std::vector<WalkedSet> walked_sets(const cpu::Topology& machine, const Request& request) {
  const int loading = static_cast<int>(loading_cores(machine, Placement::same_cluster).size());
  std::vector<WalkedSet> sets;
  const double own = own_cache_bytes(machine);
  if (furthest_level(machine) > 2 && own > 0 && loading > 0) {
    const double bytes = asked_for(request, own / 2);
    if (2 * bytes <= own)
      sets.push_back({.within = Within::own_cache, .bytes = bytes, .thread_bytes = bytes, .most_threads = loading});
  }
  if (const auto shared = set_in_shared_cache(machine, request, loading)) sets.push_back(*shared);
  if (const auto memory = set_in_memory(machine, request)) sets.push_back(*memory);
  std::erase_if(sets, [&](const WalkedSet& set) { return !measure::is_asked_for(request, set.bytes); });
  return sets;
}

std::vector<const cpu::Core*> loading_cores(const cpu::Topology& machine, Placement placement) {
  const cpu::Core& walking = quiet_core(machine, 0);
  // The first core of every cluster, then the second.
  std::map<int, int> turns_of_clusters;
  std::vector<std::pair<int, const cpu::Core*>> turned;
  for (const cpu::Core& core : machine.cores) {
    if (core.cpu == walking.cpu) continue;
    const Placement of_core = core.node != walking.node         ? Placement::other_node
                              : core.cluster == walking.cluster ? Placement::same_cluster
                                                                : Placement::other_cluster;
    if (of_core == placement) turned.emplace_back(turns_of_clusters[core.cluster]++, &core);
  }
  std::ranges::stable_sort(turned, {}, [](const auto& one) { return one.first; });
  std::vector<const cpu::Core*> cores;
  for (const auto& [turn, core] : turned) cores.push_back(core);
  return cores;
}

std::string why_no_load(const cpu::Topology& machine, Placement placement) {
  if (!loading_cores(machine, placement).empty()) return "";
  if (placement == Placement::same_cluster) {
    return "no other core that this process may use shares a cache with the core that walks, so nothing loads beside "
           "it there";
  }
  if (placement == Placement::other_cluster) {
    return "all cores of the walk's node that this process may use share their last cache with it, so there is no "
           "other cluster to load from";
  }
  return "all cores that this process may use are of one NUMA node, so there is no other node to load from";
}

double load_bytes_of(const cpu::Topology& machine, const WalkedSet& set, Placement placement, int threads) {
  if (set.within != Within::memory) return set.thread_bytes;
  const auto cores = loading_cores(machine, placement);
  std::set<int> clusters;
  const auto loading = std::min(static_cast<std::size_t>(threads), cores.size());
  for (std::size_t thread = 0; thread < loading; ++thread) clusters.insert(cores[thread]->cluster);
  const auto furthest = static_cast<double>(machine.furthest_cache_bytes);
  const double share = loaded_times * furthest * static_cast<double>(clusters.size()) /
                       static_cast<double>(std::max<std::size_t>(1, loading));
  return whole_units(std::max({share, loaded_times * own_cache_bytes(machine), least_load_bytes}) + unit_bytes - 1);
}

}  // namespace sonde::probes
