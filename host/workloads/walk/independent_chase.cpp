#include <array>
#include <memory>
#include <span>

#include "kernels.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/walk/single_item.hpp"
#include "workloads/walk/walk.hpp"

namespace sonde::workloads {
namespace {

/// After so many loads for each line all but a twentieth of them have been drawn.
constexpr std::uint64_t draws_of_a_line = 3;

struct IndependentChase {
  device::Device& device;
  std::uint32_t count;
  std::uint32_t line_words;
  std::uint64_t seed;
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> memory;
  std::unique_ptr<device::Buffer> cursor;
  std::uint32_t word = 0;  ///< what the device must have loaded last
  std::uint32_t counter = 0;
  std::uint32_t trips = 0;

  IndependentChase(device::Device& on, std::uint32_t lines, std::uint32_t line_bytes, std::uint64_t with_seed,
                   const Placement& placement)
      : device(on),
        count(lines),
        line_words(line_bytes / 4),
        seed(with_seed),
        kernel(on.make_kernel(kernels::independent_chase, single_item_group(on.info()))),
        memory(buffer_in(on, placement.memory, std::uint64_t{lines} * line_bytes)),
        cursor(on.make_buffer(3 * sizeof(std::uint32_t))) {
    fill(on, *memory, placement, device::Use::storage, [&](device::Buffer& to) { write_words(to, lines, line_bytes, seed); });
    const std::array<std::uint32_t, 3> start{};
    cursor->write(0, std::as_bytes(std::span(start)));
  }

  device::Nanoseconds run(std::uint64_t hops) {
    trips = static_cast<std::uint32_t>(hops / hops_per_trip);
    for (std::uint64_t hop = 0; hop < hops; ++hop) {
      ++counter;
      const std::uint32_t mixed = (word ^ counter) * 0x9E3779B1u;
      word = word_of_line(static_cast<std::uint32_t>(std::uint64_t{mixed} * count >> 32), seed);
    }
    return device.run(*kernel,
                      {.buffers = {memory.get(), cursor.get()}, .scalars = {trips, count, line_words}, .groups = 1});
  }

  std::optional<std::string> flaw() const {
    std::array<std::uint32_t, 3> end{};
    cursor->read(0, std::as_writable_bytes(std::span(end)));
    return flaw_of_chain({end[0], end[2]}, {word, trips});
  }
};

}  // namespace

measure::Workload independent_chase(device::Device& device, std::uint32_t count, std::uint32_t line_bytes,
                                    std::uint64_t seed, const Placement& placement) {
  measure::Workload workload =
      walk_workload(std::make_shared<IndependentChase>(device, count, line_bytes, seed, placement), count);
  workload.refill = draws_of_a_line * count;
  workload.refills_in_part = true;
  workload.bytes_per_step = line_bytes;
  return workload;
}

}  // namespace sonde::workloads
