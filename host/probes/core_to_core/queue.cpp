#include "probes/core_to_core/pair.hpp"

#include <array>
#include <cstring>

#include "cpu/instructions.hpp"
#include "os/time.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::probes::core_to_core_probe {
namespace {

using workloads::clock_step;
using workloads::nanoseconds_each;
using Number = std::atomic_ref<std::uint64_t>;

/// So many buffers are copied into chunks in turn. With one, a number that had only just been stored would hold up the
/// wide loads of the copy that follows it, which made the writer slower by a fifth.
constexpr int sources = 4;
/// Disturbed trials are left out where so many undisturbed ones remain.
constexpr std::size_t least_undisturbed = 3;

/// Whether the calling thread lost its core in the time that passed since it had used so much of the CPU's.
bool lost_its_core(const os::CpuTime& before, device::Nanoseconds passed) {
  return os::was_interrupted(before, os::cpu_time_of_this_thread(), passed.count() * 1e-9);
}

/// The values of trials in which neither thread was interrupted; all, where those are few.
std::vector<double> undisturbed(const std::vector<double>& values, const std::vector<char>& writer,
                                const std::vector<char>& reader) {
  std::vector<double> kept;
  for (std::size_t trial = 0; trial < values.size(); ++trial) {
    if (writer[trial] == 0 && reader[trial] == 0) kept.push_back(values[trial]);
  }
  return kept.size() < least_undisturbed ? values : kept;
}

std::uint64_t number_of(int trial, int chunks, int chunk) {
  return static_cast<std::uint64_t>(trial) * static_cast<std::uint64_t>(chunks) + static_cast<std::uint64_t>(chunk) + 1;
}

/// Each thread copies into or out of so much of its own, which fits every second cache.
constexpr std::uint64_t own_bytes = 64 << 10;
/// A trial takes many seconds on a slow machine, so the writer calls `alive` after each so many bytes.
constexpr std::uint64_t bytes_between_calls = 64 << 20;

std::uint64_t number_of_piece(int trial, std::uint64_t offset) {
  return (static_cast<std::uint64_t>(trial) << 40) + offset / own_bytes + 1;
}

}  // namespace

ChunkQueue::ChunkQueue(int chunks, std::uint32_t data_bytes, std::uint32_t line_bytes, std::optional<int> node)
    : chunks_(chunks),
      data_bytes_(data_bytes),
      line_bytes_(line_bytes),
      memory_(static_cast<std::uint64_t>(chunks) * (data_bytes + line_bytes), cpu::widest_pages(), node) {}

