#include "device/model/sets.hpp"

#include <bit>

namespace sonde::device::model {

TaggedSets::TaggedSets(SetIndex index, std::uint32_t ways)
    : index_(index), ways_(ways), tags_(new(host_line) std::uint32_t[std::size_t{index.sets()} * ways]()) {}

PlruSets::PlruSets(SetIndex index, std::uint32_t ways)
    : TaggedSets(index, ways), leaves_(std::bit_ceil(ways)), trees_(index.sets()), keep_(ways), point_away_(ways) {
  const auto depth = static_cast<std::uint32_t>(std::countr_zero(leaves_));
  for (std::uint32_t way = 0; way < ways; ++way) {
    keep_[way] = ~std::uint64_t{0};
    for (std::uint32_t height = 1; height <= depth; ++height) {
      const std::uint32_t node = (leaves_ + way) >> height;
      const bool came_from_left = (((leaves_ + way) >> (height - 1)) & 1) == 0;
      const std::uint32_t right_half_starts_at = ((2 * node + 1) << (height - 1)) - leaves_;
      keep_[way] &= ~(std::uint64_t{1} << node);
      if (came_from_left && right_half_starts_at < ways) point_away_[way] |= std::uint64_t{1} << node;
    }
  }
}

}  // namespace sonde::device::model
