#pragma once

#include <random>

#include "device/copy_engines.hpp"
#include "measure/repetitions.hpp"
#include "probes/probe.hpp"
#include "workloads/stream/memory_kinds.hpp"

// The curves of copies and what is concluded from them. A way to copy is an engine, the host's memory at one end (none
// within the device) and a direction.
namespace sonde::probes::copy_probe {

Workload prepare_by_queues(device::Device& device, const Point& point, const Request& request);
Workload prepare_by_kernel(device::Device& device, const Point& point, const Request& request);
Workload prepare_by_mapping(device::Device& device, const Point& point, const Request& request);
Workload prepare_beside_kernel(device::Device& device, const Point& point, const Request& request);

/// A curve of copies; without work it is seen at the points of others.
constexpr Curve of_copies(std::string_view name, const Words& words, std::string_view varies, std::string_view title,
                          Prepare prepare = nullptr) {
  return {.name = name, .words = words, .varies = varies, .title = title, .unit = units::gbps, .prepare = prepare};
}

/// Copies by the driver's queues, or by those of hardware that can only copy; `queues` in x where there are several.
inline constexpr Curve by_queues =
    of_copies("by-queues", {}, "direction, engine, host", "Bandwidth of copies", prepare_by_queues);
/// Copies by a kernel that loads from one side and stores to the other.
inline constexpr Curve by_kernel = of_copies("by-kernel", {.engine = Engine::compute_shader}, "direction, host",
                                             "Bandwidth of copies by a kernel", prepare_by_kernel);
/// Copies by the CPU through a mapping of the device's memory that is made anew for each; by the host's clock.
inline constexpr Curve by_mapping =
    of_copies("by-mapping", {.engine = Engine::driver, .host = HostMemory::map_memcpy}, "direction",
              "Bandwidth of copies by the CPU through a mapping", prepare_by_mapping);
inline constexpr Curve both_ways =
    of_copies("both-ways", {.counted = Counted::total, .direction = Direction::both}, "engine, host",
              "Bandwidth of copies both ways at once, together", prepare_by_queues);
/// Each direction by its own queue's clock, seen at the points of both ways at once.
inline constexpr Curve to_device_of_both =
    of_copies("to-device-of-both", {.counted = Counted::to_device, .direction = Direction::both}, "engine, host",
              "Bandwidth of copies to the device, beside those to the host");
inline constexpr Curve to_host_of_both =
    of_copies("to-host-of-both", {.counted = Counted::to_host, .direction = Direction::both}, "engine, host",
              "Bandwidth of copies to the host, beside those to the device");
inline constexpr Curve beside_kernel = of_copies("beside-kernel", {.beside = Beside::kernel}, "direction, engine, host",
                                                 "Bandwidth of copies beside a kernel", prepare_beside_kernel);
/// Seen at the points beside a kernel.
inline constexpr Curve overlap{.name = "overlap",
                               .words = beside_kernel.words,
                               .varies = beside_kernel.varies,
                               .title = "Share of the copies' time that the kernel hides",
                               .unit = units::ratio_of_gain};

inline constexpr std::array curves{&beside_kernel,   &overlap,   &both_ways,  &to_device_of_both,
                                   &to_host_of_both, &by_kernel, &by_mapping, &by_queues};

inline constexpr FindingKind latency{.name = "latency",
                                     .heading = "Latency of a copy",
                                     .meaning = "The time that each copy costs beside its bytes.",
                                     .unit = units::us,
                                     .named_by = "engine, host, direction",
                                     .feature = "copy latency"};
inline constexpr FindingKind bandwidth{.name = "bandwidth",
                                       .heading = "Bandwidth of a copy",
                                       .meaning = "The rate at which the bytes of large copies go.",
                                       .unit = units::gbps,
                                       .named_by = "engine, host, direction",
                                       .feature = "copy bandwidth"};
inline constexpr FindingKind engines{.name = "engines",
                                     .heading = "Copy engines",
                                     .meaning = "The number of copies that an engine has under way at once.",
                                     .unit = units::ratio_of_gain,
                                     .named_by = "engine",
                                     .feature = "copy engines"};
inline constexpr FindingKind overlaps_compute{
    .name = "overlaps-compute",
    .heading = "Copies while computing",
    .meaning = "The share of the copies' time that a kernel beside them hides.",
    .unit = units::ratio_of_gain,
    .named_by = "engine, host, direction"};

inline constexpr std::array finding_kinds{&latency, &bandwidth, &engines, &overlaps_compute};

/// The findings from copies: latency and bandwidth of every way to copy, engines, overlap with kernels.
Conclusion conclude(const Request& request, std::span<const Measurement> measurements);

/// The memory of the host that every engine copies from and to without a detour.
inline constexpr HostMemory host_of_engines = HostMemory::pinned;

// --- the memory at both ends of copies with its proof, and what all ways to copy repeat alike ---

/// A page: what is proved at once, and how far apart the rows of two repetitions begin.
inline constexpr std::uint64_t proof_block_bytes = 4096;

/// Words that nothing can compress, with the sum of each block.
struct BlockSums {
  workloads::Noise noise;
  std::vector<std::uint32_t> sums = {};  ///< modulo 2^32
};

/// Adds up every block of a device buffer, on the device.
class DeviceProof {
 public:
  /// The buffers have so many blocks and were made for this use.
  DeviceProof(device::Device& device, std::uint64_t blocks, device::Use use);

