#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "measure/probe.hpp"

namespace sonde::workloads {

/// The kind of memory of a point's series; "device" where none is named.
std::string memory_of(const std::map<std::string, std::string>& series);

/// Where a workload's working set lies, and who writes it last before it is measured. Of a kind without a name, as any
/// buffer is made, the driver decides both.
enum class Writer { cpu, gpu };
struct Placement {
  std::string memory = "";
  Writer writer = Writer::cpu;
};

/// The words of a record file for it, and back.
std::map<std::string, std::string> series_of(const Placement& placement);
Placement placement_of(const std::map<std::string, std::string>& series);

/// A buffer in that kind. Throws Unsupported, with the reason, where the device has none.
std::unique_ptr<device::Buffer> buffer_in(device::Device& device, std::string_view memory, std::uint64_t size_bytes,
                                       device::Use use = device::Use::storage);

/// Fills the buffer with what `write` writes to the one that it is handed, and has its writer do it: the CPU through
/// its view, or a kernel from a copy of the same use. Throws Unsupported where the CPU sees none.
void fill(device::Device& device, device::Buffer& buffer, const Placement& placement, device::Use use,
          const std::function<void(device::Buffer&)>& write);

/// Why a probe that compares kinds of memory has nothing to ask this device; empty where it has.
std::optional<std::string> without_memory_kinds(const device::DeviceInfo& device);

/// Why the CPU and the device cannot share memory of this kind; empty where they can.
std::string why_not_shared(const device::MemoryKind& kind);

}  // namespace sonde::workloads
