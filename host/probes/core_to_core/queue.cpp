#include "probes/core_to_core/queue.hpp"

#include <atomic>
#include <cstring>

#include "cpu/clock.hpp"
#include "cpu/flush.hpp"
#include "gpu/error.hpp"

namespace sonde::probes {
namespace {

using Number = std::atomic_ref<std::uint64_t>;

std::uint64_t number_of(int trial, int chunks, int chunk) {
  return static_cast<std::uint64_t>(trial) * static_cast<std::uint64_t>(chunks) + static_cast<std::uint64_t>(chunk) + 1;
}

}  // namespace

ChunkQueue::ChunkQueue(int chunks, std::uint32_t data_bytes, std::uint32_t line_bytes, std::optional<int> node)
    : chunks_(chunks),
      data_bytes_(data_bytes),
      line_bytes_(line_bytes),
      pages_(cpu::has_huge_pages() ? cpu::Pages::huge : cpu::Pages::small),
      memory_(static_cast<std::uint64_t>(chunks) * (data_bytes + line_bytes), pages_, node) {}

std::byte* ChunkQueue::chunk(int index) const {
  return memory_.data() + static_cast<std::uint64_t>(index) * (data_bytes_ + line_bytes_);
}

QueueRates ChunkQueue::trials(Pair& pair, int count) {
  const gpu::Nanoseconds step = clock_step();
  const double bytes = static_cast<double>(chunks_) * data_bytes_;
  QueueRates rates;
  std::atomic<int> flushed = -1;
  std::atomic<int> read = -1;
  const auto gbps = [&](gpu::Nanoseconds time) { return 1 / nanoseconds_each(time, bytes, step); };
  const auto write_all = [&](Patience& patience) {
    // Changes with every chunk, so that what is read proves which one it was.
    std::vector<std::byte> data(data_bytes_, std::byte{0x5A});
    for (int trial = 0; trial <= count; ++trial) {
      patience.until([&] { return read.load(std::memory_order_acquire) == trial - 1; });
      for (std::uint64_t offset = 0; offset < memory_.size_bytes(); offset += line_bytes_) {
        cpu::flush(memory_.data() + offset);
      }
      cpu::wait_for_flushes();
      flushed.store(trial, std::memory_order_release);
      const gpu::Nanoseconds begin = cpu::steady_now();
      for (int index = 0; index < chunks_; ++index) {
        const std::uint64_t number = number_of(trial, chunks_, index);
        std::memcpy(data.data(), &number, sizeof number);
        std::memcpy(chunk(index) + line_bytes_, data.data(), data_bytes_);
        Number(*reinterpret_cast<std::uint64_t*>(chunk(index))).store(number, std::memory_order_release);
      }
      const gpu::Nanoseconds time = cpu::steady_now() - begin;
      if (trial > 0) rates.writer.push_back(gbps(time));
    }
    patience.until([&] { return read.load(std::memory_order_acquire) == count; });
  };
  const auto read_all = [&](Patience& patience) {
    std::vector<std::byte> data(data_bytes_);
    for (int trial = 0; trial <= count; ++trial) {
      patience.until([&] { return flushed.load(std::memory_order_acquire) == trial; });
      std::uint64_t differing = 0;
      gpu::Nanoseconds begin{0};
      for (int index = 0; index < chunks_; ++index) {
        const std::uint64_t number = number_of(trial, chunks_, index);
        const Number ready(*reinterpret_cast<std::uint64_t*>(chunk(index)));
        patience.until([&] { return ready.load(std::memory_order_acquire) == number; });
        if (index == 0) begin = cpu::steady_now();
        std::memcpy(data.data(), chunk(index) + line_bytes_, data_bytes_);
        asm volatile("" : : "r"(data.data()) : "memory");  // all of it is there
        std::uint64_t told = 0;
        std::memcpy(&told, data.data(), sizeof told);
        differing |= told ^ number;
      }
      const gpu::Nanoseconds time = cpu::steady_now() - begin;
      if (differing != 0 || data.back() != std::byte{0x5A}) {
        throw gpu::Error("a chunk that was read from the queue is not the one that was written");
      }
      if (trial > 0) rates.reader.push_back(gbps(time));
      read.store(trial, std::memory_order_release);
    }
  };
  pair.together(write_all, read_all);
  return rates;
}

}  // namespace sonde::probes
