#pragma once

#include <cstdint>

#include "workloads/noise.hpp"

namespace sonde::workloads {

/// Where the lines of a walk lie: one in each slot of `slot_bytes`, side by side when a slot is a line. In a page each
/// lies at a random one of a few lines, which begin a little further on from page to page, from the first page's start
/// to the last one's end. So they fill all sets alike, meet no set in step, and hardly two share a page even where the
/// memory begins in the middle of one, as PoCL's does.
class LineLayout {
 public:
  /// Lines side by side. Implicit on purpose: a spacing is all that most walks say.
  LineLayout(std::uint32_t line_bytes) : LineLayout(line_bytes, line_bytes, 1, 0) {}
  LineLayout(std::uint32_t slot_bytes, std::uint32_t line_bytes, std::uint32_t slots, std::uint64_t seed)
      : slot_words_(slot_bytes / 4), line_words_(line_bytes / 4), slots_(slots), noise_(seed) {}

  std::uint32_t slot_bytes() const { return slot_words_ * 4; }
  std::uint32_t slot_of(std::uint32_t word) const { return word / slot_words_; }

  std::uint32_t word_of_first(std::uint32_t slot) const { return slot * slot_words_; }

  /// Index of the 32-bit word that the walk reads in a slot.
  std::uint32_t word_of(std::uint32_t slot) const {
    const std::uint32_t lines = slot_words_ / line_words_;
    if (lines == 1) return slot * slot_words_;
    // All 64 at random would leave a quarter of such pages unused, one line alone would bring some caches' sets in
    // step.
    const std::uint32_t few = (lines + 3) / 4;
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{slot} * (lines - few + 1) / slots_);
    return slot * slot_words_ + (begin + noise_(slot) % few) * line_words_;
  }

 private:
  std::uint32_t slot_words_;
  std::uint32_t line_words_;
  std::uint32_t slots_;
  Noise noise_;
};

}  // namespace sonde::workloads