QueueRates ChunkQueue::trials(PinnedPair& pair, int count) {
  const device::Nanoseconds step = clock_step();
  const double bytes = static_cast<double>(chunks_) * data_bytes_;
  QueueRates rates;
  std::atomic<int> flushed = -1;
  std::atomic<int> awaited = -1;
  std::atomic<int> read = -1;
  std::vector<char> writer_interrupted;
  std::vector<char> reader_interrupted;
  const auto gbps = [&](device::Nanoseconds time) { return 1 / nanoseconds_each(time, bytes, step); };
  const auto write_all = [&](SpinWait& wait) {
    // Changes with every chunk, so that what is read proves which one it was.
    std::array<std::vector<std::byte>, sources> data;
    data.fill(std::vector<std::byte>(data_bytes_, std::byte{0x5A}));
    const auto write_number = [&](int trial, int index) {
      const std::uint64_t number = number_of(trial, chunks_, index);
      std::memcpy(data.at(static_cast<std::size_t>(index % sources)).data(), &number, sizeof number);
    };
    for (int trial = 0; trial <= count; ++trial) {
      wait.until([&] { return read.load(std::memory_order_acquire) == trial - 1; });
      for (std::uint64_t offset = 0; offset < memory_.size_bytes(); offset += line_bytes_) {
        cpu::flush(memory_.data() + offset);
      }
      cpu::wait_for_flushes();
      for (int index = 0; index < sources - 1; ++index) write_number(trial, index);
      flushed.store(trial, std::memory_order_release);
      // A reader that came late would leave the writer the fabric to itself.
      wait.until([&] { return awaited.load(std::memory_order_acquire) == trial; });
      const os::CpuTime before = os::cpu_time_of_this_thread();
      const device::Nanoseconds begin = cpu::steady_now();
      for (int index = 0; index < chunks_; ++index) {
        write_number(trial, index + sources - 1);
        const auto& source = data[static_cast<std::size_t>(index % sources)];
        std::memcpy(chunk(index) + line_bytes_, source.data(), data_bytes_);
        Number(*reinterpret_cast<std::uint64_t*>(chunk(index)))
            .store(number_of(trial, chunks_, index), std::memory_order_release);
      }
      const device::Nanoseconds time = cpu::steady_now() - begin;
      if (trial == 0) continue;
      rates.writer.push_back(gbps(time));
      writer_interrupted.push_back(lost_its_core(before, time) ? 1 : 0);
    }
    wait.until([&] { return read.load(std::memory_order_acquire) == count; });
  };
  const auto read_all = [&](SpinWait& wait) {
    std::vector<std::byte> data(data_bytes_);
    for (int trial = 0; trial <= count; ++trial) {
      wait.until([&] { return flushed.load(std::memory_order_acquire) == trial; });
      std::uint64_t differing = 0;
      const os::CpuTime before = os::cpu_time_of_this_thread();
      const device::Nanoseconds waited_since = cpu::steady_now();
      awaited.store(trial, std::memory_order_release);
      device::Nanoseconds begin{0};
      for (int index = 0; index < chunks_; ++index) {
        const std::uint64_t number = number_of(trial, chunks_, index);
        const Number ready(*reinterpret_cast<std::uint64_t*>(chunk(index)));
        wait.until([&] { return ready.load(std::memory_order_acquire) == number; });
        if (index == 0) begin = cpu::steady_now();
        std::memcpy(data.data(), chunk(index) + line_bytes_, data_bytes_);
        asm volatile("" : : "r"(data.data()) : "memory");  // all of it is there
        std::uint64_t found = 0;
        std::memcpy(&found, data.data(), sizeof found);
        differing |= found ^ number;
      }
      const device::Nanoseconds end = cpu::steady_now();
      const bool interrupted = lost_its_core(before, end - waited_since);
      if (differing != 0 || data.back() != std::byte{0x5A}) {
        throw device::Error("a chunk that was read from the queue is not the one that was written");
      }
      if (trial > 0) {
        rates.reader.push_back(gbps(end - begin));
        reader_interrupted.push_back(interrupted ? 1 : 0);
      }
      read.store(trial, std::memory_order_release);
    }
  };
  pair.run_on_both(write_all, read_all);
  return {.writer = undisturbed(rates.writer, writer_interrupted, reader_interrupted),
          .reader = undisturbed(rates.reader, writer_interrupted, reader_interrupted)};
}

QueueRates BulkCopy::trials(PinnedPair& pair, int count, const std::function<void()>& alive) {
  const device::Nanoseconds step = clock_step();
  const std::uint64_t bytes = memory_.size_bytes() / own_bytes * own_bytes;
  const auto gbps = [&](device::Nanoseconds time) {
    return 1 / nanoseconds_each(time, static_cast<double>(bytes), step);
  };
  std::atomic<int> written = -1;
  std::atomic<int> read = -1;
  QueueRates rates;
  const auto write_all = [&](SpinWait& wait) {
    std::vector<std::byte> own(own_bytes, std::byte{0x5A});
    for (int trial = 0; trial < count; ++trial) {
      const device::Nanoseconds begin = cpu::steady_now();
      for (std::uint64_t offset = 0; offset < bytes; offset += own_bytes) {
        const std::uint64_t number = number_of_piece(trial, offset);
        std::memcpy(own.data(), &number, sizeof number);
        std::memcpy(memory_.data() + offset, own.data(), own_bytes);
        if (offset % bytes_between_calls == 0) alive();
      }
      rates.writer.push_back(gbps(cpu::steady_now() - begin));
      written.store(trial, std::memory_order_release);
      wait.until([&] {
        alive();
        return read.load(std::memory_order_acquire) == trial;
      });
    }
  };
  const auto read_all = [&](SpinWait& wait) {
    std::vector<std::byte> own(own_bytes);
    for (int trial = 0; trial < count; ++trial) {
      wait.until([&] { return written.load(std::memory_order_acquire) == trial; });
      std::uint64_t differing = 0;
      const device::Nanoseconds begin = cpu::steady_now();
      for (std::uint64_t offset = 0; offset < bytes; offset += own_bytes) {
        std::memcpy(own.data(), memory_.data() + offset, own_bytes);
        asm volatile("" : : "r"(own.data()) : "memory");  // all of it is there
        std::uint64_t found = 0;
        std::memcpy(&found, own.data(), sizeof found);
        differing |= found ^ number_of_piece(trial, offset);
      }
      rates.reader.push_back(gbps(cpu::steady_now() - begin));
      if (differing != 0 || own.back() != std::byte{0x5A}) {
        throw device::Error("what was copied out of memory is not what the other CPU had copied into it");
      }
      read.store(trial, std::memory_order_release);
    }
  };
  pair.run_on_both(write_all, read_all);
  return rates;
}

}  // namespace sonde::probes::core_to_core_probe
