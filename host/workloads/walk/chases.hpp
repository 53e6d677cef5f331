#pragma once

#include "measure/workload.hpp"
#include "workloads/walk/beside_load.hpp"
#include "workloads/walk/chase_by_many.hpp"
#include "workloads/walk/walk.hpp"

// The walks of the latency probe. Each continues where its last dispatch ended and proves every dispatch's end.
namespace sonde::workloads {

/// What the kernel of the local walk declares of work-group memory.
inline constexpr std::uint64_t local_walk_bytes = 16384;

/// A walk through a random single cycle over `count` slots. Throws Unsupported where the device lacks the path.
measure::Workload cycle_chase(device::Device& device, std::uint32_t count, const LineLayout& layout, std::uint64_t seed,
                              measure::Path path = measure::Path::vector, const MemoryPlace& memory_place = {});

/// A walk by the vector path of which every hop reads, modifies and writes its word.
measure::Workload atomic_chase(device::Device& device, std::uint32_t count, const LineLayout& layout,
                               std::uint64_t seed);

/// A walk by the vector path beside a light stream. Throws Unsupported where the two do not run at the same time.
measure::Workload cycle_chase_awake(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                    std::uint64_t seed);

/// A walk by the vector path beside a load, whose GB/s meanwhile it gives as values of `load_curve` and as `gpu_gbps`.
/// Throws Unsupported where the two do not run at the same time.
measure::Workload chase_under_load(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                   std::uint64_t seed, const BackgroundLoad& load, const measure::Curve& load_curve);

/// A walk over uniformly random lines, each dependent on the one before; `count` lines side by side.
measure::Workload independent_chase(device::Device& device, std::uint32_t count, std::uint32_t line_bytes,
                                    std::uint64_t seed, const MemoryPlace& memory_place = {});

/// The kernel of a walk through a cycle, and how it reads the chain.
struct CycleKernel {
  enum class Second { none, start, memory_words, zero };

  const device::KernelSource& source;
  device::Use use = device::Use::storage;
  bool by_offset = false;        ///< else by index: images have no bytes, and what is small has addresses of 32 bits
  Second second = Second::none;  ///< the scalar after the number of trips
};

/// A walk through a random cycle, alone or beside a load.
struct CycleChase {
  device::Device& device;
  CycleKernel by;
  LineLayout layout;
  std::uint32_t offset_shift;  ///< the chain's words count in units of so many doublings of a byte (kernels/offsets.h)
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> memory;
  std::optional<BackgroundStream> beside;
  std::unique_ptr<device::Buffer> cursor;
  std::vector<std::uint32_t> places;  ///< of each slot in the cycle
  std::uint32_t place = 0;            ///< where the walk stands now
  std::vector<std::uint32_t> end;     ///< what the last dispatch left: its word, its trips, and what a load adds
  std::uint32_t trips = 0;
  std::uint32_t launches = 0;
  device::Nanoseconds lasted{0};    ///< the last dispatch
  std::optional<ChaseByMany> many;  ///< once laps are walked so

  CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed,
             const CycleKernel& kernel_by, const MemoryPlace& memory_place = {}, const BackgroundLoad* load = nullptr);
  CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed,
             const BackgroundLoad& load, device::Use use);

  device::Nanoseconds run(std::uint64_t hops);
  std::optional<std::string> proof_failure();  ///< of the last dispatch
  void make_many();
  device::Nanoseconds run_by_many(std::uint64_t hops);

 private:
  std::uint32_t offset_of(std::uint32_t slot) const { return layout.word_of(slot) << (2 - offset_shift); }
  std::vector<std::uint32_t> scalars();
};

}  // namespace sonde::workloads
