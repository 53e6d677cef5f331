#pragma once

#include <cstdint>
#include <numeric>

#include "workloads/stream/noise.hpp"

namespace sonde::workloads {

/// Where the lines of a walk lie: one in each slot of `slot_bytes`, side by side when a slot is a line. In a slot of up
/// to a small page each lies at a random one of a few lines, which begin a little further on from slot to slot, from
/// the first slot's start to the last one's end. So they fill all sets alike, meet no set in step, and hardly two share
/// a page even where the memory begins in the middle of one, as PoCL's does. In a larger slot each lies as in one of 1
/// KiB, so many times further on that walks of as many lines fill a cache's sets alike, however far apart they are.
class LineLayout {
 public:
  /// Lines side by side. Implicit on purpose: a spacing is all that most walks say.
  LineLayout(std::uint32_t line_bytes) : LineLayout(line_bytes, line_bytes, 1, 0) {}
  LineLayout(std::uint32_t slot_bytes, std::uint32_t line_bytes, std::uint32_t slots, std::uint64_t seed)
      : slot_words_(slot_bytes / 4), line_words_(line_bytes / 4), slots_(slots), noise_(seed) {
    // From slot to slot a line lies so many KiB further on than the slots do: all sets of a cache get their turn where
    // their number shares no factor with that distance. Not 1, or the bits of an index that is mixed of two parts of an
    // address would cancel each other.
    constexpr std::uint32_t factors_of_sets = 3 * 5 * 7 * 11 * 13;
    while (std::gcd(slot_words_ / near_words + steps_, factors_of_sets) != 1) steps_ += 2;
  }

  std::uint32_t slot_bytes() const { return slot_words_ * 4; }
  std::uint32_t line_bytes() const { return line_words_ * 4; }
  std::uint32_t slot_of(std::uint32_t word) const { return word / slot_words_; }

  std::uint32_t word_of_first(std::uint32_t slot) const { return slot * slot_words_; }

  /// Index of the 32-bit word that the walk reads in a slot.
  std::uint32_t word_of(std::uint32_t slot) const {
    if (slot_words_ <= small_page_words) return slot * slot_words_ + word_in(slot_words_, slot);
    // Within a quarter, so that only a quarter of the lines can lie about a page's beginning.
    const std::uint32_t quarter = slot_words_ / 4;
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{4} * slot / slots_) * quarter;
    const auto further = static_cast<std::uint32_t>(std::uint64_t{steps_} * near_words * slot % quarter);
    return slot * slot_words_ + begin + further + word_in(near_words, slot);
  }

 private:
  static constexpr std::uint32_t small_page_words = 4096 / 4;
  static constexpr std::uint32_t near_words = 1024 / 4;

  /// In a part of a slot.
  std::uint32_t word_in(std::uint32_t words, std::uint32_t slot) const {
    const std::uint32_t lines = words / line_words_;
    if (lines <= 1) return 0;
    // All 64 at random would leave a quarter of such pages unused, one line alone would bring some caches' sets in
    // step.
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

}  // namespace sonde::workloads
