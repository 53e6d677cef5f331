#include "workloads/walk/chases.hpp"

#include "kernels.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

using measure::Path;

CycleKernel kernel_of(Path path) {
  using enum CycleKernel::Second;
  switch (path) {
    case Path::scalar: return {.source = kernels::chase_scalar, .by_offset = true, .second = start};
    case Path::constant: return {.source = kernels::chase_constant, .use = device::Use::constant, .second = start};
    case Path::image: return {.source = kernels::chase_image, .use = device::Use::texels};
    case Path::local: return {.source = kernels::chase_local, .second = memory_words};
    case Path::vector:
    case Path::buffer: break;
  }
  return {.source = kernels::chase, .by_offset = true};
}

/// Doublings of a byte in which a chain counts: bytes as far as 32 bits reach, then words. A CPU that is reached
/// through Vulkan computes addresses one vector lane after the other, which takes lavapipe 1.5 ns longer with bytes.
std::uint32_t shift_for(const device::DeviceInfo& device, bool by_offset, std::uint64_t bytes) {
  const bool by_lanes = device.type == device::DeviceType::cpu && device.api == device::Api::vulkan;
  return by_offset && !by_lanes && bytes <= std::uint64_t{1} << 32 ? 0 : 2;
}

/// A load so light (a few GB/s) that it only keeps memory and the way to it awake. It reads as much memory as the walk:
/// a cache then holds at least half of what it would hold of the walk alone, and a stream beside a walk that misses a
/// cache misses it as well.
BackgroundLoad light_load(const device::DeviceInfo& device, std::uint64_t walk_bytes) {
  constexpr std::uint64_t least_bytes = 64 << 10;
  constexpr std::uint64_t most_bytes = 512 << 20;  // beyond every cache known: more would only take the walk's memory
  constexpr std::uint32_t delay = 16;              // about a microsecond between two rounds
  // Each group has a compute unit of its own, where there are so many; a single unit runs several groups side by side.
  const std::uint32_t groups = std::clamp(device.compute_units, 2u, 5u) - 1;
  const std::uint64_t bytes = std::clamp(walk_bytes, least_bytes, most_bytes);
  const StreamShape shape{.group_size = single_item_group(device), .groups = groups};
  return {.shape = fitted(shape, Sharing::separate, bytes), .bytes = bytes, .delay = delay};
}

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
  std::optional<ChaseByMany> many;  ///< once laps are walked so, along the chain of the lines' second words

  IndependentChase(device::Device& on, std::uint32_t lines, std::uint32_t line_bytes, std::uint64_t with_seed,
                   const MemoryPlace& memory_place)
      : device(on),
        count(lines),
        line_words(line_bytes / 4),
        seed(with_seed),
        kernel(on.make_kernel(kernels::independent_chase, single_item_group(on.info()))),
        memory(buffer_in(on, memory_place.memory, std::uint64_t{lines} * line_bytes)),
        cursor(on.make_buffer(3 * sizeof(std::uint32_t))) {
    fill(on, *memory, memory_place, device::Use::storage,
         [&](device::Buffer& to) { write_words(to, lines, line_bytes, seed); });
    const std::array<std::uint32_t, 3> start{};
    cursor->write(0, std::as_bytes(std::span(start)));
  }

  device::Nanoseconds run(std::uint64_t hops) {
    trips = static_cast<std::uint32_t>(hops / hops_per_trip);
    for (std::uint64_t hop = 0; hop < hops; ++hop) {
      word = word_of_line(line_after(word, ++counter, count), seed);
    }
    return device.run(*kernel,
                      {.buffers = {memory.get(), cursor.get()}, .scalars = {trips, count, line_words}, .groups = 1});
  }

  void make_many() {
    std::vector<std::uint32_t> starts((count - 1) / hops_of_a_stretch + 2);
    for (std::uint32_t stretch = 0; stretch < starts.size(); ++stretch) {
      starts[stretch] = second_word_of_line(stretch * hops_of_a_stretch % count, line_words);
    }
    many.emplace(device, *memory, device::Use::storage, 2, count, std::move(starts));
  }

  /// The lines come in another order than in the walk: whichever of them a cache holds, its next load hits as often.
  device::Nanoseconds run_by_many(std::uint64_t hops) { return many->run(many->place(), hops); }

  std::optional<std::string> proof_failure() const {
    std::array<std::uint32_t, 3> end{};
    cursor->read(0, std::as_writable_bytes(std::span(end)));
    return chain_proof_failure({end[0], end[2]}, {word, trips});
  }
};

}  // namespace

CycleChase::CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed,
                       const CycleKernel& kernel_by, const MemoryPlace& memory_place, const BackgroundLoad* load)
    : device(on),
      by(kernel_by),
      layout(where),
      offset_shift(shift_for(on.info(), by.by_offset, std::uint64_t{count} * where.slot_bytes())),
      end(2) {
  // A kernel that walks by index does not look at the constant.
  const device::Constant shift{"OFFSET_SHIFT", offset_shift};
  kernel = load != nullptr ? on.make_kernel(by.source, load->shape.group_size, load->shape.constants({shift}))
                           : on.make_kernel(by.source, single_item_group(on.info()), std::span(&shift, 1));
  memory = buffer_in(on, memory_place.memory, std::uint64_t{count} * where.slot_bytes(), by.use);
  if (load == nullptr) cursor = on.make_buffer(end.size() * sizeof(std::uint32_t));
  // The memory comes first: of a size that the device refuses the host would draw a cycle for many seconds.
  places = random_cycle(count, seed);
  fill(on, *memory, memory_place, by.use,
       [&](device::Buffer& to) { write_cycle(to, places, layout, seed, offset_shift); });
  cycle_to_places(places);
  end[0] = offset_of(0);
  if (load != nullptr) {
    // The stream's memory is made after the walk's own: what was filled last is what caches hold at first.
    beside.emplace(on, *load, by.use, ~seed);
    end.resize(beside->cursor_words());
    cursor = on.make_buffer(end.size() * sizeof(std::uint32_t), by.use);
  }
  cursor->write(0, std::as_bytes(std::span(end)));
}

