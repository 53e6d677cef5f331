#pragma once

#include <memory>
#include <vector>

#include "device/copy_engines.hpp"
#include "device/model/clocks.hpp"
#include "device/model/description.hpp"
#include "device/model/random.hpp"

namespace sonde::device::model {

/// Turns the work of a dispatch into what the device's timer shows: clock ramp, noise, launch, steps. The description
/// must outlive it.
class Timing {
 public:
  explicit Timing(const Description& description)
      : description_(description), random_(mixed(noise_seed(description), 0x7131)) {}

  /// The time of one dispatch that would work for `work_ns` at full clock, the first of its kernel or another.
  double dispatch_ns(double work_ns, bool is_first);
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

  const Description& description_;
  double busy_ns_ = 0;  ///< all work so far, which is what brings the clock up
  Random random_;
};

/// The time of queues of copies side by side, all together and each.
struct Schedule {
  double all_ns = 0;
  std::vector<double> each_ns;
};

/// One copy, as the engines see it.
struct Transport {
  enum class CopyDirection { to_device, to_host, within };
  CopyDirection direction = CopyDirection::to_device;
  double bytes = 0;
};

/// Runs queues of copies on the description's engines. Each engine has one copy under way, taken from the queues in
/// turn, and the copies of a queue follow one another. A copy costs `latency_us`, then its bytes, within the device at
/// `within_gbps`; copies in the same direction share the rate of that direction.
Schedule schedule(const Description& description, double within_gbps,
                  const std::vector<std::vector<Transport>>& queues);

/// Simulated copies that really move the bytes, within the device's memory at `within_gbps`. The device, which runs the
/// kernels beside them, and its parts must outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(const Description& description, double within_gbps, Timing& timing,
                                               SimulatedTraffic& traffic, Clocks& clocks, Device& device);

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
