#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "device/model/description.hpp"
#include "device/model/sets.hpp"
#include "device/model/wide_sets.hpp"

namespace sonde::device::model {

/// A line that is wanted from a cache, for one access of the program or for none: where the cache above
/// has the longer line, its misses fetch the lines beside it too, but the program waits for its own part only.
struct Request {
  static constexpr std::uint32_t no_access = 0xffffffff;
  std::uint32_t line;
  std::uint32_t access;
};

/// One set-associative cache. It knows which lines are in it; the bytes stay in the buffers.
class Cache {
 public:
  Cache(const Level& level, std::uint64_t seed);

  /// Looks up every request in order, filling what misses; leaves the misses and returns the accesses that hit.
  std::uint32_t keep_misses(std::vector<Request>& requests);

  /// True when the line is held; otherwise it takes the place of another.
  bool touch(std::uint32_t line);

 private:
  std::variant<LruSets, PlruSets, RandomSets, WideSets> sets_;
};

/// How many sets such a level has: its lines divided by its ways, rounded, at least one.
[[nodiscard]] std::uint32_t set_count(const Level& level);
/// How many ways a set of such a level has: never more than the level has lines.
[[nodiscard]] std::uint32_t way_count(const Level& level);

}  // namespace sonde::device::model
