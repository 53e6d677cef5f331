#include "workloads/arithmetic/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "kernels.hpp"
#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/arithmetic/busy_cores.hpp"

namespace sonde::workloads {
namespace {

constexpr std::uint32_t most_unrolled = 32;
/// A pair of words makes two multiply-adds, of two operations each, in a round.
constexpr double rounds_per_operation_a_byte = 2;

struct Roofline {
  device::Device& device;
  StreamWalk walk;
  std::uint32_t at_once;
  OperationsDial dial;
  device::RooflineRound round;
  RooflineProof proof;
  BusyCores cores;
  device::Use use;
  std::unique_ptr<device::Buffer> array;
  std::unique_ptr<device::Buffer> sums;  ///< one word for each item
  std::unique_ptr<device::Kernel> kernel;
  std::uint64_t turn = 0;  ///< trips made so far
  std::uint32_t last_trips = 0;

  Roofline(device::Device& on, const StreamWalk& over, std::uint32_t rows, const OperationsDial& by, std::uint64_t seed)
      : device(on),
        walk(over),
        at_once(rows),
        dial(by),
        round(round_of(on.info(), by)),
        proof(over, round, by.takes_turns() ? 0 : by.loops * by.unroll, by.takes_turns() ? by.of_eight : 0, seed),
        cores(on.info(), over.shape.groups),
        use(use_for(on.info(), over.array_bytes())),
        array(on.make_buffer(over.array_bytes(), use)),
        sums(on.make_buffer(std::uint64_t{over.shape.group_size} * over.shape.groups * sizeof(std::uint32_t), use)),
        kernel(on.make_kernel(kernels::roofline, over.shape.group_size, constants())) {
    proof.write(*array);
  }

  /// Whether loads stand between rounds: where the items of a CPU's work-group are the lanes of its vectors. One round
  /// alone has no between, and where rounds are a loop, which may not hold a load, what is kept for the next trip only
  /// costs registers.
  [[nodiscard]] bool loads_between() const {
    return !round.paired && walk.shape.in_flight == 2 && dial.unroll > 1 && dial.loops == 1;
  }

  [[nodiscard]] std::vector<device::Constant> constants() const {
    const auto of_shape = walk.shape.constants();
    std::vector<device::Constant> all(of_shape.begin(), of_shape.end());
    all.push_back({"UNROLL", dial.unroll});
    all.push_back({"PAIRED", round.paired ? 1u : 0u});
    all.push_back({"LOOPED", dial.loops > 1 ? 1u : 0u});
    all.push_back({"AT_ONCE", at_once});
    all.push_back({"BETWEEN", loads_between() ? 1u : 0u});
    return all;
  }

  device::Nanoseconds run(std::uint64_t trips) {
    last_trips = static_cast<std::uint32_t>(trips);
    std::vector<std::uint32_t> scalars = walk.scalars(last_trips, turn);
    const std::uint32_t of_turn = dial.takes_turns() ? trips_of_a_dial : last_trips;
    const std::uint32_t computing = dial.takes_turns() ? dial.of_eight : dial.unroll > 0 ? of_turn : 0;
    const std::uint32_t plain = of_turn - computing;
    scalars.insert(scalars.end(), {dial.loops, computing, plain, static_cast<std::uint32_t>(round.operands.x),
                                   static_cast<std::uint32_t>(round.operands.y)});
    turn += trips;
    return cores.during([&] {
      return device.run(*kernel,
                        {.buffers = {array.get(), sums.get()}, .scalars = scalars, .groups = walk.shape.groups});
    });
  }

