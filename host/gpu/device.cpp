#include "gpu/device.hpp"

#include <algorithm>

#include "gpu/companion.hpp"
#include "gpu/error.hpp"

namespace sonde::gpu {

std::uint64_t largest_bytes(std::span<const StatedCache> caches) {
  std::uint64_t largest = 0;
  for (const StatedCache& cache : caches) largest = std::max(largest, cache.bytes);
  return largest;
}

BusyTimes Device::keep_busy(Kernel&, const std::function<Launch(std::size_t)>&,
                            const std::function<bool(Nanoseconds)>&) {
  throw Unsupported("dispatches of this device cannot be enqueued ahead");
}

std::unique_ptr<Companion> Device::companion() { return nullptr; }

}  // namespace sonde::gpu
