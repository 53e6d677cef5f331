#include "counters/traffic/counter_source.hpp"

namespace sonde::counters {

GroupSource::GroupSource(Layout layout, std::vector<std::unique_ptr<EventGroup>> groups,
                         std::function<std::int64_t()> clock)
    : layout_(std::move(layout)),
      groups_(std::move(groups)),
      clock_(std::move(clock)),
      last_(layout_.empty_snapshot()) {
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (layout_.rotates(place)) rotated_.push_back(place);
    read_group(place);  // else what it counted while stations were looked for would seem new
  }
  GroupSource::rest(false);
}

void GroupSource::rest(bool rests) noexcept {
  // A group that does not start shows no running time later on.
  const auto turn = [rests](EventGroup& group) { (void)(rests ? group.disable() : group.enable()); };
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (!layout_.rotates(place)) turn(*groups_[place]);
  }
  if (!rotated_.empty()) turn(*groups_[rotated_[rotation_]]);
}

void GroupSource::read(CounterSnapshot& into) noexcept {
  last_.before_ns = clock_();
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    if (!layout_.rotates(place)) read_group(place);
  }
  if (!rotated_.empty()) read_group(rotated_[rotation_]);
  last_.after_ns = clock_();
  into = last_;  // both have room for as much, so that nothing is allocated
}

void GroupSource::read_group(std::size_t place) noexcept {
  const auto counters = std::ranges::equal_range(layout_.counters, place, {}, &Counter::group);
  const auto first = static_cast<std::size_t>(counters.begin() - layout_.counters.begin());
  GroupState& state = last_.groups[place];
  os::PerfTimes times;
  const std::error_code problem = groups_[place]->read(std::span(last_.values).subspan(first, counters.size()), times);
  if (problem) {
    const bool unplaced = problem == std::errc::device_or_resource_busy;
    state.status = unplaced ? GroupStatus::unplaced : GroupStatus::vanished;
    return;
  }
  state = {.enabled_ns = times.enabled_ns, .running_ns = times.running_ns, .status = GroupStatus::counting};
}

void GroupSource::rotate_group() noexcept {
  if (rotated_.size() < 2) return;
  (void)groups_[rotated_[rotation_]]->disable();
  rotation_ = (rotation_ + 1) % rotated_.size();
  (void)groups_[rotated_[rotation_]]->enable();
}

}  // namespace sonde::counters
