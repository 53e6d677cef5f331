#include "device/device.hpp"

#include <algorithm>
#include <string>

#include "device/companion.hpp"
#include "device/error.hpp"

namespace sonde::device {

std::uint64_t largest_bytes(std::span<const StatedCache> caches) {
  std::uint64_t largest = 0;
  for (const StatedCache& cache : caches) largest = std::max(largest, cache.bytes);
  return largest;
}

std::uint64_t memory_side_bytes(std::span<const StatedCache> caches) {
  constexpr int first_behind_a_gpus_own = 3;
  std::uint64_t largest = 0;
  for (const StatedCache& cache : caches) {
    if (cache.level >= first_behind_a_gpus_own) largest = std::max(largest, cache.bytes);
  }
  return largest;
}

void Buffer::check_range(std::uint64_t offset_bytes, std::uint64_t bytes) const {
  if (offset_bytes > size_bytes() || bytes > size_bytes() - offset_bytes) {
    throw Error(std::to_string(bytes) + " bytes at offset " + std::to_string(offset_bytes) +
                " reach beyond the end of a buffer of " + std::to_string(size_bytes()));
  }
}

BusyTimes Device::keep_busy(Kernel&, const std::function<Launch(std::size_t)>&,
                            const std::function<bool(Nanoseconds)>&) {
  throw Unsupported("dispatches of this device cannot be enqueued ahead");
}

std::unique_ptr<Companion> Device::companion() { return nullptr; }

}  // namespace sonde::device
