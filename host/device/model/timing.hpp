#pragma once

#include "device/model/description.hpp"
#include "device/model/random.hpp"

namespace sonde::device::model {

/// Turns the work of a dispatch into what the device's timer shows: clock ramp, noise, launch, steps.
class Timing {
 public:
  explicit Timing(const Description& description);

  enum class Launched { first, again };
  /// The time of one dispatch that would work for `work_ns` at full clock.
  double dispatch_ns(double work_ns, Launched launched);
  /// The time of copies that would take `work_ns`: noise alone, as neither a launch nor the core's clock is in it.
  double copies_ns(double work_ns);
  /// As the timer shows it.
  [[nodiscard]] double stepped_ns(double ns) const;

 private:
  /// Factors of the noise.
  struct Draw {
    double on_work;
    double on_all;
  };
  Draw next_draw();
  double slowed_by_ramp_ns(double work_ns);

  Noise noise_;
  double launch_ns_;
  double first_launch_ns_;
  double timer_step_ns_;
  double busy_ns_ = 0;  ///< all work so far, which is what brings the clock up
  Random random_;
};

}  // namespace sonde::device::model
