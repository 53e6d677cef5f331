#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "counters/traffic/counter_source.hpp"
#include "counters/traffic/rates.hpp"

namespace sonde::counters {

/// Counts what moves while some work is done, again and again, and not what moves between. Of groups of counters that
/// take turns each counts in other windows than the rest, and all that have had their turn are one piece.
class TrafficMeter {
 public:
  explicit TrafficMeter(std::unique_ptr<CounterSource> source);

  void begin() noexcept { source_->read(before_); }
  /// Ends a window in which so much was done, in any unit. The turn goes on, but not after one that is shorter than
  /// the last.
  void end(std::uint64_t amount);

  /// The pieces of the latest windows of this amount, `most` at most, and how many windows they have together. In each
  /// piece all groups have had a turn; windows that make no whole piece are dropped, and so are all others so far.
  struct Taken {
    std::vector<Traffic> pieces;
    std::size_t windows = 0;
  };
  Taken take(std::uint64_t amount, std::size_t most);

  [[nodiscard]] const Layout& layout() const { return source_->layout(); }

 private:
  struct Window {
    std::uint64_t amount = 0;
    Reading before;
    Reading after;
  };

  std::unique_ptr<CounterSource> source_;
  Reading before_;
  Reading after_;
  std::uint64_t last_amount_ = 0;
  std::vector<Window> windows_;
};

/// What moved in windows of one source, as if they had followed one another. Each group has counted in some.
Traffic traffic_in(const std::vector<std::pair<Reading, Reading>>& windows, const Layout& layout);

}  // namespace sonde::counters
