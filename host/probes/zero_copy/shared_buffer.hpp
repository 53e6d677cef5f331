#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "device/device.hpp"
#include "probes/zero_copy/rounds.hpp"

namespace sonde::probes {

/// Words that lie `step` apart.
struct Words {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 1;
};

/// A buffer that both sides write and read word by word. Where one does not find what the other wrote, device::Error is
/// thrown.
struct SharedBuffer {
  device::Device& device;
  std::string memory;
  std::uint32_t group_size;
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> buffer;
  std::unique_ptr<device::Buffer> sums;
  std::uint32_t words;
  std::uint32_t value = 1;  ///< another in every round
  std::mt19937_64 random;
  device::Nanoseconds kernel_time{0};  ///< of the last launch, by the device's clock

  /// Both sides have written all of it.
  SharedBuffer(device::Device& on, const std::string& kind, std::uint64_t bytes, std::uint64_t seed);

  Words choose(Touch touch);
  void cpu_writes(std::span<std::byte> mapped, const Words& which) const;
  /// Maps the buffer, looks at the words and unmaps it.
  void cpu_reads(const Words& which) const;
  void device_writes(const Words& which) { launch(which, 1); }
  /// `check_sums` then says what was read.
  void device_reads(const Words& which) { launch(which, 0); }
  void check_sums(const Words& which) const;

 private:
  /// Which words an item takes: stretches of their own are a CPU's, words side by side a GPU's.
  struct Items {
    std::uint32_t groups = 1;
    std::uint32_t count = 1;
    std::uint32_t each = 1;
    std::uint32_t item_step = 1;
    std::uint32_t loop_step = 1;
  };
  Items items_for(const Words& which) const;
  void launch(const Words& which, std::uint32_t stores);
  std::string name() const;
};

}  // namespace sonde::probes
