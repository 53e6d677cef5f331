#include "probes/core_to_core/bulk_copy.hpp"

#include <atomic>
#include <cstring>
#include <vector>

#include "cpu/pinned.hpp"
#include "device/error.hpp"

namespace sonde::probes {
namespace {

/// What a thread has of its own: within every second cache.
constexpr std::uint64_t own_bytes = 64 << 10;
/// On a slow machine a trial takes many seconds.
constexpr std::uint64_t between_signs_bytes = 64 << 20;

std::uint64_t number_of_piece(int trial, std::uint64_t offset) {
  return (static_cast<std::uint64_t>(trial) << 40) + offset / own_bytes + 1;
}

}  // namespace

BulkCopy::BulkCopy(std::uint64_t bytes)
    : pages_(cpu::has_huge_pages() ? cpu::PageKind::huge : cpu::PageKind::small), memory_(bytes, pages_) {}

QueueRates BulkCopy::trials(Pair& pair, int count, const std::function<void()>& alive) {
  const device::Nanoseconds step = clock_step();
  const std::uint64_t bytes = memory_.size_bytes() / own_bytes * own_bytes;
  const auto gbps = [&](device::Nanoseconds time) { return 1 / nanoseconds_each(time, static_cast<double>(bytes), step); };
  std::atomic<int> written = -1;
  std::atomic<int> read = -1;
  QueueRates rates;
  const auto write_all = [&](Patience& patience) {
    std::vector<std::byte> own(own_bytes, std::byte{0x5A});
    for (int trial = 0; trial < count; ++trial) {
      const device::Nanoseconds begin = cpu::steady_now();
      for (std::uint64_t offset = 0; offset < bytes; offset += own_bytes) {
        const std::uint64_t number = number_of_piece(trial, offset);
        std::memcpy(own.data(), &number, sizeof number);
        std::memcpy(memory_.data() + offset, own.data(), own_bytes);
        if (offset % between_signs_bytes == 0) alive();
      }
      rates.writer.push_back(gbps(cpu::steady_now() - begin));
      written.store(trial, std::memory_order_release);
      patience.until([&] {
        alive();
        return read.load(std::memory_order_acquire) == trial;
      });
    }
  };
  const auto read_all = [&](Patience& patience) {
    std::vector<std::byte> own(own_bytes);
    for (int trial = 0; trial < count; ++trial) {
      patience.until([&] { return written.load(std::memory_order_acquire) == trial; });
      std::uint64_t differing = 0;
      const device::Nanoseconds begin = cpu::steady_now();
      for (std::uint64_t offset = 0; offset < bytes; offset += own_bytes) {
        std::memcpy(own.data(), memory_.data() + offset, own_bytes);
        asm volatile("" : : "r"(own.data()) : "memory");  // all of it is there
        std::uint64_t told = 0;
        std::memcpy(&told, own.data(), sizeof told);
        differing |= told ^ number_of_piece(trial, offset);
      }
      rates.reader.push_back(gbps(cpu::steady_now() - begin));
      if (differing != 0 || own.back() != std::byte{0x5A}) {
        throw device::Error("what was copied out of memory is not what the other CPU had copied into it");
      }
      read.store(trial, std::memory_order_release);
    }
  };
  pair.together(write_all, read_all);
  return rates;
}

}  // namespace sonde::probes
