#include "gpu/device.hpp"

#include "gpu/companion.hpp"
#include "gpu/error.hpp"

namespace sonde::gpu {

BusyTimes Device::keep_busy(Kernel&, const std::function<Launch(std::size_t)>&,
                            const std::function<bool(Nanoseconds)>&) {
  throw Unsupported("dispatches of this device cannot be enqueued ahead");
}

std::unique_ptr<Companion> Device::companion() { return nullptr; }

}  // namespace sonde::gpu