  std::optional<std::string> proof_failure() {
    std::vector<std::uint32_t> items(sums->size_bytes() / sizeof(std::uint32_t));
    sums->read(0, std::as_writable_bytes(std::span(items)));
    std::vector<std::uint32_t> groups(walk.shape.groups);
    for (std::size_t item = 0; item < items.size(); ++item) groups[item / walk.shape.group_size] += items[item];
    return proof.failure(groups, turn - last_trips, last_trips);
  }
};

std::uint64_t rounded_up(std::uint64_t number, std::uint64_t to) { return (number + to - 1) / to * to; }

}  // namespace

double OperationsDial::operations_per_byte() const {
  return loops * unroll * of_eight / (rounds_per_operation_a_byte * trips_of_a_dial);
}

OperationsDial dial_of(double operations_per_byte) {
  const double wanted = operations_per_byte * rounds_per_operation_a_byte;
  const auto eighths = static_cast<std::uint32_t>(std::lround(wanted * trips_of_a_dial));
  if (eighths == 0) return {};
  if (eighths < trips_of_a_dial) return {.loops = 1, .unroll = 1, .of_eight = eighths};
  const auto rounds = static_cast<std::uint32_t>(std::lround(wanted));
  std::uint32_t unroll = 1;
  while (unroll < most_unrolled && rounds % (2 * unroll) == 0) unroll *= 2;
  return {.loops = rounds / unroll, .unroll = unroll};
}

device::RooflineRound round_of(const device::DeviceInfo& device, const OperationsDial& dial) {
  if (device.type != device::DeviceType::cpu) return {true, chain_of(NumberType::fp32, Operation::fma, true).operands};
  // Numbers approach 1.16, of which they have come a fourth of the way after a hundred rounds; none becomes larger than
  // a hundred.
  return {false,
          {device::bits_of(NumberType::fp32, 0.9973), device::bits_of(NumberType::fp32, 0.0031415)},
          std::max(1u, dial.unroll)};
}

measure::Shape named(const RooflineShape& shape) {
  measure::Shape all = named(shape.walk);
  all["at_once"] = shape.at_once;
  return all;
}

RooflineShape roofline_shape_of(const measure::Shape& named) {
  return {shape_of(named), static_cast<std::uint32_t>(named.at("at_once"))};
}

RooflineShape roofline_shape(const device::DeviceInfo& device, Sharing sharing, std::uint64_t bytes,
                             std::uint32_t register_words) {
  const std::uint32_t units = compute_units_of(device);
  StreamShape shape{.group_size = std::min(256u, device.largest_group_size),
                    .groups = 4 * units,
                    .vector_words = 4,
                    .in_flight = 4,
                    .scattered = is_scattered(device, sharing)};
  std::uint32_t at_once = 4;
  if (device.type == device::DeviceType::cpu) {
    const std::uint32_t widest = device.widest_load_bytes / sizeof(std::uint32_t);
    // One item a core computes with the widest vectors, eight of which hide a step where there are registers for as
    // many; or as many items as a vector has lanes compute with four numbers each.
    at_once = widest <= 4 ? 2 : register_words >= 8 * widest ? 8 : 4;
    // Memory, which alone is read in parts, wants several streams at once, as searches for the fastest read find.
    const bool of_memory = sharing == Sharing::separate;
    shape = widest > 4 ? StreamShape{.groups = units,
                                     .vector_words = widest,
                                     .in_flight = of_memory ? 8u : 64u,
                                     .spread = of_memory}
                       : StreamShape{.group_size = std::min(8u, device.largest_group_size),
                                     .groups = units,
                                     .vector_words = 4,
                                     .in_flight = 2};
  }
  StreamShape found = fitted(shape, sharing, bytes);
  if (found.in_flight == 1 && found.group_size > 1) {  // rows are pairs
    found.in_flight = 2;
    found.group_size /= 2;
  }
  return {found, std::min(at_once, found.in_flight)};
}

measure::Workload roofline(device::Device& device, Sharing sharing, const RooflineShape& shape, std::uint64_t bytes,
                           double operations_per_byte, std::uint64_t seed) {
  const StreamWalk walk(shape.walk, sharing, bytes);
  if (shape.walk.in_flight < 2 || walk.array_bytes() > bytes)
    throw device::Unsupported("a working set of " + measure::size_text(static_cast<double>(bytes)) +
                              " is too small to be computed with by all of the device at once");
  const OperationsDial dial = dial_of(operations_per_byte);
  const auto work = std::make_shared<Roofline>(device, walk, shape.at_once, dial, seed);
  const std::uint64_t quantum = dial.takes_turns() ? trips_of_a_dial : 1;
  const double per_trip = static_cast<double>(walk.trip_bytes()) * (dial.unroll > 0 ? dial.operations_per_byte() : 1);
  measure::Shape shape_of_record = named(shape);
  shape_of_record["bound"] = work->use == device::Use::bound ? 1 : 0;
  shape_of_record["unroll"] = dial.unroll;
  shape_of_record["paired"] = work->round.paired ? 1 : 0;
  // Where a driver counts the trips of all loops, an inner one's are counted with the one on which it ends.
  const std::uint64_t most = device.info().most_trips / (dial.loops + 4);
  return {.work = measure::SteppedWork{
              .quantum = quantum,
              .most = std::max(quantum, most / quantum * quantum),
              .lap = rounded_up(walk.blocks, quantum),
              .run = [work](std::uint64_t trips) { return work->run(trips); },
              .proof_failure = [work] { return work->proof_failure(); },
              .interrupted = [work] { return work->cores.some_were_away(); },
              .value = [per_trip](double nanoseconds) { return per_trip / std::max(nanoseconds, 1e-3); }},
          .bytes_per_step = static_cast<double>(walk.trip_bytes()),
          .shape = shape_of_record};
}

}  // namespace sonde::workloads
