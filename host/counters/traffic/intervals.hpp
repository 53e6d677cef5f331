#pragma once

#include <optional>

#include "counters/traffic/rates.hpp"

namespace sonde::counters {

/// Makes intervals of readings that follow one another: from each to the next, or as many further as it takes until
/// each group of counters has had its turn.
class Intervals {
 public:
  explicit Intervals(const Layout& layout) : layout_(layout), begin_(layout.empty_reading()) {}

  /// The interval that ends with this reading, if one does.
  std::optional<Traffic> add(const Reading& reading) {
    if (readings_ == 0) {
      begin_ = reading;
    } else if (readings_ % layout_.turns == 0) {
      Traffic traffic = traffic_between(begin_, reading, layout_);
      begin_ = reading;
      ++readings_;
      return traffic;
    }
    ++readings_;
    return std::nullopt;
  }

 private:
  const Layout& layout_;
  Reading begin_;
  std::size_t readings_ = 0;
};

}  // namespace sonde::counters
