#pragma once

#include <optional>
#include <span>

#include "device/device.hpp"

namespace sonde::device {

/// Where a device's clock lies on the host's, from moments of the device that are known to lie between two of the host:
/// no driver has to offer anything for it. Taken twice, before and after what is to be related, it follows the drift
/// too.
class ClockRelation {
 public:
  /// Moments that are bracketed at each telling: the narrowest bracket decides.
  static constexpr int brackets = 20;

  /// A moment of the device that came after `before` and ended before `after`.
  void bracket(Nanoseconds before, Nanoseconds device, Nanoseconds after);
  /// What is bracketed from now on counts by itself: the clocks may have drifted meanwhile.
  void again();

  [[nodiscard]] Nanoseconds on_host(Nanoseconds device) const;
  /// The same of a moment that the host has learnt of at `now`, when it was just over. Throws Error where it lies so
  /// long before that the device's clock stands still: whoever waits for it to move on would wait for ever.
  [[nodiscard]] Nanoseconds just_over(Nanoseconds device, Nanoseconds now) const;
  /// Half of what the narrowest brackets leave open, or the clocks' own steps.
  [[nodiscard]] Nanoseconds uncertainty() const;
  /// Dispatches by the device's clock, laid on the host's.
  [[nodiscard]] BusyTimes on_host(std::span<const Busy> by_device) const;

 private:
  struct Offset {
    Nanoseconds low{-1e300};
    Nanoseconds high{1e300};
    Nanoseconds at{0};  ///< on the device's clock
    [[nodiscard]] Nanoseconds middle() const { return (low + high) / 2; }
  };
  Offset now_;
  std::optional<Offset> first_;
};

}  // namespace sonde::device
