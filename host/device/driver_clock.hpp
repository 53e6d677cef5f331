#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "device/device.hpp"

namespace sonde::device {

/// The reason for which a device is not measured that has no timestamps; its driver states a timer's step of 0 then.
inline constexpr const char* no_timestamps =
    "no queue of this device both computes and has timestamps, so nothing can be timed by its clock";

/// Returns the device's time of work for which the host waited so long. Throws Error where it is more than that.
Nanoseconds plausible_time(Nanoseconds device, Nanoseconds host);

/// Returns the device's time of work. Throws Error where it is zero although the clock counts so finely that all work
/// takes longer: the clock stands still.
Nanoseconds nonzero_time(Nanoseconds device, double timer_step_ns);

/// Ticks from a timestamp to a later one, of a counter of so many bits that may have wrapped. Throws Error where `end`
/// is the earlier one: nothing that is timed lasts as long as half of such a counter's range.
std::uint64_t ticks_between(std::uint64_t begin, std::uint64_t end, std::uint32_t bits);

/// The relation between a device's clock and the host's, from moments of the device that are known to lie between two
/// of the host: no driver has to offer anything for it. Brackets taken twice, before and after the work, follow the
/// drift too.
class ClockRelation {
 public:
  /// Moments that are bracketed each time: the narrowest bracket decides.
  static constexpr int brackets = 20;

  /// Adds a moment of the device that came after `before` and ended before `after`.
  void bracket(Nanoseconds before, Nanoseconds device, Nanoseconds after);
  /// Begins a second set of brackets, as the clocks may have drifted since the first.
  void begin_second_set();

  [[nodiscard]] Nanoseconds on_host(Nanoseconds device) const;
  /// The host's time of a moment that was just over when the host learnt of it at `now`. Throws Error where it lies so
  /// long before that the device's clock must stand still: a caller that waits for it to advance would wait for ever.
  [[nodiscard]] Nanoseconds just_over(Nanoseconds device, Nanoseconds now) const;
  /// Half the width of the narrowest brackets, or the clocks' own steps.
  [[nodiscard]] Nanoseconds uncertainty() const;
  /// The dispatches, given by the device's clock, on the host's.
  [[nodiscard]] BusyTimes on_host(std::span<const BusyInterval> by_device) const;

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
