#pragma once

#include "counters/traffic/rates.hpp"

namespace sonde::counters {

/// The snapshots at the ends of a window in which an amount of work was done.
struct CountedWindow {
  std::uint64_t amount = 0;
  CounterSnapshot before;
  CounterSnapshot after;
};

/// Counts the traffic of windows of work, and not what moves between them. Rotated groups count in different windows; a
/// piece is windows in which each has counted.
class TrafficMeter {
 public:
  explicit TrafficMeter(std::unique_ptr<CounterSource> source);

  void begin() noexcept { source_->read(before_); }
  /// Ends a window in which `amount` of work was done, in any unit. Rotates the groups, unless the window was shorter
  /// than the last one.
  void end(std::uint64_t amount);

  /// The pieces that the latest windows of one amount make, and the number of these windows.
  struct Taken {
    std::vector<Traffic> pieces;
    std::size_t windows = 0;
  };
  /// Takes the latest windows of this amount, `most` at most, and drops all others and what makes no whole piece.
  Taken take(std::uint64_t amount, std::size_t most);

  [[nodiscard]] const Layout& layout() const { return source_->layout(); }

 private:
  std::unique_ptr<CounterSource> source_;
  CounterSnapshot before_;
  CounterSnapshot after_;
  std::uint64_t last_amount_ = 0;
  std::vector<CountedWindow> windows_;
};

}  // namespace sonde::counters
