#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <variant>
#include <vector>

#include "device/model/description.hpp"
#include "device/model/random.hpp"

// A cache knows which lines are in it; the bytes stay in the buffers. SearchedSets look for a line in the tags of its
// set, which is quickest for few ways and inline as it is the simulation's inner loop; WideSets find lines by hashing.
namespace sonde::device::model {

/// Finds a line's set: the number modulo the sets, or a hash of it that shares no pattern with addresses.
class SetIndex {
 public:
  SetIndex(std::uint32_t sets, bool hashed, std::uint64_t seed)
      : sets_(sets), mask_((sets & (sets - 1)) == 0 ? sets - 1 : 0), hashed_(hashed), seed_(seed) {}

  [[nodiscard]] std::uint32_t sets() const { return sets_; }
  [[nodiscard]] std::uint32_t operator()(std::uint32_t line) const {
    if (!hashed_) return mask_ != 0 ? line & mask_ : line % sets_;
    std::uint64_t z = (line + seed_) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
    return static_cast<std::uint32_t>(((z >> 32) * sets_) >> 32);
  }

 private:
  std::uint32_t sets_;
  std::uint32_t mask_;
  bool hashed_;
  std::uint64_t seed_;
};

/// The trees of tree-PLRU of up to 64 ways, one a set: each node points away from the half that was used last. Where
/// the ways are no power of two, nodes whose right half does not exist always point left.
class PlruTrees {
 public:
  PlruTrees() = default;
  PlruTrees(std::uint32_t sets, std::uint32_t ways);

  /// The way that is replaced next.
  [[nodiscard]] std::uint32_t victim(std::uint32_t set) const {
    std::uint32_t node = 1;
    while (node < leaves_) node = 2 * node + static_cast<std::uint32_t>(trees_[set] >> node & 1);
    return node - leaves_;
  }
  void point_away(std::uint32_t set, std::uint32_t way) {
    trees_[set] = (trees_[set] & ~ancestors_[way]) | to_the_right_[way];
  }

 private:
  std::uint32_t leaves_ = 1;
  std::vector<std::uint64_t> trees_;         ///< a bit a node, of which 1 points right; node 1 is the root
  std::vector<std::uint64_t> ancestors_;     ///< of each way: the nodes above it
  std::vector<std::uint64_t> to_the_right_;  ///< of these, the nodes that point right once it was used
};

/// Sets that are searched through, of up to 64 ways. A tag is a line's number plus one, so that zero is an empty way.
/// LRU keeps a set in order of use, the newest line first; otherwise a miss replaces the way that a tree points to, or
/// any with equal chance, once none is empty.
class SearchedSets {
 public:
  SearchedSets(SetIndex index, std::uint32_t ways, Policy policy, std::uint64_t seed)
      : index_(index),
        ways_(ways),
        policy_(policy),
        random_(seed),
        tags_(new(host_line) std::uint32_t[std::size_t{index.sets()} * ways]()) {
    if (policy == Policy::plru) trees_ = PlruTrees(index.sets(), ways);
  }

  /// True when the line is held; otherwise it takes the place of another.
  bool touch(std::uint32_t line) {
    const std::uint32_t number = index_(line);
    std::uint32_t* const set = tags_.get() + std::size_t{number} * ways_;
    if (policy_ == Policy::lru) return make_newest(set, line + 1);
    std::uint32_t way = find(set, line + 1);
    const bool held = way < ways_;
    if (!held) {
      way = set[ways_ - 1] == 0 ? find(set, 0) : victim(number);
      set[way] = line + 1;
    }
    if (policy_ == Policy::plru) trees_.point_away(number, way);
    return held;
  }

  /// Starts bringing the line's set into the host's own cache.
  void prefetch(std::uint32_t line) const { __builtin_prefetch(tags_.get() + std::size_t{index_(line)} * ways_, 1); }

 private:
  static constexpr std::align_val_t host_line{64};  // a set of 16 ways is then one line of the host
  struct Delete {
    void operator()(std::uint32_t* tags) const { ::operator delete[](tags, host_line); }
  };

  [[nodiscard]] std::uint32_t victim(std::uint32_t set) {
    return policy_ == Policy::plru ? trees_.victim(set) : random_.below(ways_);
  }

