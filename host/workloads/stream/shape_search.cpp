#include "workloads/shape_search.hpp"

#include "workloads/stream/stream.hpp"

namespace sonde::workloads {
namespace {

constexpr int most_rounds = 3;

/// A search begins with many items side by side in many groups, as GPUs want it, and with one item a processor that
/// walks a part of its own with the widest loads, as CPUs do; memory wants several streams of those at once. A CPU's
/// driver may also run as many items in step as its vectors have lanes, and a group's others behind them.
std::vector<StreamShape> usual_stream_shapes(const device::DeviceInfo& info, std::uint32_t widest_words,
                                             Sharing sharing) {
  constexpr std::uint32_t lanes = 8;
  const std::uint32_t units = compute_units_of(info);
  const StreamShape one{.group_size = 1, .groups = units, .vector_words = widest_words, .in_flight = 8};
  std::vector<StreamShape> all{{.group_size = std::min(256u, info.largest_group_size),
                                .groups = 4 * units,
                                .vector_words = 4,
                                .in_flight = 4,
                                .scattered = is_scattered(info, sharing)},
                               one};
  if (info.type != device::DeviceType::cpu) return all;
  all.push_back(one);
  all.back().spread = true;
  if (info.largest_group_size < lanes) return all;
  all.push_back({.group_size = lanes, .groups = units, .vector_words = 4, .in_flight = 8});
  all.push_back(all.back());
  all.back().spread = true;
  return all;
}

/// The shapes that differ in one number.
std::vector<StreamShape> neighbours(const StreamShape& shape, const device::DeviceInfo& info, Sharing sharing) {
  std::vector<StreamShape> all;
  const auto with = [&](auto change) {
    all.push_back(shape);
    change(all.back());
  };
  for (const std::uint32_t in_flight : {1u, 2u, 4u, 8u, 16u}) {
    if (in_flight == 2 * shape.in_flight || 2 * in_flight == shape.in_flight) {
      with([=](StreamShape& one) { one.in_flight = in_flight; });
    }
  }
  if (shape.vector_words * 8 <= info.widest_load_bytes) with([](StreamShape& one) { one.vector_words *= 2; });
  if (shape.vector_words > 4) with([](StreamShape& one) { one.vector_words /= 2; });
  if (shape.group_size * 4 <= info.largest_group_size) with([](StreamShape& one) { one.group_size *= 4; });
  if (shape.group_size >= 4) with([](StreamShape& one) { one.group_size /= 4; });
  with([](StreamShape& one) { one.groups *= 2; });
  // Never fewer than compute units: on a machine that others use, less could look like more.
  if (shape.groups / 2 >= compute_units_of(info)) with([](StreamShape& one) { one.groups /= 2; });
  if (sharing == Sharing::separate && !shape.spread) with([](StreamShape& one) { one.interleaved = !one.interleaved; });
  if (shape.in_flight > 1 && !shape.interleaved) with([](StreamShape& one) { one.spread = !one.spread; });
  return all;
}

}  // namespace

StreamShape search_shape(device::Device& device, Pattern pattern, Sharing sharing, std::uint64_t bytes,
                         SearchDepth depth, measure::Path path) {
  const device::DeviceInfo& info = device.info();
  const PatternFacts& facts = facts_of(pattern, path);
  const std::uint64_t array_bytes = bytes / facts.arrays;
  const std::vector<StreamShape> usual = usual_stream_shapes(info, facts.widest_vector_words(info), sharing);
  if (depth == SearchDepth::none) return fitted(usual.front(), sharing, array_bytes);
  // A simulated device's rates are what its file says, in whatever shape.
  const bool simulated = info.type == device::DeviceType::model;
  const bool only_usual = simulated || depth == SearchDepth::usual;
  check_path(facts, info);
  // Whole texels, of which a shape may leave out a few.
  const std::uint64_t buffer_bytes = (array_bytes + 15) / 16 * 16;
  const device::Use use = use_for(info, buffer_bytes);
  std::vector<std::unique_ptr<device::Buffer>> arrays;
  for (std::uint32_t array = 0; array < facts.arrays; ++array) {
    arrays.push_back(device.make_buffer(buffer_bytes, facts.use_of_arrays(use)));
    (void)write_noise(*arrays.back(), Noise(array), 2);
  }
  const auto prepare = [&](const StreamShape& shape, device::Kernel& kernel) {
    const StreamWalk walk(shape, sharing, array_bytes);
    check_part(facts, walk);
    const std::shared_ptr<device::Buffer> sums =
        device.make_buffer(std::uint64_t{shape.group_size} * shape.groups * sizeof(std::uint32_t), use);
    const auto run = [&, walk, sums, turn = std::uint64_t{0}](std::uint32_t trips) mutable {
      std::vector<std::uint32_t> scalars = walk.scalars(trips, turn);
      if (facts.writes) scalars.push_back(0);
      if (facts.pattern == Pattern::triad) scalars.push_back(1);
      std::vector<device::Buffer*> buffers;
      for (const auto& array : arrays) buffers.push_back(array.get());
      if (!facts.writes) buffers.push_back(sums.get());
      turn += trips;
      return device.run(kernel, {.buffers = buffers, .scalars = scalars, .groups = walk.shape.groups}).count();
    };
    return ShapeTrial{.run = run,
                      .work_per_trip = static_cast<double>(walk.trip_bytes()) * facts.arrays,
                      .most_trips = facts.most_trips(info),
                      .lap_trips = walk.blocks};
  };
  ShapeSearch<StreamShape> search({
      .make_kernel =
          [&](const StreamShape& shape) {
            return device.make_kernel(facts.kernel, shape.group_size, shape.constants());
          },
      .prepare = prepare,
      .neighbours = [&](const StreamShape& shape) { return neighbours(shape, info, sharing); },
      .fitted = [&](const StreamShape& shape) { return fitted(shape, sharing, array_bytes); },
  });
  search.begin(usual);
  const auto choose_again = [&](std::size_t count) {
    search.time_fastest_again(count);
    search.choose_again();
  };
  if (!simulated) choose_again(usual.size());
  if (!only_usual) {
    search.climb(depth == SearchDepth::full ? most_rounds : 1);
    choose_again(search.finalists);
  }
  return fitted(search.best(), sharing, array_bytes);
}

}  // namespace sonde::workloads
