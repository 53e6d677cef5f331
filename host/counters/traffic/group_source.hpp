#pragma once

#include <memory>
#include <vector>

#include "counters/traffic/counter_source.hpp"
#include "counters/traffic/event_group.hpp"

namespace sonde::counters {

/// A group, the values of a reading that it fills in, and whether it shares its PMU's counters with others.
struct PlacedGroup {
  std::unique_ptr<EventGroup> group;
  std::size_t first_value = 0;
  std::size_t values = 0;
  bool takes_turns = false;
};

/// Groups of the kernel's counters as one source. Of those that take turns one counts at a time; each reading passes
/// the turn on.
class GroupSource final : public CounterSource {
 public:
  /// Starts the counting. `layout` has `groups` and `takes_turns` as the groups are.
  GroupSource(Layout layout, std::vector<PlacedGroup> groups);

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(Reading& into) noexcept override;

 private:
  void read_group(std::size_t place) noexcept;
  void pass_the_turn_on() noexcept;

  Layout layout_;
  std::vector<PlacedGroup> groups_;
  std::vector<std::size_t> turns_;  ///< groups that take turns
  std::size_t turn_ = 0;
  Reading last_;  ///< what is known of each group, also of those whose turn it is not
};

}  // namespace sonde::counters
