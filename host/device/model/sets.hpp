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
#include <vector>

#include "device/model/random.hpp"

// The three replacement policies for sets of up to 64 ways, flat and inline because they are the
// simulation's inner loop. A tag is a line's number plus one, so that zero is an empty way.
namespace sonde::device::model {

/// Finds a line's set: the number modulo the sets, or a hash of it that shares no pattern with addresses.
class SetIndex {
 public:
  SetIndex(std::uint32_t sets, bool hashed, std::uint64_t seed)
      : sets_(sets), mask_((sets & (sets - 1)) == 0 ? sets - 1 : 0), hashed_(hashed), seed_(seed) {}

  [[nodiscard]] std::uint32_t sets() const { return sets_; }
  [[nodiscard]] std::uint32_t operator()(std::uint32_t line) const {
    if (hashed_) return static_cast<std::uint32_t>(((mixed_bits(line) >> 32) * sets_) >> 32);
    return mask_ != 0 ? line & mask_ : line % sets_;
  }

 private:
  [[nodiscard]] std::uint64_t mixed_bits(std::uint32_t line) const {
    std::uint64_t z = (line + seed_) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
    return (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
  }

  std::uint32_t sets_;
  std::uint32_t mask_;
  bool hashed_;
  std::uint64_t seed_;
};

/// Tags by set and way, and the search through them.
class TaggedSets {
 public:
  TaggedSets(SetIndex index, std::uint32_t ways);

  /// Starts bringing the line's set into the host's own cache.
  void prefetch(std::uint32_t line) const { __builtin_prefetch(set_of(line), 1); }

 protected:
  [[nodiscard]] std::uint32_t* set_of(std::uint32_t line) const {
    return tags_.get() + std::size_t{index_(line)} * ways_;
  }

  /// The way that holds `tag`, or the number of ways when none does.
  [[nodiscard]] std::uint32_t find(const std::uint32_t* set, std::uint32_t tag) const {
    std::uint32_t way = 0;
#ifdef __SSE2__
    // Eight ways a step without a branch: where in the set a line is found cannot be predicted.
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

 private:
  static constexpr std::align_val_t host_line{64};  // so that a set of 16 ways is one of them
  struct Delete {
    void operator()(std::uint32_t* tags) const { ::operator delete[](tags, host_line); }
  };
  std::unique_ptr<std::uint32_t[], Delete> tags_;
};

/// Each set in order of use, the newest first.
class LruSets : public TaggedSets {
 public:
  using TaggedSets::TaggedSets;

  /// True when the line is held; otherwise it takes the place of another.
  bool touch(std::uint32_t line) {
    std::uint32_t* const set = set_of(line);
    const std::uint32_t way = find(set, line + 1);
    const bool held = way < ways_;
    // Searched for first and moved at once: carried along one by one, each way would wait for the one before.
    std::copy_backward(set, set + (held ? way : ways_ - 1), set + (held ? way + 1 : ways_));
    set[0] = line + 1;
    return held;
  }
};

/// A miss replaces any way with equal chance, once none is empty.
class RandomSets : public TaggedSets {
 public:
  RandomSets(SetIndex index, std::uint32_t ways, std::uint64_t seed) : TaggedSets(index, ways), random_(seed) {}

  /// True when the line is held; otherwise it takes the place of another.
  bool touch(std::uint32_t line) {
    std::uint32_t* const set = set_of(line);
    if (find(set, line + 1) < ways_) return true;
    const bool full = set[ways_ - 1] != 0;
    set[full ? random_.below(ways_) : find(set, 0)] = line + 1;
    return false;
  }

 private:
  Random random_;
};

/// Tree-PLRU: one bit a node points away from the half that was used last. Where the ways are no power
/// of two, nodes whose right half does not exist always point left.
class PlruSets : public TaggedSets {
 public:
  PlruSets(SetIndex index, std::uint32_t ways);

  /// True when the line is held; otherwise it takes the place of another.
  bool touch(std::uint32_t line) {
    std::uint32_t* const set = set_of(line);
    std::uint64_t& tree = trees_[index_(line)];
    std::uint32_t way = find(set, line + 1);
    const bool held = way < ways_;
    if (!held) {
      way = set[ways_ - 1] != 0 ? victim(tree) : find(set, 0);
      set[way] = line + 1;
    }
    tree = (tree & keep_[way]) | point_away_[way];
    return held;
  }

 private:
  [[nodiscard]] std::uint32_t victim(std::uint64_t tree) const {
    std::uint32_t node = 1;
    while (node < leaves_) node = 2 * node + static_cast<std::uint32_t>((tree >> node) & 1);
    return node - leaves_;
  }

  std::uint32_t leaves_;
  std::vector<std::uint64_t> trees_;
  std::vector<std::uint64_t> keep_;        ///< for each way the nodes off its path
  std::vector<std::uint64_t> point_away_;  ///< for each way its path's nodes that must point right
};

}  // namespace sonde::device::model
