#include "workloads/stream/stream_proof.hpp"

#include <algorithm>
#include <iterator>

namespace sonde::workloads {

StretchSums::StretchSums(const StreamWalk& walk, const std::vector<std::uint32_t>& pieces)
    : blocks_(walk.blocks), scatter_(walk.scatter), shared_(walk.group_step == 0) {
  const std::uint32_t groups = shared_ ? 1 : walk.shape.groups;
  before_.reserve(std::size_t{groups} * (blocks_ + 1));
  for (std::uint32_t group = 0; group < groups; ++group) {
    std::uint32_t sum = 0;
    before_.push_back(0);
    for (std::uint32_t position = 0; position < blocks_; ++position) {
      for (std::uint32_t piece = 0; piece < walk.shape.pieces(); ++piece)
        sum += pieces[walk.piece_at(group, position, piece)];
      before_.push_back(sum);
    }
  }
}

std::uint32_t StretchSums::sum(std::uint32_t group, std::uint32_t position, std::uint64_t trips) const {
  const std::uint32_t* const before = &before_[shared_ ? 0 : std::size_t{group} * (blocks_ + 1)];
  const auto laps = static_cast<std::uint32_t>(trips / blocks_);
  const std::uint64_t end = position + trips % blocks_;
  std::uint32_t sum = laps * before[blocks_];
  if (scatter_ != 0) {
    for (std::uint64_t at = position; at < end; ++at) {
      const std::uint32_t block = scattered(static_cast<std::uint32_t>(at % blocks_), group, scatter_);
      sum += before[block + 1] - before[block];
    }
    return sum;
  }
  sum += before[std::min<std::uint64_t>(end, blocks_)] - before[position];
  if (end > blocks_) sum += before[end - blocks_];
  return sum;
}

void WriteHistory::add(const Written& dispatch) {
  dispatches_.push_back(dispatch);
  turns_ = dispatch.first_turn + dispatch.trips;
  while (dispatches_.size() > 1 && dispatches_[1].first_turn + walk_.blocks <= turns_) dispatches_.pop_front();
}

std::uint64_t WriteHistory::last_turn(std::uint32_t group, std::uint32_t position) const {
  const std::uint32_t last = walk_.position(group, turns_ - 1);
  const std::uint32_t back = last >= position ? last - position : last + walk_.blocks - position;
  return turns_ - 1 - back;
}

const Written& WriteHistory::dispatch_of(std::uint64_t turn) const {
  return *std::prev(std::ranges::upper_bound(dispatches_, turn, {}, &Written::first_turn));
}

std::uint32_t written_noise(const StreamShape& shape, std::uint32_t group, std::uint32_t word) {
  const std::uint32_t vector = word / shape.vector_words;
  const std::uint32_t item = group * shape.group_size + vector % shape.group_size;
  const std::uint32_t number =
      (item * shape.in_flight + vector / shape.group_size) * shape.vector_words + word % shape.vector_words;
  const std::uint32_t mixed = (number + 1) * 0x85EBCA6Bu;
  return (mixed ^ (mixed >> 15)) * 0xC2B2AE35u;
}

}  // namespace sonde::workloads
