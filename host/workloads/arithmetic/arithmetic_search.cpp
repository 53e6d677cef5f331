#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/shape_search.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {
namespace {

/// Instructions of a loop's body: enough to hide the loop, few enough for the smallest instruction caches. A CPU's
/// driver that runs items as lanes counts the trips and keeps masks for them, which takes longer to hide.
constexpr std::uint32_t body_instructions = 128;
constexpr std::uint32_t body_instructions_of_lanes = 256;

/// How many numbers of a type one instruction works on at least, where a device packs them.
std::uint32_t packed(NumberType type) { return std::max(1u, 32 / device::facts_of(type).bits); }

bool runs_items_as_lanes(const device::DeviceInfo& info) {
  return info.type == device::DeviceType::cpu && info.widest_load_bytes <= 16;
}

ArithmeticShape unrolled(ArithmeticShape shape, const device::DeviceInfo& info, std::uint32_t numbers_per_instruction) {
  const std::uint32_t most = runs_items_as_lanes(info) ? body_instructions_of_lanes : body_instructions;
  const std::uint32_t vectors = std::max(1u, shape.width / numbers_per_instruction);
  shape.unroll = 1;
  while (shape.unroll < 16 && 4 * shape.unroll * vectors * shape.accumulators <= most) shape.unroll *= 2;
  return shape;
}

/// A search begins with these shapes. A GPU has many items, and hides latency by them or by accumulators; vectors let
/// it pack narrow numbers, and issue two at once. A CPU's driver has one item a core that works on the widest vectors,
/// of which as many accumulators as its registers hold hide the latency; or it runs items of a group as its vectors'
/// lanes.
std::vector<ArithmeticShape> usual_shapes(const device::DeviceInfo& info, NumberType type) {
  const std::uint32_t units = compute_units_of(info);
  std::vector<ArithmeticShape> shapes;
  if (info.type != device::DeviceType::cpu) {
    const std::uint32_t pack = std::min(4u, packed(type));
    const std::uint32_t group = std::min(256u, info.largest_group_size);
    for (const auto& [width, accumulators] :
         {std::pair{pack, 4u}, std::pair{pack, 1u}, std::pair{std::min(4u, 2 * pack), 4u}, std::pair{pack, 8u}}) {
      shapes.push_back(
          unrolled({.width = width, .accumulators = accumulators, .group_size = group, .groups = 8 * units}, info,
                   packed(type)));
    }
    return shapes;
  }
  const bool alone = can_be_alone(type);
  constexpr std::uint32_t widest_register_bits = 512;
  const std::uint32_t lanes = std::min(16u, widest_register_bits / device::facts_of(type).bits);
  const bool by_lanes = runs_items_as_lanes(info);
  const std::uint32_t width = by_lanes ? 1 : lanes;
  const std::uint32_t group = by_lanes ? std::min(16u, info.largest_group_size) : 1;
  // Twelve registers suit a CPU of 32, and one of sixteen where a number takes one of them; six where it takes two.
  for (const std::uint32_t accumulators : {12u, by_lanes ? 8u : 6u}) {
    shapes.push_back(unrolled({.width = width,
                               .accumulators = alone ? accumulators : accumulators / 2,
                               .paired = !alone,
                               .group_size = group,
                               .groups = units},
                              info, width));
  }
  return shapes;
}

/// The shapes that differ in one number.
std::vector<ArithmeticShape> nearby(const ArithmeticShape& shape, const device::DeviceInfo& info, NumberType type) {
  std::vector<ArithmeticShape> all;
  const std::uint32_t pack = std::min(packed(type), shape.width);
  const auto with = [&](auto change) {
    ArithmeticShape one = shape;
    change(one);
    all.push_back(one.width * one.accumulators == shape.width * shape.accumulators ? one : unrolled(one, info, pack));
  };
  const std::uint32_t widest = info.widest_load_bytes > 16 ? 16 : 4;
  for (const std::uint32_t accumulators : {1u, 2u, 3u, 4u, 6u, 8u, 10u, 12u, 16u}) {
    const bool near = 2 * accumulators >= shape.accumulators && accumulators <= 2 * shape.accumulators;
    if (near && accumulators != shape.accumulators)
      with([=](ArithmeticShape& one) { one.accumulators = accumulators; });
  }
  if (can_be_alone(type)) with([](ArithmeticShape& one) { one.paired = !one.paired; });
  if (2 * shape.width <= widest) with([](ArithmeticShape& one) { one.width *= 2; });
  if (shape.width > 1) with([](ArithmeticShape& one) { one.width /= 2; });
  if (shape.group_size * 2 <= info.largest_group_size) with([](ArithmeticShape& one) { one.group_size *= 2; });
  if (shape.group_size >= 2) with([](ArithmeticShape& one) { one.group_size /= 2; });
  with([](ArithmeticShape& one) { one.groups *= 2; });
  if (shape.groups / 2 >= compute_units_of(info)) with([](ArithmeticShape& one) { one.groups /= 2; });
  if (shape.unroll < 32) with([](ArithmeticShape& one) { one.unroll *= 2; });
  if (shape.unroll > 1) with([](ArithmeticShape& one) { one.unroll /= 2; });
  return all;
}

}  // namespace

ArithmeticShape search_arithmetic_shape(device::Device& device, NumberType type, NumberOperation operation,
                                        const ArithmeticSearch& search) {
  const std::unique_ptr<device::Buffer> starts = device.make_buffer(device::start_words_count * sizeof(std::uint32_t));
  const std::vector<std::uint32_t> words = ArithmeticProof(chain_of(type, operation, true), 1).start_words();
  starts->write(0, std::as_bytes(std::span(words)));
  const auto prepare = [&](const ArithmeticShape& shape, device::Kernel& kernel) {
    const std::shared_ptr<device::Buffer> results =
        device.make_buffer(2 * sizeof(std::uint32_t) * std::uint64_t{shape.items()});
    const device::NumberChain chain = chain_of(type, operation, shape.is_paired(operation));
    const auto run = [&device, &starts, &kernel, results, chain, groups = shape.groups](std::uint32_t trips) {
      return device
          .run(kernel,
               {.buffers = {starts.get(), results.get()}, .scalars = scalars(chain, trips, 0), .groups = groups})
          .count();
    };
    return ShapeTrial{.run = run, .work_per_trip = shape.numbers_per_trip(), .most_trips = device.info().most_trips};
  };
  ShapeSearch<ArithmeticShape> shapes({
      .make_kernel = [&](const ArithmeticShape& shape) { return arithmetic_kernel(device, type, operation, shape); },
      .prepare = prepare,
      .neighbours = [&](const ArithmeticShape& shape) { return nearby(shape, device.info(), type); },
      .alive = search.alive,
      // A CPU, that others may use, is timed for a slice of its time at least.
      .dispatch_ns = 1.5e6,
      .clearly_faster = 1.02,
      .set_back = 0.4,
      // A worker that compiles for longer and says nothing is taken for hung.
      .most_shapes = 32,
  });
  shapes.begin(usual_shapes(device.info(), type));
  shapes.climb(search.rounds);
  shapes.time_fastest_again(shapes.finalists);
  shapes.choose_best_or_fastest();
  return shapes.best();
}

}  // namespace sonde::workloads
