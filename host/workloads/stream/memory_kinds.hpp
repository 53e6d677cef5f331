#pragma once

#include <algorithm>

#include "device/device.hpp"
#include "measure/probe.hpp"

// What memory a working set lies in, and what stands there.
namespace sonde::workloads {

/// 32-bit words that nothing can compress, each computed from its place alone (splitmix64, Steele, Lea and Flood,
/// 2014), so that no copy of memory is needed to know what must be where.
struct Noise {
  std::uint64_t seed = 0;

  std::uint32_t operator()(std::uint64_t word) const {
    return static_cast<std::uint32_t>(pair(word / 2) >> (word % 2 * 32));
  }
  /// The pair has word 2 * index in its lower half and word 2 * index + 1 in its upper.
  std::uint64_t pair(std::uint64_t index) const {
    std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
};

/// Fills the buffer, which is a whole number of blocks, and returns the sum of each block's words. A block has an even
/// number of words.
std::vector<std::uint32_t> write_noise(device::Buffer& buffer, const Noise& noise, std::uint32_t block_words);

/// Memory that the CPU reaches, filled like a device's buffer.
class BytesBuffer final : public device::Buffer {
 public:
  explicit BytesBuffer(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t size_bytes() const override { return bytes_.size(); }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, bytes_.subspan(offset_bytes, bytes.size()).begin());
  }
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override {
    std::ranges::copy(bytes_.subspan(offset_bytes, bytes.size()), bytes.begin());
  }

 private:
  std::span<std::byte> bytes_;
};

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
