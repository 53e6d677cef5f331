#include "device/model/shared_storage.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace sonde::device::model {
namespace {

/// Of a map or an unmap, whatever it copies.
constexpr double call_ns = 100;

constexpr std::array<std::string_view, 6> opencl_names{"device",     "alloc-host-ptr", "use-host-ptr",
                                                       "svm-coarse", "svm-fine",       "svm-system"};

bool maps_freely(std::string_view kind) {
  return kind == "svm-fine" || kind == "svm-system" || kind == "imported-host" ||
         kind.find("host-coherent") != kind.npos;
}

}  // namespace

CopyCost copy_cost(const Description& description) {
  // What is not stated is not what limits: then memory itself does.
  const Level& memory = description.levels.back();
  const auto or_else = [](double stated, double other) { return stated > 0 ? stated : other; };
  return {.to_device_gbps = or_else(description.copy.to_device_gbps, memory.write_gbps),
          .to_host_gbps = or_else(description.copy.to_host_gbps, memory.read_gbps),
          .latency_ns = description.copy.latency_us * 1e3};
}

bool is_zero_copy(const Description& description, std::string_view kind) {
  return std::ranges::find(description.host_memory.zero_copy, kind) != description.host_memory.zero_copy.end();
}

std::vector<MemoryKind> memory_kinds(const Description& description) {
  std::vector<MemoryKind> kinds;
  for (const std::string_view name : opencl_names) {
    MemoryKind kind{.name = std::string(name), .missing = "", .maps_freely = maps_freely(name)};
    if (kind.maps_freely && !is_zero_copy(description, name)) {
      kind.missing = "the model's zero_copy does not name it, and this kind is shared or not there at all";
    }
    kinds.push_back(kind);
  }
  for (const std::string& name : description.host_memory.zero_copy) {
    if (std::ranges::find(opencl_names, name) != opencl_names.end()) continue;
    kinds.push_back({.name = name, .missing = "", .maps_freely = maps_freely(name)});
  }
  return kinds;
}

SharedStorage::SharedStorage(std::shared_ptr<AddressSpace> space, std::uint64_t size_bytes, bool zero_copy,
                             const CopyCost& cost, std::shared_ptr<HostClock> clock)
    : Storage(std::move(space), size_bytes), zero_copy_(zero_copy), cost_(cost), clock_(std::move(clock)) {}

std::span<std::byte> SharedStorage::map(Access access) {
  access_ = access;
  clock_->ns += call_ns;
  if (zero_copy_) {
    if (access != Access::read) changed();
    return bytes();
  }
  copy_.resize(size_bytes());
  if (access != Access::overwrite) copy(bytes(), copy_, cost_.to_host_gbps);
  return copy_;
}

void SharedStorage::unmap() {
  clock_->ns += call_ns;
  if (access_ == Access::read) return;
  changed();
  if (!zero_copy_) copy(copy_, bytes(), cost_.to_device_gbps);
}

void SharedStorage::write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  Storage::write(offset_bytes, bytes);
  spend(bytes.size(), cost_.to_device_gbps);
}

void SharedStorage::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  Storage::read(offset_bytes, bytes);
  spend(bytes.size(), cost_.to_host_gbps);
}

void SharedStorage::copy(std::span<const std::byte> from, std::span<std::byte> to, double gbps) {
  std::ranges::copy(from, to.begin());
  spend(from.size(), gbps);
}

void SharedStorage::spend(std::uint64_t bytes, double gbps) {
  clock_->ns += cost_.latency_ns;
  if (gbps > 0) clock_->ns += static_cast<double>(bytes) / gbps;
}

}  // namespace sonde::device::model
