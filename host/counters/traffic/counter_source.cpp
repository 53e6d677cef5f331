#include "counters/traffic/counter_source.hpp"

#include <span>
#include <system_error>
#include <utility>

namespace sonde::counters {

GroupSource::GroupSource(Layout layout, std::vector<PlacedGroup> groups, std::function<std::int64_t()> clock)
    : layout_(std::move(layout)),
      groups_(std::move(groups)),
      clock_(std::move(clock)),
      last_(layout_.empty_snapshot()) {
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (groups_[place].is_rotated) rotated_.push_back(place);
    read_group(place);  // else what it counted while stations were looked for would seem new
  }
  // A group that does not start shows no running time later on.
  for (PlacedGroup& one : groups_) {
    if (!one.is_rotated) (void)one.group->enable();
  }
  if (!rotated_.empty()) (void)groups_[rotated_.front()].group->enable();
}

void GroupSource::read(CounterSnapshot& into) noexcept {
  last_.before_ns = clock_();
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (!groups_[place].is_rotated) read_group(place);
  }
  if (!rotated_.empty()) read_group(rotated_[rotation_]);
  last_.after_ns = clock_();
  into = last_;  // both have room for as much, so that nothing is allocated
}

void GroupSource::read_group(std::size_t place) noexcept {
  const PlacedGroup& one = groups_[place];
  GroupState& state = last_.groups[place];
  os::PerfTimes times;
  const std::error_code problem = one.group->read(std::span(last_.values).subspan(one.first_value, one.values), times);
  if (problem) {
    const bool unplaced = problem == std::errc::device_or_resource_busy;
    state.status = unplaced ? GroupStatus::unplaced : GroupStatus::vanished;
    return;
  }
  state = {.enabled_ns = times.enabled_ns, .running_ns = times.running_ns, .status = GroupStatus::counting};
}

void GroupSource::rotate_group() noexcept {
  if (rotated_.size() < 2) return;
  (void)groups_[rotated_[rotation_]].group->disable();
  rotation_ = (rotation_ + 1) % rotated_.size();
  (void)groups_[rotated_[rotation_]].group->enable();
}

}  // namespace sonde::counters
