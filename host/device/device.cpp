#include "device/device.hpp"

#include <thread>

#include "device/copy_engines.hpp"
#include "device/error.hpp"

namespace sonde::device {

void Buffer::check_range(std::uint64_t offset_bytes, std::uint64_t bytes) const {
  if (offset_bytes > size_bytes() || bytes > size_bytes() - offset_bytes) {
    throw Error(std::to_string(bytes) + " bytes at offset " + std::to_string(offset_bytes) +
                " reach beyond the end of a buffer of " + std::to_string(size_bytes()));
  }
}

std::span<std::byte> Buffer::map(Access) { throw Unsupported("the CPU cannot look at this buffer"); }

void Buffer::unmap() {}

std::unique_ptr<Buffer> Device::make_buffer_in(const MemoryKind& kind, std::uint64_t, Use) {
  throw Unsupported("this device makes no buffers in memory of the kind " + kind.name);
}

BusyTimes Device::keep_busy(Kernel&, const std::function<Launch(std::size_t)>&,
                            const std::function<bool(Nanoseconds)>&) {
  throw Unsupported("dispatches of this device cannot be enqueued ahead");
}

std::unique_ptr<Companion> Device::companion() { return nullptr; }

CopyEngines& Device::copy_engines() { throw Unsupported("this device has no copy engines of its own"); }

std::vector<Nanoseconds> Device::round_trips(std::uint32_t) {
  throw Unsupported("the CPU and this device have no way to answer each other");
}

Nanoseconds Device::host_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

bool begins_soon(const std::function<bool()>& has_begun) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point latest = Clock::now() + std::chrono::seconds(2);
  while (!has_begun()) {
    if (Clock::now() > latest) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace sonde::device
