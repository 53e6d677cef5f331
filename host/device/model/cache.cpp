#include "device/model/cache.hpp"

namespace sonde::device::model {
namespace {

/// The number of ways up to which a search through them is quicker than a hash table.
constexpr std::uint32_t most_ways_searched = 64;

/// A set is fetched so many requests ahead of its use, so that a large cache's tags do not stall the host.
constexpr std::size_t requests_ahead = 12;

std::uint64_t line_count(const ModelLevel& level) {
  return std::max<std::uint64_t>(1, (level.bytes + level.line_bytes / 2) / level.line_bytes);
}

std::variant<SearchedSets, WideSets> make_sets(const ModelLevel& level, std::uint64_t seed) {
  const std::uint32_t ways = way_count(level);
  const SetIndex index(set_count(level), level.hashed, mixed(seed, 0));
  const std::uint64_t own_seed = mixed(seed, 1);
  if (ways > most_ways_searched) return WideSets(index, ways, level.policy, own_seed);
  return SearchedSets(index, ways, level.policy, own_seed);
}

}  // namespace

std::uint32_t way_count(const ModelLevel& level) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(level.ways, line_count(level)));
}

std::uint32_t set_count(const ModelLevel& level) {
  const std::uint64_t ways = way_count(level);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (line_count(level) + ways / 2) / ways));
}

PlruTrees::PlruTrees(std::uint32_t sets, std::uint32_t ways)
    : leaves_(std::bit_ceil(ways)), trees_(sets), ancestors_(ways), to_the_right_(ways) {
  for (std::uint32_t way = 0; way < ways; ++way) {
    std::uint32_t leaves_below = 1;
    for (std::uint32_t node = leaves_ + way; node > 1; node /= 2, leaves_below *= 2) {
      const bool came_from_left = node % 2 == 0;
      const bool right_exists = (node | 1) * leaves_below - leaves_ < ways;
      ancestors_[way] |= std::uint64_t{1} << node / 2;
      if (came_from_left && right_exists) to_the_right_[way] |= std::uint64_t{1} << node / 2;
    }
  }
}

Cache::Cache(const ModelLevel& level, std::uint64_t seed) : sets_(make_sets(level, seed)) {}

std::uint32_t Cache::keep_misses(std::vector<LineRequest>& requests) {
  return std::visit(
      [&requests](auto& sets) {
        std::uint32_t hits = 0;
        std::size_t misses = 0;
        for (std::size_t i = 0; i < requests.size(); ++i) {
          if (i + requests_ahead < requests.size()) sets.prefetch(requests[i + requests_ahead].line);
          const LineRequest request = requests[i];
          if (sets.touch(request.line)) {
            hits += request.access != LineRequest::no_access ? 1 : 0;
          } else {
            requests[misses++] = request;
          }
        }
        requests.resize(misses);
        return hits;
      },
      sets_);
}

WideSets::WideSets(SetIndex index, std::uint32_t ways, Policy policy, std::uint64_t seed)
    : index_(index), ways_(ways), leaves_(std::bit_ceil(ways)), policy_(policy), random_(seed) {
  const std::size_t slots = std::size_t{index.sets()} * ways;
  line_of_slot_.resize(slots);
  filled_.resize(index.sets());
  table_.assign(std::bit_ceil(2 * slots), none);
  if (policy == Policy::lru) {
    newest_.assign(index.sets(), none);
    newer_.resize(slots);
    older_.resize(slots);
  }
  if (policy == Policy::plru) trees_.resize(std::size_t{index.sets()} * leaves_);
}

bool WideSets::touch(std::uint32_t line) {
  const std::uint32_t set = index_(line);
  std::uint32_t slot = find(line);
  const bool held = slot != none;
  const bool full = filled_[set] == ways_;
  if (!held) {
    if (full) {
      slot = victim(set);
      erase(slot);
    } else {
      slot = set * ways_ + filled_[set]++;
    }
    line_of_slot_[slot] = line;
    insert(slot);
  }
  if (policy_ == Policy::lru) make_newest(set, slot, !held && !full);
  if (policy_ == Policy::plru) point_away(set, slot);
  return held;
}

std::uint32_t WideSets::find(std::uint32_t line) const {
  for (std::size_t place = home(line);; place = (place + 1) & (table_.size() - 1)) {
    const std::uint32_t slot = table_[place];
    if (slot == none || line_of_slot_[slot] == line) return slot;
  }
}

void WideSets::insert(std::uint32_t slot) {
  std::size_t place = home(line_of_slot_[slot]);
  while (table_[place] != none) place = (place + 1) & (table_.size() - 1);
  table_[place] = slot;
}

void WideSets::erase(std::uint32_t slot) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = home(line_of_slot_[slot]);
  while (table_[hole] != slot) hole = (hole + 1) & mask;
  // Whatever was pushed past the hole moves back into it, so that no search ends too early.
  for (std::size_t place = (hole + 1) & mask; table_[place] != none; place = (place + 1) & mask) {
    const std::size_t wanted = home(line_of_slot_[table_[place]]);
    if (((place - wanted) & mask) >= ((place - hole) & mask)) {
      table_[hole] = table_[place];
      hole = place;
    }
  }
  table_[hole] = none;
}

std::uint32_t WideSets::victim(std::uint32_t set) {
  if (policy_ == Policy::lru) return newer_[newest_[set]];
  if (policy_ == Policy::random) return set * ways_ + random_.below(ways_);
  const std::uint8_t* const tree = &trees_[std::size_t{set} * leaves_];
  std::uint32_t node = 1;
  while (node < leaves_) node = 2 * node + tree[node];
  return set * ways_ + node - leaves_;
}

void WideSets::point_away(std::uint32_t set, std::uint32_t slot) {
  std::uint8_t* const tree = &trees_[std::size_t{set} * leaves_];
  std::uint32_t leaves_below = 1;
  for (std::uint32_t node = leaves_ + slot % ways_; node > 1; node /= 2, leaves_below *= 2) {
    const bool came_from_left = node % 2 == 0;
    const bool right_exists = (node | 1) * leaves_below - leaves_ < ways_;
    tree[node / 2] = came_from_left && right_exists ? 1 : 0;
  }
}

void WideSets::make_newest(std::uint32_t set, std::uint32_t slot, bool is_new) {
  const std::uint32_t newest = newest_[set];
  if (slot == newest) return;
  if (newest == none) {
    newer_[slot] = older_[slot] = slot;
  } else {
    if (!is_new) {
      older_[newer_[slot]] = older_[slot];
      newer_[older_[slot]] = newer_[slot];
    }
    const std::uint32_t oldest = newer_[newest];
    older_[slot] = newest;
    newer_[newest] = slot;
    newer_[slot] = oldest;
    older_[oldest] = slot;
  }
  newest_[set] = slot;
}

}  // namespace sonde::device::model
