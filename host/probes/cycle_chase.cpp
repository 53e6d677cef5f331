#include <array>
#include <memory>
#include <span>

#include "kernels.hpp"
#include "probes/chases.hpp"
#include "probes/one_item.hpp"
#include "probes/walk.hpp"

namespace sonde::probes {
namespace {

struct CycleChase {
  gpu::Device& device;
  Slots slots;
  std::unique_ptr<gpu::Kernel> kernel;
  std::unique_ptr<gpu::Buffer> memory;
  std::unique_ptr<gpu::Buffer> cursor;
  std::vector<std::uint32_t> places;  ///< of each slot in the cycle
  std::uint32_t place = 0;            ///< where the walk stands now
  std::uint32_t trips = 0;

  CycleChase(gpu::Device& on, std::uint32_t count, const Slots& where, std::uint64_t seed)
      : device(on),
        slots(where),
        kernel(on.make_kernel(kernels::chase, one_item_group(on.info()))),
        memory(on.make_buffer(std::uint64_t{count} * where.slot_bytes())),
        cursor(on.make_buffer(2 * sizeof(std::uint32_t))),
        places(random_cycle(count, seed)) {
    write_cycle(*memory, places, slots, seed);
    cycle_to_places(places);
    const std::array<std::uint32_t, 2> start{slots.word_of(0), 0};
    cursor->write(0, std::as_bytes(std::span(start)));
  }

  gpu::Nanoseconds run(std::uint64_t hops) {
    trips = static_cast<std::uint32_t>(hops / steps_per_trip);
    place = static_cast<std::uint32_t>((place + hops) % places.size());
    return device.run(*kernel, {.buffers = {memory.get(), cursor.get()}, .scalars = {trips}, .groups = 1});
  }

  std::optional<std::string> flaw() const {
    std::array<std::uint32_t, 2> end{};
    cursor->read(0, std::as_writable_bytes(std::span(end)));
    const std::uint32_t slot = slots.slot_of(end[0]);
    if (slot >= places.size() || slots.word_of(slot) != end[0]) {
      return "the device's walk left its lines; please report the driver";
    }
    return flaw_of_chain({places[slot], end[1]}, {place, trips});
  }
};

}  // namespace

measure::Workload cycle_chase(gpu::Device& device, std::uint32_t count, const Slots& slots, std::uint64_t seed) {
  return chain_workload(std::make_shared<CycleChase>(device, count, slots, seed), count);
}

}  // namespace sonde::probes