CycleChase::CycleChase(device::Device& on, std::uint32_t count, const LineLayout& where, std::uint64_t seed,
                       const BackgroundLoad& load, device::Use use)
    : CycleChase(on, count, where, seed, {.source = kernels::chase_loaded, .use = use, .by_offset = true}, {}, &load) {}

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

void CycleChase::make_many() {
  const auto count = static_cast<std::uint32_t>(places.size());
  std::vector<std::uint32_t> starts((count - 1) / hops_of_a_stretch + 2);
  const std::uint32_t end_of_last = (static_cast<std::uint32_t>(starts.size()) - 1) * hops_of_a_stretch % count;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    if (places[slot] % hops_of_a_stretch == 0) starts[places[slot] / hops_of_a_stretch] = offset_of(slot);
    if (places[slot] == end_of_last) starts.back() = offset_of(slot);
  }
  many.emplace(device, *memory, by.use, offset_shift, count, std::move(starts));
}

device::Nanoseconds CycleChase::run_by_many(std::uint64_t hops) {
  const device::Nanoseconds time = many->run(place, hops);
  place = many->place();
  end[0] = many->word();
  cursor->write(0, std::as_bytes(std::span(end)));
  return time;
}

std::vector<std::uint32_t> CycleChase::scalars() {
  if (beside) return beside->scalars(trips, launches);
  switch (by.second) {
    case CycleKernel::Second::none: break;
    case CycleKernel::Second::start: return {trips, end[0]};
    case CycleKernel::Second::memory_words:
      return {trips, static_cast<std::uint32_t>(memory->size_bytes() / sizeof(std::uint32_t))};
    case CycleKernel::Second::zero: return {trips, 0};
  }
  return {trips};
}

std::optional<std::string> CycleChase::proof_failure() {
  const std::uint32_t slot = layout.slot_of(end[0] >> (2 - offset_shift));
  if (slot >= places.size() || offset_of(slot) != end[0]) {
    return "the device's walk left its lines; please report the driver";
  }
  if (auto failure = chain_proof_failure({places[slot], end[1]}, {place, trips})) return failure;
  if (!beside) return std::nullopt;
  return beside->proof_failure(end);
}

measure::Workload cycle_chase(device::Device& device, std::uint32_t count, const LineLayout& layout, std::uint64_t seed,
                              Path path, const MemoryPlace& memory_place) {
  const bool local = path == Path::local;
  if (local) check_local_memory(device.info(), local_walk_bytes, "walk");
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, kernel_of(path), memory_place);
  measure::SteppedWork work = walk_work(chase, count);
  // The loop that copies the chain counts as well.
  if (local) work.most -= local_walk_bytes / sizeof(std::uint32_t) * hops_per_trip;
  if (chase->by.by_offset) let_many_make_laps(work, chase);
  return {.work = std::move(work),
          .instruction = most_frequent_load(chase->kernel->listing()),
          .one_core = true,
          .bytes_per_step = local ? 0.0 : layout.line_bytes()};
}

measure::Workload atomic_chase(device::Device& device, std::uint32_t count, const LineLayout& layout,
                               std::uint64_t seed) {
  const CycleKernel by{.source = kernels::chase_atomic, .by_offset = true, .second = CycleKernel::Second::zero};
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, by);
  measure::SteppedWork work = walk_work(chase, count);
  let_many_make_laps(work, chase);
  return {.work = std::move(work),
          .instruction = most_frequent_load(chase->kernel->listing()),
          .one_core = true,
          .bytes_per_step = static_cast<double>(layout.line_bytes())};
}

measure::Workload cycle_chase_awake(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                    std::uint64_t seed) {
  const BackgroundLoad load = light_load(device.info(), std::uint64_t{count} * layout.slot_bytes());
  const auto chase = std::make_shared<CycleChase>(device, count, layout, seed, load, device::Use::storage);
  measure::SteppedWork work = walk_work(chase, count);
  work.proof_failure = [chase] {
    // In a shorter dispatch a load may come too late for the walk; a first launch spends its time on other things.
    constexpr device::Nanoseconds long_beside_a_load{200e3};
    auto failure = chase->proof_failure();
    if (failure || chase->launches == 1 || chase->lasted < long_beside_a_load || chase->beside->bytes() > 0)
      return failure;
    throw device::Unsupported("the driver ran nothing beside the walk, so memory was not loaded or kept awake");
  };
  return {.work = std::move(work), .one_core = true};
}

measure::Workload independent_chase(device::Device& device, std::uint32_t count, std::uint32_t line_bytes,
                                    std::uint64_t seed, const MemoryPlace& memory_place) {
  const auto chase = std::make_shared<IndependentChase>(device, count, line_bytes, seed, memory_place);
  measure::SteppedWork work = walk_work(chase, count);
  let_many_make_laps(work, chase);
  work.refill = draws_of_a_line * count;
  work.refills_in_part = true;
  return {.work = std::move(work), .one_core = true, .bytes_per_step = static_cast<double>(line_bytes)};
}

}  // namespace sonde::workloads
