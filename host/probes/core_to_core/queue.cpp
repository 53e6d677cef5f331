#include "probes/core_to_core/queue.hpp"

#include <array>
#include <atomic>
#include <cstring>

#include "cpu/instructions.hpp"
#include "cpu/pinned.hpp"
#include "device/error.hpp"
#include "os/time.hpp"

namespace sonde::probes {
namespace {

using Number = std::atomic_ref<std::uint64_t>;

/// What is copied into chunks, in turn. A number that had only just been stored would hold up the wide loads of the
/// copy that follow it, and so the writer, by a fifth.
constexpr int sources = 4;
/// So many trials that nobody disturbed say more than all.
constexpr std::size_t least_undisturbed = 3;

/// Whether the calling thread had its core since a moment.
class OwnTime {
 public:
  [[nodiscard]] bool was_interrupted(device::Nanoseconds passed) const {
    return os::was_interrupted(before_, os::cpu_time_of_this_thread(), passed.count() * 1e-9);
  }

 private:
  os::CpuTime before_ = os::cpu_time_of_this_thread();
};

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

}  // namespace

ChunkQueue::ChunkQueue(int chunks, std::uint32_t data_bytes, std::uint32_t line_bytes, std::optional<int> node)
    : chunks_(chunks),
      data_bytes_(data_bytes),
      line_bytes_(line_bytes),
      pages_(cpu::has_huge_pages() ? cpu::PageKind::huge : cpu::PageKind::small),
      memory_(static_cast<std::uint64_t>(chunks) * (data_bytes + line_bytes), pages_, node) {}

std::byte* ChunkQueue::chunk(int index) const {
  return memory_.data() + static_cast<std::uint64_t>(index) * (data_bytes_ + line_bytes_);
}

QueueRates ChunkQueue::trials(Pair& pair, int count) {
  const device::Nanoseconds step = clock_step();
  const double bytes = static_cast<double>(chunks_) * data_bytes_;
  QueueRates rates;
  std::atomic<int> flushed = -1;
  std::atomic<int> awaited = -1;
  std::atomic<int> read = -1;
  std::vector<char> writer_interrupted;
  std::vector<char> reader_interrupted;
  const auto gbps = [&](device::Nanoseconds time) { return 1 / nanoseconds_each(time, bytes, step); };
  const auto write_all = [&](Patience& patience) {
    // Changes with every chunk, so that what is read proves which one it was.
    std::array<std::vector<std::byte>, sources> data;
    data.fill(std::vector<std::byte>(data_bytes_, std::byte{0x5A}));
    const auto tell = [&](int trial, int index) {
      const std::uint64_t number = number_of(trial, chunks_, index);
      std::memcpy(data.at(static_cast<std::size_t>(index % sources)).data(), &number, sizeof number);
    };
    for (int trial = 0; trial <= count; ++trial) {
      patience.until([&] { return read.load(std::memory_order_acquire) == trial - 1; });
      for (std::uint64_t offset = 0; offset < memory_.size_bytes(); offset += line_bytes_) {
        cpu::flush(memory_.data() + offset);
      }
      cpu::wait_for_flushes();
      for (int index = 0; index < sources - 1; ++index) tell(trial, index);
      flushed.store(trial, std::memory_order_release);
      // A reader that came late would leave the writer the fabric to itself.
      patience.until([&] { return awaited.load(std::memory_order_acquire) == trial; });
      const OwnTime own;
      const device::Nanoseconds begin = cpu::steady_now();
      for (int index = 0; index < chunks_; ++index) {
        tell(trial, index + sources - 1);
        const auto& source = data[static_cast<std::size_t>(index % sources)];
        std::memcpy(chunk(index) + line_bytes_, source.data(), data_bytes_);
        Number(*reinterpret_cast<std::uint64_t*>(chunk(index)))
            .store(number_of(trial, chunks_, index), std::memory_order_release);
      }
      const device::Nanoseconds time = cpu::steady_now() - begin;
      if (trial == 0) continue;
      rates.writer.push_back(gbps(time));
      writer_interrupted.push_back(own.was_interrupted(time) ? 1 : 0);
    }
    patience.until([&] { return read.load(std::memory_order_acquire) == count; });
  };
  const auto read_all = [&](Patience& patience) {
    std::vector<std::byte> data(data_bytes_);
    for (int trial = 0; trial <= count; ++trial) {
      patience.until([&] { return flushed.load(std::memory_order_acquire) == trial; });
      std::uint64_t differing = 0;
      const OwnTime own;
      const device::Nanoseconds waited_since = cpu::steady_now();
      awaited.store(trial, std::memory_order_release);
      device::Nanoseconds begin{0};
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
      const device::Nanoseconds end = cpu::steady_now();
      const bool interrupted = own.was_interrupted(end - waited_since);
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
  pair.together(write_all, read_all);
  return {.writer = undisturbed(rates.writer, writer_interrupted, reader_interrupted),
          .reader = undisturbed(rates.reader, writer_interrupted, reader_interrupted)};
}

}  // namespace sonde::probes
