#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "probes/zero_copy/curves.hpp"

namespace sonde::probes {

/// Pages that are touched, spread over the buffer; fewer where it has not so many.
inline constexpr std::uint32_t most_touched_pages = 512;
/// The kernel's loops and its 32-bit words reach no further.
inline constexpr std::uint64_t most_round_bytes = 1ull << 30;

/// Words that lie `step` apart.
struct TouchedWords {
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

  /// Makes the buffer, all of which both sides then have written.
  SharedBuffer(device::Device& on, measure::Name kind, std::uint64_t bytes, std::uint64_t seed);

  TouchedWords choose(Order order);
  void cpu_writes(std::span<std::byte> mapped, const TouchedWords& which) const;
  /// Maps the buffer, reads the words and unmaps it.
  void cpu_reads(const TouchedWords& which) const;
  void device_writes(const TouchedWords& which) { launch(which, 1); }
  /// `check_sums` then checks what was read.
  void device_reads(const TouchedWords& which) { launch(which, 0); }
  void check_sums(const TouchedWords& which) const;

 private:
  /// Which words an item takes: a CPU's item has a stretch of its own, a GPU's items take words side by side.
  struct Items {
    std::uint32_t groups = 1;
    std::uint32_t count = 1;
    std::uint32_t each = 1;
    std::uint32_t item_step = 1;
    std::uint32_t loop_step = 1;
  };
  Items items_for(const TouchedWords& which) const;
  void launch(const TouchedWords& which, std::uint32_t stores);
  std::string name() const;
};

/// Both sides write a buffer whole, then one changes words and the other has to find them, round by round, by the
/// host's clock, in us. `with_all` adds rounds in which all of it changes, and `with_copy` copies that are asked for.
Workload zero_copy_rounds(device::Device& device, measure::Name memory, std::uint64_t bytes, std::uint64_t seed,
                          bool with_all, bool with_copy);

/// The verdict on one kind of memory in one direction, and whether further visits may settle an unclear one.
struct SharingVerdict {
  Finding finding;
  bool is_open = false;
};

/// The verdicts on each kind and direction that was measured.
std::vector<SharingVerdict> sharing_verdicts(std::span<const Measurement> measurements);

}  // namespace sonde::probes
