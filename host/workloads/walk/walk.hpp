#pragma once

#include <numeric>

#include "workloads/stream/memory_kinds.hpp"

namespace sonde::workloads {

/// The places of a walk's lines, one in each slot of `slot_bytes`. They fill all sets of a cache alike, meet no set in
/// step, and hardly two share a page even where the memory begins in the middle of one, as PoCL's does; walks over as
/// many lines fill a cache's sets alike, however far apart the lines are.
class LineLayout {
 public:
  /// A layout with lines side by side. Implicit on purpose: a spacing is all that most walks need.
  LineLayout(std::uint32_t line_bytes) : LineLayout(line_bytes, line_bytes, 1, 0) {}
  LineLayout(std::uint32_t slot_bytes, std::uint32_t line_bytes, std::uint32_t slots, std::uint64_t seed)
      : slot_words_(slot_bytes / 4), line_words_(line_bytes / 4), slots_(slots), noise_(seed) {
    // A line lies the KiB of a slot and `steps_` beyond the line before. All sets of a cache are used where their
    // number shares no factor with that distance. One KiB would not do: where a cache's index mixes two parts of an
    // address, their bits would cancel each other.
    constexpr std::uint32_t factors_of_sets = 3 * 5 * 7 * 11 * 13;
    while (std::gcd(slot_words_ / near_words + steps_, factors_of_sets) != 1) steps_ += 2;
  }

  std::uint32_t slot_bytes() const { return slot_words_ * 4; }
  std::uint32_t line_bytes() const { return line_words_ * 4; }
  std::uint32_t slot_of(std::uint32_t word) const { return word / slot_words_; }

  /// Index of the 32-bit word that the walk reads in a slot.
  std::uint32_t word_of(std::uint32_t slot) const {
    if (slot_words_ <= small_page_words) return slot * slot_words_ + word_in(slot_words_, slot);
    // In a larger slot a line lies as in one of 1 KiB, which is shifted from slot to slot; it stays within a quarter of
    // its slot, so that only a quarter of the lines can lie about a page's beginning.
    const std::uint32_t quarter = slot_words_ / 4;
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{4} * slot / slots_) * quarter;
    const auto further = static_cast<std::uint32_t>(std::uint64_t{steps_} * near_words * slot % quarter);
    return slot * slot_words_ + begin + further + word_in(near_words, slot);
  }

 private:
  static constexpr std::uint32_t small_page_words = 4096 / 4;
  static constexpr std::uint32_t near_words = 1024 / 4;

  /// The place of the line of `slot` in a part of it that is `words` long: a random one of a few, which begin a little
  /// further on from slot to slot.
  std::uint32_t word_in(std::uint32_t words, std::uint32_t slot) const {
    const std::uint32_t lines = words / line_words_;
    if (lines <= 1) return 0;
    // A random one of all 64 lines of a page would leave a quarter of shifted pages unused; the same line of every page
    // would bring some caches' sets in step.
    const std::uint32_t few = (lines + 3) / 4;
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{slot} * (lines - few + 1) / slots_);
    return (begin + noise_(slot) % few) * line_words_;
  }

  std::uint32_t slot_words_;
  std::uint32_t line_words_;
  std::uint32_t slots_;
  std::uint32_t steps_ = 5;
  Noise noise_;
};

/// A random single cycle over `count` lines (Sattolo, 1986): element i is the line after line i. The same seed gives
/// the same cycle on every platform.
std::vector<std::uint32_t> random_cycle(std::uint32_t count, std::uint64_t seed);

/// Turns a cycle into each line's place in it, counted from line 0, in the same memory; false when it was not one
/// cycle over all lines.
bool cycle_to_places(std::vector<std::uint32_t>& cycle);

/// Writes the cycle: the walk's word of each slot holds where the next slot's word is, in units of 2^offset_shift
/// bytes. The rest of a slot is random, so that no memory controller can compress it; of slots beyond 4 KiB only the
/// block of 4 KiB around the word is written.
void write_cycle(device::Buffer& buffer, const std::vector<std::uint32_t>& cycle, const LineLayout& layout,
                 std::uint64_t seed, std::uint32_t offset_shift = 2);

/// The word that `write_words` puts at the start of a line.
std::uint32_t word_of_line(std::uint32_t line, std::uint64_t seed);

/// The line that an independent walk over `count` of them reads after it loaded `word`, as its load number `counter`.
inline std::uint32_t line_after(std::uint32_t word, std::uint32_t counter, std::uint32_t count) {
  const std::uint32_t mixed = (word ^ counter) * 0x9E3779B1u;
  return static_cast<std::uint32_t>(std::uint64_t{mixed} * count >> 32);
}

/// Index of the second word of a line.
inline std::uint32_t second_word_of_line(std::uint32_t line, std::uint32_t line_words) { return line * line_words + 1; }

/// Fills `line_count` lines with random words, the first of each as `word_of_line` says, but for the second of each,
/// which is the index of the next line's second word, in the last line of the first one's.
void write_words(device::Buffer& buffer, std::uint32_t line_count, std::uint32_t line_bytes, std::uint64_t seed);

}  // namespace sonde::workloads
