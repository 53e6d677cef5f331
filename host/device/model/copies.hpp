#pragma once

#include <functional>
#include <memory>

#include "device/copy_engines.hpp"
#include "device/model/description.hpp"
#include "device/model/timing.hpp"

namespace sonde::device::model {

/// How long queues of copies take side by side.
struct Schedule {
  double all_ns = 0;
  std::vector<double> each_ns;
};

/// One copy, as the engines see it.
struct Transport {
  enum class Way { to_device, to_host, within };
  Way way = Way::to_device;
  double bytes = 0;
};

/// `engines` copies are under way at once, from the queues in turn, of each queue one after the other. A copy
/// costs `latency_us`, then its bytes, within the device at `within_gbps`; copies that move bytes the same
/// way share the rate of that way.
Schedule schedule(const Description& description, double within_gbps,
                  const std::vector<std::vector<Transport>>& queues);

/// Runs a kernel as the device does.
using RunKernel = std::function<Nanoseconds(Kernel& kernel, const Launch& launch)>;

/// Is told how many bytes copies have moved, and in how many nanoseconds.
using Copied = std::function<void(double bytes, double nanoseconds)>;

/// The simulated copies really move the bytes. `within_gbps`: what memory copies within itself. `timing` must
/// outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(const Description& description, double within_gbps, Timing& timing,
                                               RunKernel run_kernel, Copied copied);

}  // namespace sonde::device::model
