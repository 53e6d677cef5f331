#pragma once

#include <cstdint>

namespace sonde::probes {

/// Where the lines of a walk lie: one in each slot of `slot_bytes`, side by side when a slot is a line, else at a
/// random line of its slot, so that lines of different pages do not meet in the same sets.
class Slots {
 public:
  /// Lines side by side. Implicit on purpose: a spacing is all that most walks say.
  Slots(std::uint32_t line_bytes) : Slots(line_bytes, line_bytes, 0) {}
  Slots(std::uint32_t slot_bytes, std::uint32_t line_bytes, std::uint64_t seed)
      : slot_words_(slot_bytes / 4), line_words_(line_bytes / 4), seed_(seed) {}

  std::uint32_t slot_bytes() const { return slot_words_ * 4; }
  std::uint32_t slot_of(std::uint32_t word) const { return word / slot_words_; }

  std::uint32_t word_of_first(std::uint32_t slot) const { return slot * slot_words_; }

  /// Index of the 32-bit word that the walk reads in a slot.
  std::uint32_t word_of(std::uint32_t slot) const {
    const std::uint32_t lines = slot_words_ / line_words_;
    const std::uint64_t mixed = (slot + seed_ + 1) * 0x9E3779B97F4A7C15ull;
    return slot * slot_words_ + static_cast<std::uint32_t>((mixed >> 32) * lines >> 32) * line_words_;
  }

 private:
  std::uint32_t slot_words_;
  std::uint32_t line_words_;
  std::uint64_t seed_;
};

}  // namespace sonde::probes
