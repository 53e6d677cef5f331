#include <array>
#include <memory>
#include <span>
#include <vector>

#include "gpu/error.hpp"
#include "kernels.hpp"
#include "probes/chases.hpp"
#include "probes/one_item.hpp"
#include "probes/walk.hpp"

namespace sonde::probes {
namespace {

/// A path's kernel, and how it reads the chain.
struct Way {
  const gpu::KernelSource& kernel;
  gpu::Use use = gpu::Use::storage;
};

Way way_of(Path path) {
  switch (path) {
    case Path::vector: break;
    case Path::scalar: return {kernels::chase_scalar};
    case Path::constant: return {kernels::chase_constant, gpu::Use::constant};
    case Path::image: return {kernels::chase_image, gpu::Use::texels};
    case Path::local: return {kernels::chase_local};
    case Path::atomic: return {kernels::chase_atomic};
  }
  return {kernels::chase};
}

void check_local_memory(const gpu::DeviceInfo& device) {
  if (device.local_bytes >= local_walk_bytes) return;
  throw gpu::Unsupported(device.local_bytes == 0 ? "the device has no work-group memory of its own"
                                                 : "the device's work-group memory is smaller than the walk's " +
                                                       measure::size_text(local_walk_bytes));
}

struct CycleChase {
  gpu::Device& device;
  Path path;
  Slots slots;
  std::unique_ptr<gpu::Kernel> kernel;
  std::unique_ptr<gpu::Buffer> memory;
  std::unique_ptr<gpu::Buffer> cursor;
  std::vector<std::uint32_t> places;  ///< of each slot in the cycle
  std::uint32_t place = 0;            ///< where the walk stands now
  std::array<std::uint32_t, 2> end;   ///< what the last dispatch left: its word and its trips
  std::uint32_t trips = 0;

  CycleChase(gpu::Device& on, std::uint32_t count, const Slots& where, std::uint64_t seed, Path by)
      : device(on),
        path(by),
        slots(where),
        kernel(on.make_kernel(way_of(by).kernel, one_item_group(on.info()))),
        memory(on.make_buffer(std::uint64_t{count} * where.slot_bytes(), way_of(by).use)),
        cursor(on.make_buffer(2 * sizeof(std::uint32_t))),
        places(random_cycle(count, seed)),
        end{where.word_of(0), 0} {
    write_cycle(*memory, places, slots, seed);
    cycle_to_places(places);
    cursor->write(0, std::as_bytes(std::span(end)));
  }

  gpu::Nanoseconds run(std::uint64_t hops) {
    trips = static_cast<std::uint32_t>(hops / steps_per_trip);
    place = static_cast<std::uint32_t>((place + hops) % places.size());
    const gpu::Nanoseconds time =
        device.run(*kernel, {.buffers = {memory.get(), cursor.get()}, .scalars = scalars(), .groups = 1});
    cursor->read(0, std::as_writable_bytes(std::span(end)));
    return time;
  }

  std::vector<std::uint32_t> scalars() const {
    if (path == Path::scalar) return {trips, end[0]};
    if (path == Path::local) return {trips, static_cast<std::uint32_t>(memory->size_bytes() / sizeof(std::uint32_t))};
    if (path == Path::atomic) return {trips, 0};
    return {trips};
  }

  std::optional<std::string> flaw() const {
    const std::uint32_t slot = slots.slot_of(end[0]);
    if (slot >= places.size() || slots.word_of(slot) != end[0]) {
      return "the device's walk left its lines; please report the driver";
    }
    return flaw_of_chain({places[slot], end[1]}, {place, trips});
  }
};

}  // namespace

measure::Workload cycle_chase(gpu::Device& device, std::uint32_t count, const Slots& slots, std::uint64_t seed,
                              Path path) {
  if (path == Path::local) check_local_memory(device.info());
  measure::Workload workload = chain_workload(std::make_shared<CycleChase>(device, count, slots, seed, path), count);
  // The loop that copies the chain counts as well.
  if (path == Path::local) workload.most -= local_walk_bytes / sizeof(std::uint32_t) * steps_per_trip;
  return workload;
}

}  // namespace sonde::probes
