#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/copy_engines.hpp"
#include "device/model/description.hpp"
#include "device/model/timing.hpp"

namespace sonde::device::model {

/// The time of queues of copies side by side, all together and each.
struct Schedule {
  double all_ns = 0;
  std::vector<double> each_ns;
};

/// One copy, as the engines see it.
struct Transport {
  enum class Direction { to_device, to_host, within };
  Direction direction = Direction::to_device;
  double bytes = 0;
};

/// Runs queues of copies on the description's engines. Each engine has one copy under way, taken from the queues in
/// turn, and the copies of a queue follow one another. A copy costs `latency_us`, then its bytes, within the device at
/// `within_gbps`; copies in the same direction share the rate of that direction.
Schedule schedule(const Description& description, double within_gbps,
                  const std::vector<std::vector<Transport>>& queues);

/// Runs a kernel as the device does.
using RunKernel = std::function<Nanoseconds(Kernel& kernel, const Launch& launch)>;

/// Receives how many bytes copies have moved, and in how many nanoseconds.
using Copied = std::function<void(double bytes, double nanoseconds)>;

/// Simulated copies that really move the bytes, within the device's memory at `within_gbps`. `timing` must outlive
/// them.
std::unique_ptr<CopyEngines> make_copy_engines(const Description& description, double within_gbps, Timing& timing,
                                               RunKernel run_kernel, Copied copied);

}  // namespace sonde::device::model
