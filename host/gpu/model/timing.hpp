#pragma once

#include "gpu/model/description.hpp"
#include "gpu/model/random.hpp"

namespace sonde::gpu::model {

/// Turns the work of a dispatch into what the device's timer shows: clock ramp, noise, launch, steps.
class Timing {
 public:
  explicit Timing(const Description& description);

  enum class Launched { first, again };
  /// The time of one dispatch that would work for `work_ns` at full clock.
  double dispatch_ns(double work_ns, Launched launched);

 private:
  double slowed_by_ramp_ns(double work_ns);

  Noise noise_;
  double launch_ns_;
  double first_launch_ns_;
  double timer_step_ns_;
  double busy_ns_ = 0;  ///< all work so far, which is what brings the clock up
  Random random_;
};

}  // namespace sonde::gpu::model
