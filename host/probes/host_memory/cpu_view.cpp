// The CPU's own work on a buffer of the device, through its view of it.

#include <cstring>

#include "probes/host_memory/host_memory.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/walk/single_item.hpp"
#include "workloads/walk/walk.hpp"

namespace sonde::probes::host_memory_probe {
namespace {

using workloads::LineLayout;
using workloads::MemoryPlace;
using workloads::Noise;

/// A buffer that stays mapped while the CPU is timed.
struct MappedKind {
  device::Device& device;
  std::unique_ptr<device::Buffer> buffer;
  std::span<std::byte> bytes;

  MappedKind(device::Device& on, const MemoryPlace& place, std::uint64_t size_bytes,
             const std::function<void(device::Buffer&)>& write)
      : device(on), buffer(workloads::buffer_in(on, place.memory, size_bytes)) {
    workloads::fill(on, *buffer, place, device::Use::storage, write);
    bytes = buffer->map(device::Access::write);
  }
  ~MappedKind() {
    try {
      buffer->unmap();
    } catch (const std::runtime_error&) {
      // What was measured is measured; the next call of the driver says what is wrong with it.
    }
  }
  MappedKind(const MappedKind&) = delete;
  MappedKind& operator=(const MappedKind&) = delete;
};

struct CpuChase {
  std::vector<std::uint32_t> places;  ///< of each line in the cycle, once it is written
  LineLayout layout;
  MappedKind mapped;
  std::uint32_t word = 0;
  std::uint32_t place = 0;

  CpuChase(device::Device& device, const MemoryPlace& where, std::uint64_t size_bytes, std::uint32_t line_bytes,
           std::uint64_t seed)
      : places(workloads::random_cycle(static_cast<std::uint32_t>(size_bytes / line_bytes), seed)),
        layout(line_bytes),
        mapped(device, where, size_bytes,
               [&](device::Buffer& to) { workloads::write_cycle(to, places, layout, seed); }),
        word(layout.word_of(0)) {
    workloads::cycle_to_places(places);
  }

  device::Nanoseconds run(std::uint64_t hops) {
    const std::byte* const first = mapped.bytes.data();
    std::uint32_t at = word;
    const device::Nanoseconds begin = mapped.device.host_time();
    for (std::uint64_t hop = 0; hop < hops; ++hop) std::memcpy(&at, first + std::uint64_t{at} * sizeof at, sizeof at);
    const device::Nanoseconds time = mapped.device.host_time() - begin;
    word = at;
    place = static_cast<std::uint32_t>((place + hops) % places.size());
    return time;
  }

