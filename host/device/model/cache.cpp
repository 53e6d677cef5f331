#include "device/model/cache.hpp"

#include <algorithm>

namespace sonde::device::model {
namespace {

// Up to here a search through the ways is quicker than a hash table, and a tree fits one word.
constexpr std::uint32_t most_ways_searched = 64;

// How far ahead of its use a set is fetched, so that a large cache's tags do not stall the host.
constexpr std::size_t requests_ahead = 12;

std::uint64_t line_count(const Level& level) {
  return std::max<std::uint64_t>(1, (level.bytes + level.line_bytes / 2) / level.line_bytes);
}

std::variant<LruSets, PlruSets, RandomSets, WideSets> make_sets(const Level& level, std::uint64_t seed) {
  const std::uint32_t ways = way_count(level);
  const SetIndex index(set_count(level), level.hashed, mixed(seed, 0));
  if (ways > most_ways_searched) return WideSets(index, ways, level.policy, mixed(seed, 1));
  if (level.policy == Policy::plru) return PlruSets(index, ways);
  if (level.policy == Policy::random) return RandomSets(index, ways, mixed(seed, 1));
  return LruSets(index, ways);
}

}  // namespace

std::uint32_t way_count(const Level& level) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(level.ways, line_count(level)));
}

std::uint32_t set_count(const Level& level) {
  const std::uint64_t ways = way_count(level);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (line_count(level) + ways / 2) / ways));
}

Cache::Cache(const Level& level, std::uint64_t seed) : sets_(make_sets(level, seed)) {}

std::uint32_t Cache::keep_misses(std::vector<Request>& requests) {
  return std::visit(
      [&requests](auto& sets) {
        std::uint32_t hits = 0;
        std::size_t misses = 0;
        for (std::size_t i = 0; i < requests.size(); ++i) {
          if (i + requests_ahead < requests.size()) sets.prefetch(requests[i + requests_ahead].line);
          const Request request = requests[i];
          if (sets.touch(request.line)) {
            hits += request.access != Request::no_access ? 1 : 0;
          } else {
            requests[misses++] = request;
          }
        }
        requests.resize(misses);
        return hits;
      },
      sets_);
}

bool Cache::touch(std::uint32_t line) {
  return std::visit([line](auto& sets) { return sets.touch(line); }, sets_);
}

}  // namespace sonde::device::model
