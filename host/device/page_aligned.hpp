#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace sonde::device {

/// Memory of the program that begins on a page and fills whole pages, all of them already backed by physical memory.
class PageAligned {
 public:
  PageAligned() = default;
  /// `alignment_bytes` is a power of two. Throws Unsupported where the machine has no such memory left.
  explicit PageAligned(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 4096);

  [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get(), size_bytes_}; }

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::uint64_t size_bytes_ = 0;
};

/// Throws Unsupported where the machine cannot spare so much of its own memory.
void check_host_can_spare(std::uint64_t size_bytes);

}  // namespace sonde::device
