#include "counters/traffic/group_source.hpp"

#include <span>
#include <utility>

namespace sonde::counters {

GroupSource::GroupSource(Layout layout, std::vector<PlacedGroup> groups, std::function<std::int64_t()> clock)
    : layout_(std::move(layout)), groups_(std::move(groups)), clock_(std::move(clock)), last_(layout_.empty_reading()) {
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (groups_[place].takes_turns) turns_.push_back(place);
    read_group(place);  // what it counted before, while stations were looked for, is not to be taken for new
  }
  // One that does not start is seen not to count.
  for (PlacedGroup& one : groups_) {
    if (!one.takes_turns) (void)one.group->enable();
  }
  if (!turns_.empty()) (void)groups_[turns_.front()].group->enable();
}

void GroupSource::read(Reading& into) noexcept {
  last_.before_ns = clock_();
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (!groups_[place].takes_turns) read_group(place);
  }
  if (!turns_.empty()) read_group(turns_[turn_]);
  last_.after_ns = clock_();
  into = last_;  // both have room for as much: nothing is allocated
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

void GroupSource::pass_the_turn_on() noexcept {
  if (turns_.size() < 2) return;
  (void)groups_[turns_[turn_]].group->disable();
  turn_ = (turn_ + 1) % turns_.size();
  (void)groups_[turns_[turn_]].group->enable();
}

}  // namespace sonde::counters
