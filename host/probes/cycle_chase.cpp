#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/error.hpp"
#include "kernels.hpp"
#include "probes/chases.hpp"
#include "probes/light_stream.hpp"
#include "probes/load_instruction.hpp"
#include "probes/memory_kinds.hpp"
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

/// What the kernel beside a stream has behind the walk's own words.
constexpr std::size_t words_before_rounds = 4;
/// Below, a stream may come too late for the walk; from here on it has to have been seen.
constexpr gpu::Nanoseconds long_enough_to_meet{200e3};
/// A round of the stream takes as long as a hop or longer.
constexpr std::uint32_t most_rounds_per_hop = 2;

struct CycleChase {
  gpu::Device& device;
  Path path;
  Slots slots;
  std::unique_ptr<gpu::Kernel> kernel;
  std::unique_ptr<gpu::Buffer> memory;
  std::optional<LightStream> beside;
  std::unique_ptr<gpu::Buffer> cursor;
  std::vector<std::uint32_t> places;  ///< of each slot in the cycle
  std::uint32_t place = 0;            ///< where the walk stands now
  std::vector<std::uint32_t> end;     ///< what the last dispatch left: its word, its trips, and what a stream adds
  std::uint32_t trips = 0;
  std::uint32_t launches = 0;

  CycleChase(gpu::Device& on, std::uint32_t count, const Slots& where, std::uint64_t seed, const Way& way, Path by,
             Fabric fabric, const Placement& placement = {})
      : device(on),
        path(by),
        slots(where),
        kernel(on.make_kernel(way.kernel, one_item_group(on.info()))),
        memory(buffer_in(on, placement.memory, std::uint64_t{count} * where.slot_bytes(), way.use)),
        places(random_cycle(count, seed)),
        end{where.word_of(0), 0} {
    if (fabric == Fabric::loaded) {
      beside.emplace(on, memory->size_bytes(), one_item_group(on.info()), seed);
      end.resize(words_before_rounds + beside->groups);
    }
    cursor = on.make_buffer(end.size() * sizeof(std::uint32_t));
    fill(on, *memory, placement, way.use, [&](gpu::Buffer& to) { write_cycle(to, places, slots, seed); });
    cycle_to_places(places);
    cursor->write(0, std::as_bytes(std::span(end)));
  }

  gpu::Nanoseconds run(std::uint64_t hops) {
    trips = static_cast<std::uint32_t>(hops / steps_per_trip);
    place = static_cast<std::uint32_t>((place + hops) % places.size());
    ++launches;
    gpu::Launch launch{.buffers = {memory.get(), cursor.get()}, .scalars = scalars(), .groups = 1};
    if (beside) {
      launch.buffers.push_back(beside->memory.get());
      launch.groups += beside->groups;
    }
    const gpu::Nanoseconds time = device.run(*kernel, launch);
    cursor->read(0, std::as_writable_bytes(std::span(end)));
    if (beside && time > long_enough_to_meet) check_that_they_met();
    return time;
  }

  std::vector<std::uint32_t> scalars() const {
    if (beside) return {trips, launches, beside->rows, trips * steps_per_trip * most_rounds_per_hop};
    if (path == Path::scalar) return {trips, end[0]};
    if (path == Path::local) return {trips, static_cast<std::uint32_t>(memory->size_bytes() / sizeof(std::uint32_t))};
    if (path == Path::atomic) return {trips, 0};
    return {trips};
  }

  void check_that_they_met() const {
    if (std::ranges::any_of(std::span(end).subspan(words_before_rounds), [](std::uint32_t rounds) { return rounds > 0; })) {
      return;
    }
    throw gpu::Unsupported("the driver ran nothing beside the walk, so memory was not kept awake");
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
                              Path path, const Placement& placement) {
  if (path == Path::local) check_local_memory(device.info());
  const auto chase = std::make_shared<CycleChase>(device, count, slots, seed, way_of(path), path, Fabric::idle, placement);
  measure::Workload workload = chain_workload(chase, count);
  workload.instruction = most_frequent_load(chase->kernel->listing());
  // The loop that copies the chain counts as well.
  if (path == Path::local) workload.most -= local_walk_bytes / sizeof(std::uint32_t) * steps_per_trip;
  return workload;
}

measure::Workload cycle_chase_kept_awake(gpu::Device& device, std::uint32_t count, const Slots& slots,
                                         std::uint64_t seed) {
  const Way way{kernels::chase_awake};
  return chain_workload(
      std::make_shared<CycleChase>(device, count, slots, seed, way, Path::vector, Fabric::loaded), count);
}

}  // namespace sonde::probes