  /// Why `buffer` does not hold the words of `source` from `first_block` on; empty when it does. All of it is
  /// added up on the device, and pages at random are looked at word for word.
  std::optional<std::string> failure(device::Buffer& buffer, const BlockSums& source, std::uint64_t first_block);

 private:
  device::Device& device_;
  std::uint64_t blocks_;
  std::uint32_t group_size_ = 1;
  std::uint32_t groups_ = 1;
  std::uint32_t stripes_ = 1;  ///< rows of an item's vectors in a block
  std::unique_ptr<device::Kernel> reader_;
  std::unique_ptr<device::Buffer> sums_;
  std::mt19937_64 random_;
};

/// Makes host memory of so many bytes, of whatever kind the copies are to be measured with.
using MakeHost = std::function<std::unique_ptr<device::HostBlock>(std::uint64_t size_bytes)>;

/// A row of copies, one after the other, with a place of its own for each.
struct Row {
  std::uint64_t bytes = 0;  ///< of a copy: whole pages
  std::uint32_t copies = 1;
  /// Whole pages by which every other row begins further into the source.
  std::uint64_t step_bytes = proof_block_bytes;
};

/// Memory at both ends of the copies that one queue makes, and what proves them: rows take turns in where they begin,
/// so that every byte that is written changes every time. The device's is of a `kind` where one is named.
class CopyEndpoints {
 public:
  CopyEndpoints(device::Device& device, Direction direction, const Row& row, const MakeHost& make_host,
                std::uint64_t seed, const device::MemoryKind* kind = nullptr);

  /// The next row.
  device::CopyList next();
  /// Throws device::Error where memory does not hold what the last row copied.
  void check();
  const Row& row() const { return row_; }
  std::uint64_t row_bytes() const { return row_.bytes * row_.copies; }

 private:
  Row row_;
  std::uint64_t rows_ = 0;
  BlockSums source_;
  std::unique_ptr<device::Buffer> from_;  ///< empty where rows begin in host_
  std::unique_ptr<device::Buffer> to_;    ///< empty where rows end in host_
  std::unique_ptr<device::HostBlock> host_;
  std::optional<DeviceProof> proof_;  ///< of to_
};

/// The API's name for an engine, which is no kernel.
inline device::CopyEngine engine_of(const Words& words) {
  return words.engine == Engine::transfer ? device::CopyEngine::transfer : device::CopyEngine::driver;
}

/// Makes the host's memory that the words name, which is no mapping of the device's; `copies` outlives it.
MakeHost host_of(device::CopyEngines& copies, const Words& words);

/// How many copies of `bytes` follow one another in one repetition, on each of so many queues.
std::uint32_t copies_in_a_row(device::Device& device, std::uint64_t bytes, std::uint32_t queues);

/// A byte a nanosecond is a GB/s. Throws device::TooShort where the clock did not move.
inline double gbps_of(std::uint64_t bytes, device::Nanoseconds time) {
  if (time.count() <= 0)
    throw device::TooShort("copies of so few bytes take no time that the clock can tell; larger ones are measured");
  return static_cast<double>(bytes) / time.count();
}

/// A repetition: its value, how long it was by whichever clock timed it, and values on further curves.
struct CopyRepetition {
  double value = 0;
  device::Nanoseconds time{0};
  std::vector<double> further = {};
};

/// One untimed repetition, then others until the stopping rule is satisfied. `once` makes one, with a value
/// for each of the `further` curves.
template <typename Once>
Repetitions repeated(const Limits& limits, const std::function<void()>& alive, Once once,
                     const std::vector<const Curve*>& further = {}) {
  // Proofs take as long as copies, and there are many points. No clock but that of the copies is asked: a simulated
  // device gives the same values every time.
  constexpr double share_of_time = 0.1;
  Limits own = limits;
  own.device_time *= share_of_time;
  measure::StoppingRule rule(own);
  Repetitions result;
  for (const Curve* curve : further) result.extra.push_back({.curve = curve});
  once();  // pages get their memory, and drivers whatever they make at first use
  alive();
  while (!rule.done()) {
    const CopyRepetition one = once();
    result.values.push_back(one.value);
    for (std::size_t i = 0; i < further.size(); ++i) result.extra[i].values.push_back(one.further[i]);
    alive();
    rule.add(one.value, one.time);
  }
  return result;
}

}  // namespace sonde::probes::copy_probe