  /// Puts `tag` before all others, which move up to where it was or out of the set; returns whether it was there.
  bool make_newest(std::uint32_t* set, std::uint32_t tag) const {
#ifdef __SSE2__
    if (ways_ == 8 || ways_ == 16) return make_newest_of_eights(set, tag);
#endif
    const std::uint32_t way = find(set, tag);
    std::copy_backward(set, set + std::min(way, ways_ - 1), set + std::min(way + 1, ways_));
    set[0] = tag;
    return way < ways_;
  }

#ifdef __SSE2__
  /// The same, of eight ways at once: while they are compared they move, and where a line is found, which cannot be
  /// predicted, decides on no more than one branch.
  bool make_newest_of_eights(std::uint32_t* set, std::uint32_t tag) const {
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
    __m128i before = wanted;  // its last word moves into the next way
    for (std::uint32_t way = 0; way < ways_; way += 8) {
      auto* const four = reinterpret_cast<__m128i*>(set + way);
      const __m128i low = _mm_loadu_si128(four);
      const __m128i high = _mm_loadu_si128(four + 1);
      const __m128i in_low = _mm_cmpeq_epi32(low, wanted);
      const __m128i in_high = _mm_cmpeq_epi32(high, wanted);
      const __m128i moved_low = _mm_or_si128(_mm_slli_si128(low, 4), _mm_srli_si128(before, 12));
      const __m128i moved_high = _mm_or_si128(_mm_slli_si128(high, 4), _mm_srli_si128(low, 12));
      if (_mm_movemask_epi8(_mm_or_si128(in_low, in_high)) != 0) {
        // The ways behind the one that held the tag stay.
        const __m128i stays_low = behind(in_low);
        const __m128i stays_high =
            _mm_or_si128(behind(in_high), _mm_shuffle_epi32(_mm_or_si128(stays_low, in_low), 0xff));
        _mm_storeu_si128(four, chosen(stays_low, low, moved_low));
        _mm_storeu_si128(four + 1, chosen(stays_high, high, moved_high));
        return true;
      }
      _mm_storeu_si128(four, moved_low);
      _mm_storeu_si128(four + 1, moved_high);
      before = high;
    }
    return false;
  }
  /// All words behind the one that is set.
  static __m128i behind(__m128i one) {
    one = _mm_slli_si128(one, 4);
    one = _mm_or_si128(one, _mm_slli_si128(one, 4));
    return _mm_or_si128(one, _mm_slli_si128(one, 8));
  }
  static __m128i chosen(__m128i where, __m128i one, __m128i other) {
    return _mm_or_si128(_mm_and_si128(where, one), _mm_andnot_si128(where, other));
  }
#endif

  /// The way that holds `tag`, or the number of ways when none does.
  [[nodiscard]] std::uint32_t find(const std::uint32_t* set, std::uint32_t tag) const {
    std::uint32_t way = 0;
#ifdef __SSE2__
    // Eight ways are compared at once without a branch: where in the set a line is found cannot be predicted.
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
    for (; way + 8 <= ways_; way += 8) {
      const auto* const four = reinterpret_cast<const __m128i*>(set + way);
      const __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128(four), wanted);
      const __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128(four + 1), wanted);
      const auto matches = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi32(low, high)));
      if (matches != 0) return way + static_cast<std::uint32_t>(std::countr_zero(matches)) / 2;
    }
#endif
    while (way < ways_ && set[way] != tag) ++way;
    return way;
  }

  SetIndex index_;
  std::uint32_t ways_;
  Policy policy_;
  Random random_;
  std::unique_ptr<std::uint32_t[], Delete> tags_;
  PlruTrees trees_;
};

/// Sets of any policy and number of ways, up to fully associative: lines are found by hashing instead of searching.
class WideSets {
 public:
  WideSets(SetIndex index, std::uint32_t ways, Policy policy, std::uint64_t seed);

  bool touch(std::uint32_t line);
  void prefetch(std::uint32_t line) const { __builtin_prefetch(&table_[home(line)]); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] std::size_t home(std::uint32_t line) const {
    return (line * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & (table_.size() - 1);
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t line) const;
  void insert(std::uint32_t slot);
  void erase(std::uint32_t slot);
  [[nodiscard]] std::uint32_t victim(std::uint32_t set);
  void make_newest(std::uint32_t set, std::uint32_t slot, bool is_new);
  void point_away(std::uint32_t set, std::uint32_t slot);

  SetIndex index_;
  std::uint32_t ways_;
  std::uint32_t leaves_;
  Policy policy_;
  Random random_;
  std::vector<std::uint32_t> line_of_slot_;
  std::vector<std::uint32_t> filled_;  ///< for each set its ways in use
  std::vector<std::uint32_t> table_;   ///< open addressing: the slot of a line, or none
  // LRU keeps for each set a ring from the newest slot to the oldest, whose `older_` is the newest again.
  std::vector<std::uint32_t> newest_;
  std::vector<std::uint32_t> newer_;
  std::vector<std::uint32_t> older_;
  std::vector<std::uint8_t> trees_;  ///< `leaves_` nodes a set, 1 points right
};

/// A line that is wanted from a cache, for one access of the program or for none: where the cache above
/// has the longer line, its misses fetch the lines beside it too, but the program waits for its own part only.
struct LineRequest {
  static constexpr std::uint32_t no_access = 0xffffffff;
  std::uint32_t line;
  std::uint32_t access;
};

/// One set-associative cache.
class Cache {
 public:
  Cache(const ModelLevel& level, std::uint64_t seed);

  /// Looks up every request in order, filling what misses; leaves the misses and returns the accesses that hit.
  std::uint32_t keep_misses(std::vector<LineRequest>& requests);

 private:
  std::variant<SearchedSets, WideSets> sets_;
};

/// The number of sets of such a level: its lines divided by its ways, rounded, at least one.
[[nodiscard]] std::uint32_t set_count(const ModelLevel& level);
/// The number of ways of a set of such a level: never more than the level has lines.
[[nodiscard]] std::uint32_t way_count(const ModelLevel& level);

}  // namespace sonde::device::model
