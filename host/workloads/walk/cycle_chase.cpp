#include "workloads/walk/cycle_chase.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/error.hpp"
#include "kernels.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/load_instruction.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/walk/single_item.hpp"
#include "workloads/walk/walk.hpp"

namespace sonde::workloads {
namespace {

/// A path's kernel, and how it reads the chain.
struct Way {
  const device::KernelSource& kernel;
  device::Use use = device::Use::storage;
  bool by_offset = false;  ///< else by index: images have no bytes, and what is small has addresses of 32 bits
};

Way way_of(Path path) {
  switch (path) {
    case Path::vector: break;
    case Path::scalar: return {.kernel = kernels::chase_scalar, .by_offset = true};
    case Path::constant: return {kernels::chase_constant, device::Use::constant};
    case Path::image: return {kernels::chase_image, device::Use::texels};
    case Path::local: return {kernels::chase_local};
    case Path::atomic: return {.kernel = kernels::chase_atomic, .by_offset = true};
  }
  return {.kernel = kernels::chase, .by_offset = true};
}

/// Bytes as far as 32 bits reach, then words. A CPU that is reached through Vulkan computes addresses one vector lane
/// after the other, which takes lavapipe 1.5 ns longer with bytes.
std::uint32_t shift_for(const device::DeviceInfo& device, Path path, std::uint64_t bytes) {
  const bool by_lanes = device.type == device::DeviceType::cpu && device.api == device::Api::vulkan;
  return way_of(path).by_offset && !by_lanes && bytes <= std::uint64_t{1} << 32 ? 0 : 2;
}

/// Behind those of the streams beside the walk, if any. A kernel that walks by index does not look at it.
std::vector<device::Constant> with_offset_shift(std::span<const device::Constant> beside, std::uint32_t offset_shift) {
  std::vector<device::Constant> all(beside.begin(), beside.end());
  all.push_back({"OFFSET_SHIFT", offset_shift});
  return all;
}

void check_local_memory(const device::DeviceInfo& device) {
  if (device.local_bytes >= local_walk_bytes) return;
  throw device::Unsupported(device.local_bytes == 0 ? "the device has no work-group memory of its own"
                                                 : "the device's work-group memory is smaller than the walk's " +
                                                       measure::size_text(local_walk_bytes));
}

}  // namespace

CycleChase::CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed, Path by,
                       const Placement& placement)
    : device(on),
      path(by),
      layout(where),
      offset_shift(shift_for(on.info(), by, std::uint64_t{count} * where.slot_bytes())),
      kernel(on.make_kernel(way_of(by).kernel, single_item_group(on.info()), with_offset_shift({}, offset_shift))),
      memory(buffer_in(on, placement.memory, std::uint64_t{count} * where.slot_bytes(), way_of(by).use)),
      cursor(on.make_buffer(2 * sizeof(std::uint32_t))),
      places(random_cycle(count, seed)),
      end(2) {
  fill(on, *memory, placement, way_of(by).use,
       [&](device::Buffer& to) { write_cycle(to, places, layout, seed, offset_shift); });
  begin();
}

CycleChase::CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed,
                       const BackgroundLoad& load, device::Use use)
    : device(on),
      path(Path::vector),
      layout(where),
      offset_shift(shift_for(on.info(), Path::vector, std::uint64_t{count} * where.slot_bytes())),
      kernel(on.make_kernel(kernels::chase_loaded, load.shape.group_size,
                            with_offset_shift(load.shape.constants(), offset_shift))),
      memory(on.make_buffer(std::uint64_t{count} * where.slot_bytes(), use)),
      places(random_cycle(count, seed)) {
  write_cycle(*memory, places, layout, seed, offset_shift);
  begin();
  // Behind the walk's own: what was filled last is what caches hold at first.
  beside.emplace(on, load, use, ~seed);
  end.resize(beside->cursor_words());
  cursor = on.make_buffer(end.size() * sizeof(std::uint32_t), use);
  cursor->write(0, std::as_bytes(std::span(end)));
}

void CycleChase::begin() {
  cycle_to_places(places);
  end.resize(2);
  end[0] = offset_of(0);
  if (cursor) cursor->write(0, std::as_bytes(std::span(end)));
}

device::Nanoseconds CycleChase::run(std::uint64_t hops) {
  trips = static_cast<std::uint32_t>(hops / hops_per_trip);
  place = static_cast<std::uint32_t>((place + hops) % places.size());
  ++launches;
  device::Launch launch{.buffers = {memory.get(), cursor.get()}, .scalars = scalars(), .groups = 1};
  if (beside) {
    launch.buffers.push_back(beside->memory());
    launch.groups += beside->groups();
  }
  lasted = device.run(*kernel, launch);
  cursor->read(0, std::as_writable_bytes(std::span(end)));
  return lasted;
}

void CycleChase::check_that_they_met() const {
  // Below, a load may come too late for the walk; a first launch spends its time on other things.
  constexpr device::Nanoseconds long_enough{200e3};
  if (launches == 1 || lasted < long_enough || beside->bytes() > 0) return;
  throw device::Unsupported("the driver ran nothing beside the walk, so memory was not loaded or kept awake");
}

std::vector<std::uint32_t> CycleChase::scalars() {
  if (beside) return beside->scalars(trips, launches);
  if (path == Path::scalar || path == Path::constant) return {trips, end[0]};
  if (path == Path::local) return {trips, static_cast<std::uint32_t>(memory->size_bytes() / sizeof(std::uint32_t))};
  if (path == Path::atomic) return {trips, 0};
  return {trips};
}

std::optional<std::string> CycleChase::flaw() {
  const std::uint32_t slot = layout.slot_of(end[0] >> (2 - offset_shift));
  if (slot >= places.size() || offset_of(slot) != end[0]) {
    return "the device's walk left its lines; please report the driver";
  }
  if (auto flaw = flaw_of_chain({places[slot], end[1]}, {place, trips})) return flaw;
  if (!beside) return std::nullopt;
  return beside->look(end);
}

measure::Workload cycle_chase(device::Device& device, std::uint32_t count, const LineLayout& layout, std::uint64_t seed,
                              Path path, const Placement& placement) {
  if (path == Path::local) check_local_memory(device.info());
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, path, placement);
  measure::Workload workload = walk_workload(chase, count);
  workload.instruction = most_frequent_load(chase->kernel->listing());
  // The loop that copies the chain counts as well.
  if (path == Path::local) workload.most -= local_walk_bytes / sizeof(std::uint32_t) * hops_per_trip;
  if (path != Path::local) workload.bytes_per_step = layout.line_bytes();
  return workload;
}

measure::Workload cycle_chase_awake(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                    std::uint64_t seed) {
  const BackgroundLoad load = light_background_load(device.info(), std::uint64_t{count} * layout.slot_bytes(),
                                                    single_item_group(device.info()));
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, load, device::Use::storage);
  measure::Workload workload = walk_workload(chase, count);
  workload.flaw = [chase] {
    const auto flaw = chase->flaw();
    if (!flaw) chase->check_that_they_met();
    return flaw;
  };
  return workload;
}

}  // namespace sonde::workloads
