// Copies by the CPU itself, through a mapping of the device's memory: map, memcpy, unmap, every time. No
// clock of the device sees that, so the host's tells the time.

#include <algorithm>
#include <cstring>
#include <memory>

#include "probes/copy/endpoints.hpp"

namespace sonde::probes::copy_probe {
namespace {

/// The device's own memory, in the kind of this name where it has kinds of memory that can be mapped.
std::unique_ptr<device::Buffer> mappable(device::Device& device, std::uint64_t size_bytes, device::Use use) {
  const auto& kinds = device.info().memory_kinds;
  const auto own = std::ranges::find(kinds, "device", &device::MemoryKind::name);
  if (own == kinds.end() || !own->missing.empty()) return device.make_buffer(size_bytes, use);
  return device.make_buffer_in(*own, size_bytes, use);
}

struct MappedCopies {
  device::Device& device;
  CopyEndpoints endpoints;

  device::Nanoseconds run() {
    const device::Copy copy = endpoints.next().front();
    const bool writes = copy.to.buffer != nullptr;
    device::Buffer& buffer = writes ? *copy.to.buffer : *copy.from.buffer;
    device::HostMemory& host = writes ? *copy.from.host : *copy.to.host;
    const std::span<std::byte> ours =
        host.bytes().subspan(writes ? copy.from.offset_bytes : copy.to.offset_bytes, copy.bytes);
    const device::Nanoseconds begin = device.host_time();
    const std::span<std::byte> theirs = buffer.map(writes ? device::Access::overwrite : device::Access::read);
    if (writes) {
      std::memcpy(theirs.data() + copy.to.offset_bytes, ours.data(), copy.bytes);
    } else {
      std::memcpy(ours.data(), theirs.data() + copy.from.offset_bytes, copy.bytes);
    }
    buffer.unmap();
    return device.host_time() - begin;
  }
};

}  // namespace

Workload prepare_by_mapping(device::Device& device, const Point& point, const Request& request) {
  const MakeHost make_host = [](std::uint64_t size_bytes) {
    return std::make_unique<device::PageableMemory>(size_bytes);
  };
  const MakeBuffer make_buffer = [&](std::uint64_t size_bytes, device::Use use) {
    return mappable(device, size_bytes, use);
  };
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const auto work = std::shared_ptr<MappedCopies>(
      new MappedCopies{device, CopyEndpoints(device, point.words.direction.value(), {.bytes = bytes, .copies = 1},
                                             make_host, request.seed, make_buffer)});
  const std::uint32_t copies = std::min(16u, copies_in_a_row(device, request.effort, bytes, 1));
  const auto repeat = [work, copies](const Limits& limits, const std::function<void()>& alive) {
    Repetitions result;
    result.values = repeated(limits, alive, [&] {
      device::Nanoseconds time{0};
      for (std::uint32_t copy = 0; copy < copies; ++copy) time += work->run();
      work->endpoints.check();
      // A simulated CPU's own work costs nothing.
      if (time.count() <= 0)
        throw device::Unsupported("neither maps nor the CPU's copying take any time on this device");
      return CopyRepetition{gbps_of(work->endpoints.row_bytes() * copies, time), time};
    });
    result.steps = copies;
    return result;
  };
  return {.work = SelfTimedWork{repeat}, .has_cycles = false};
}

}  // namespace sonde::probes::copy_probe
