#include "device/shared_memory.hpp"

#include <algorithm>
#include <string>

#include "device/device.hpp"
#include "device/error.hpp"

namespace sonde::device {

const MemoryKind& memory_kind(const DeviceInfo& info, std::string_view name) {
  const auto found = std::ranges::find(info.memory_kinds, name, &MemoryKind::name);
  if (found == info.memory_kinds.end()) throw Unsupported("the driver has no memory of the kind " + std::string(name));
  if (!found->missing.empty()) throw Unsupported(found->missing);
  return *found;
}

std::span<std::byte> Buffer::map(Access) { throw Unsupported("the CPU cannot look at this buffer"); }

void Buffer::unmap() {}

std::unique_ptr<Buffer> Device::make_buffer_in(const MemoryKind& kind, std::uint64_t, Use) {
  throw Unsupported("this device makes no buffers in memory of the kind " + kind.name);
}

std::vector<Nanoseconds> Device::round_trips(std::uint32_t) {
  throw Unsupported("the CPU and this device have no way to answer each other");
}

Nanoseconds Device::host_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace sonde::device
