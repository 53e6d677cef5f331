#pragma once

#include <cstdint>
#include <vector>

#include "device/model/description.hpp"
#include "device/model/random.hpp"
#include "device/model/sets.hpp"

namespace sonde::device::model {

/// Sets of any number of ways, up to fully associative: lines are found by hashing instead of searching.
class WideSets {
 public:
  WideSets(SetIndex index, std::uint32_t ways, Policy policy, std::uint64_t seed);

  /// True when the line is held; otherwise it takes the place of another.
  bool touch(std::uint32_t line);

  /// Starts bringing the line's place in the table into the host's own cache.
  void prefetch(std::uint32_t line) const { __builtin_prefetch(&table_[home(line)]); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] std::size_t home(std::uint32_t line) const;
  [[nodiscard]] std::uint32_t find(std::uint32_t line) const;
  void insert(std::uint32_t slot);
  void erase(std::uint32_t slot);
  [[nodiscard]] std::uint32_t victim(std::uint32_t set);
  void mark_used(std::uint32_t set, std::uint32_t slot, bool is_new);

  SetIndex index_;
  std::uint32_t ways_;
  std::uint32_t leaves_;
  Policy policy_;
  Random random_;
  std::vector<std::uint32_t> line_of_slot_;
  std::vector<std::uint32_t> filled_;  ///< for each set its ways in use
  std::vector<std::uint32_t> table_;   ///< open addressing: the slot of a line, or none
  // LRU: for each set a ring from the newest slot to the oldest, whose `older_` is the newest again.
  std::vector<std::uint32_t> newest_;
  std::vector<std::uint32_t> newer_;
  std::vector<std::uint32_t> older_;
  std::vector<std::uint8_t> trees_;  ///< tree-PLRU: `leaves_` nodes a set, 1 points right
};

}  // namespace sonde::device::model