  std::optional<std::string> proof_failure() const {
    const std::uint32_t slot = layout.slot_of(word);
    if (slot < places.size() && layout.word_of(slot) == word && places[slot] == place) return std::nullopt;
    return "the CPU's walk through its view of the buffer did not end where it must; please report the driver";
  }
};

constexpr std::uint64_t piece_bytes = 65536;
/// Memory that is slower than this is in no cache of the CPU, such as a GPU's behind a bus: laps would fill nothing,
/// and take seconds.
constexpr double least_cached_gbps = 0.2;
constexpr std::size_t piece_words = piece_bytes / sizeof(std::uint64_t);

std::uint64_t sum_of(const std::byte* piece) {
  std::uint64_t sums[4] = {};
  for (std::size_t at = 0; at < piece_bytes; at += sizeof sums) {
    std::uint64_t words[4];
    std::memcpy(words, piece + at, sizeof words);
    for (std::size_t i = 0; i < 4; ++i) sums[i] += words[i];
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

/// The CPU reads or writes the buffer; a step is a piece of 64 KiB.
struct CpuStream {
  Pattern pattern;
  Noise noise;
  MappedKind mapped;
  std::uint64_t pieces;
  std::vector<std::uint64_t> sums;  ///< of each piece, as it was written
  std::uint64_t turn = 0;
  std::uint64_t last_steps = 0;
  std::uint64_t found = 0;

  CpuStream(device::Device& device, const MemoryPlace& place, Pattern what, std::uint64_t size_bytes,
            std::uint64_t seed)
      : pattern(what),
        noise(seed),
        mapped(device, place, size_bytes,
               [&](device::Buffer& to) { (void)workloads::write_noise(to, noise, piece_words * 2); }),
        pieces(size_bytes / piece_bytes) {
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < piece_words; ++i) sum += noise.pair(piece * piece_words + i);
      sums.push_back(sum);
    }
  }

  static std::uint64_t written(std::uint64_t on) { return (on + 1) * 0x9E3779B97F4A7C15ull; }

  device::Nanoseconds run(std::uint64_t steps) {
    last_steps = steps;
    std::uint64_t sum = 0;
    const device::Nanoseconds begin = mapped.device.host_time();
    for (std::uint64_t step = 0; step < steps; ++step) {
      std::byte* const piece = mapped.bytes.data() + (turn + step) % pieces * piece_bytes;
      if (pattern == Pattern::read) {
        sum += sum_of(piece);
        continue;
      }
      const std::uint64_t word = written(turn + step);
      for (std::size_t at = 0; at < piece_bytes; at += sizeof word) std::memcpy(piece + at, &word, sizeof word);
    }
    const device::Nanoseconds time = mapped.device.host_time() - begin;
    turn += steps;
    found = sum;
    return time;
  }

  std::optional<std::string> proof_failure() const {
    if (pattern == Pattern::read) {
      std::uint64_t expected = 0;
      for (std::uint64_t step = turn - last_steps; step < turn; ++step) expected += sums[step % pieces];
      if (found == expected) return std::nullopt;
    } else {
      // The last piece is checked whole.
      const std::uint64_t word = written(turn - 1);
      if (sum_of(mapped.bytes.data() + (turn - 1) % pieces * piece_bytes) == word * piece_words) return std::nullopt;
    }
    return "the CPU did not find in its view of the buffer what was written there; please report the driver";
  }
};

/// Throws where the device is simulated or has no such kind of memory, or the CPU cannot look at it.
void check_the_cpu_sees(const device::DeviceInfo& info, const Point& point) {
  const std::string reason = workloads::why_not_shared(device::memory_kind(info, point.words.memory.text()));
  if (!reason.empty()) throw device::Unsupported(reason);
  if (info.type == device::DeviceType::model) {
    throw device::Unsupported("the simulated device says nothing of how the CPU reaches its memory");
  }
}

/// Work on one core, by the host's clock.
Workload on_one_core(SteppedWork steps) {
  return {.work = std::move(steps), .one_core = true, .has_cycles = false, .shape = {{"host_clock", 1}}};
}

}  // namespace

Workload prepare_cpu_walk(device::Device& device, const Point& point, const Request& request) {
  check_the_cpu_sees(device.info(), point);
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const auto chase =
      std::make_shared<CpuChase>(device, workloads::place_of(point.words), bytes, request.line_bytes, request.seed);
  return on_one_core(workloads::stepped(chase, {.quantum = 16, .most = 1ull << 24, .lap = chase->places.size()}));
}

Workload prepare_cpu_stream(device::Device& device, const Point& point, const Request& request) {
  check_the_cpu_sees(device.info(), point);
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const auto work = std::make_shared<CpuStream>(device, workloads::place_of(point.words), point.words.pattern.value(),
                                                bytes, request.seed);
  (void)work->run(1);  // the system maps the first piece's pages
  const bool is_cached = static_cast<double>(piece_bytes) >= least_cached_gbps * work->run(1).count();
  return on_one_core(workloads::stepped(
      work, {.most = 1ull << 20, .lap = is_cached ? work->pieces : 1, .value = workloads::rate(piece_bytes)}));
}

}  // namespace sonde::probes::host_memory_probe
