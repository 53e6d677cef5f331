#pragma once

#include <string>
#include <string_view>

namespace sonde::device {

struct DeviceInfo;

/// What the CPU is about to do with memory that it maps. What it does not write stays as it is, unless it is about to
/// overwrite all of it.
enum class Access { read, write, overwrite };

/// A kind of memory in which buffers can lie, as records name it.
struct MemoryKind {
  std::string name;          ///< "device", "svm-fine", "host-visible+host-coherent"
  std::string missing;       ///< why this device has none; empty where it has
  bool seen_by_cpu = true;   ///< its buffers can be mapped
  bool maps_freely = false;  ///< map and unmap do nothing: CPU and device may always look, one after the other

  friend bool operator==(const MemoryKind&, const MemoryKind&) = default;
};

/// The device's kind of this name. Throws Unsupported, with the reason, where it has none.
const MemoryKind& memory_kind(const DeviceInfo& info, std::string_view name);

}  // namespace sonde::device
