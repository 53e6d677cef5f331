#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "counters/traffic/counter_source.hpp"
#include "counters/traffic/event_group.hpp"
#include "os/clock.hpp"

namespace sonde::counters {

/// A group, the values of a reading that it fills in, and whether it shares its PMU's counters with others.
struct PlacedGroup {
  std::unique_ptr<EventGroup> group;
  std::size_t first_value = 0;
  std::size_t values = 0;
  bool takes_turns = false;
};

/// Groups of the kernel's counters as one source. Of those that take turns one counts at a time.
class GroupSource final : public CounterSource {
 public:
  /// Starts the counting. `layout` has `groups` and `takes_turns` as the groups are; `clock` makes the stamps.
  GroupSource(
      Layout layout, std::vector<PlacedGroup> groups,
      std::function<std::int64_t()> clock = [] { return os::steady_ns(); });

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(Reading& into) noexcept override;
  void pass_the_turn_on() noexcept override;

 private:
  void read_group(std::size_t place) noexcept;

  Layout layout_;
  std::vector<PlacedGroup> groups_;
  std::function<std::int64_t()> clock_;
  std::vector<std::size_t> turns_;  ///< groups that take turns
  std::size_t turn_ = 0;
  Reading last_;  ///< what is known of each group, also of those whose turn it is not
};

}  // namespace sonde::counters
