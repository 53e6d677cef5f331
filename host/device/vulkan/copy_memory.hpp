#pragma once

#include <memory>

#include "device/copy_engines.hpp"
#include "device/vulkan/memory.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// Memory of the host behind a buffer, always mapped and always coherent.
class CopyMemory final : public HostMemory {
 public:
  CopyMemory(Queue& queue, HostKind kind, std::uint64_t size_bytes);
  std::span<std::byte> bytes() override { return bytes_; }
  VkBuffer handle() const { return allocation_.buffer.get(); }

 private:
  Allocation allocation_;
  std::span<std::byte> bytes_;
};

}  // namespace sonde::device::vulkan
