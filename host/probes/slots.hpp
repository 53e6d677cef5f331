#pragma once

#include <cstdint>

namespace sonde::probes {

/// Where the lines of a walk lie: one in each slot of `slot_bytes`, side by side when a slot is a line. In a page each
/// lies a little further on than in the page before, the last at its end: so they fill all sets alike, and no two share
/// a page even where the memory begins in the middle of one, as PoCL's does.
class Slots {
 public:
  /// Lines side by side. Implicit on purpose: a spacing is all that most walks say.
  Slots(std::uint32_t line_bytes) : Slots(line_bytes, line_bytes, 1) {}
  Slots(std::uint32_t slot_bytes, std::uint32_t line_bytes, std::uint32_t slots)
      : slot_words_(slot_bytes / 4), line_words_(line_bytes / 4), slots_(slots) {}

  std::uint32_t slot_bytes() const { return slot_words_ * 4; }
  std::uint32_t slot_of(std::uint32_t word) const { return word / slot_words_; }

  std::uint32_t word_of_first(std::uint32_t slot) const { return slot * slot_words_; }

  /// Index of the 32-bit word that the walk reads in a slot.
  std::uint32_t word_of(std::uint32_t slot) const {
    const std::uint64_t lines = slot_words_ / line_words_;
    const auto line = lines == 1 ? 0 : static_cast<std::uint32_t>(slot * lines / slots_);
    return slot * slot_words_ + line * line_words_;
  }

 private:
  std::uint32_t slot_words_;
  std::uint32_t line_words_;
  std::uint32_t slots_;
};

}  // namespace sonde::probes
