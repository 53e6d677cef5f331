#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
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
  /// A time as the timer shows it, in its steps.
  [[nodiscard]] double stepped_ns(double ns) const;

 private:
  /// Factors of the noise.
  struct Draw {
    double on_work;
    double on_all;
  };
  Draw next_draw();
  double slowed_by_ramp_ns(double work_ns);

  NoiseDescription noise_;
  double launch_ns_;
  double first_launch_ns_;
  double timer_step_ns_;
  double busy_ns_ = 0;  ///< all work so far, which is what brings the clock up
  Random random_;
};

/// Simulated time, and how much the GPU moved to and from memory when.
struct Timeline {
  struct Span {
    double begin_ns;
    double end_ns;
    double gbps;  ///< reads and writes together
  };
  double now_ns = 0;
  double full_gbps = 0;     ///< what the memory delivers at most
  std::vector<Span> spans;  ///< in order, without overlap; nothing is moved between them
};

/// The latency that the description's CPU sees while the GPU moves so much: idle up to the knee, then rising linearly
/// to loaded at the memory's read bandwidth and no further.
[[nodiscard]] double cpu_latency_ns(const Cpu& cpu, double gbps, double full_gbps);

/// The CPU of the description, which must outlive it as the timeline must. Throws Unsupported where it has none.
[[nodiscard]] std::unique_ptr<Companion> simulated_companion(const Description& description, Timeline& timeline);

}  // namespace sonde::device::model
