#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "measure/probe.hpp"

namespace sonde::workloads {

/// The kind of memory that a workload's working set lies in, and who writes it last before it is measured. Where the
/// kind has no name the buffer is made as any buffer is, and the driver decides both.
struct MemoryPlace {
  measure::Name memory = {};
  measure::Writer writer = measure::Writer::cpu;

  friend auto operator<=>(const MemoryPlace&, const MemoryPlace&) = default;
};

/// The place that a point's words name.
inline MemoryPlace place_of(const measure::Words& words) {
  return {.memory = words.memory, .writer = words.writer.value_or(measure::Writer::cpu)};
}

/// A buffer in that kind of memory. Throws Unsupported, with the reason, where the device has none.
std::unique_ptr<device::Buffer> buffer_in(device::Device& device, measure::Name memory, std::uint64_t size_bytes,
                                          device::Use use = device::Use::storage);

/// Fills the buffer with what `write` writes to the one that it is handed, and has its writer do it: the CPU through
/// its view, or a kernel from a copy of the same use. Throws Unsupported where the CPU sees none.
void fill(device::Device& device, device::Buffer& buffer, const MemoryPlace& place, device::Use use,
          const std::function<void(device::Buffer&)>& write);

/// Why a probe that compares kinds of memory has nothing to ask this device; empty where it has.
std::optional<std::string> without_memory_kinds(const device::DeviceInfo& device);

/// Why the CPU and the device cannot share memory of this kind; empty where they can.
std::string why_not_shared(const device::MemoryKind& kind);

}  // namespace sonde::workloads
