#include "workloads/arithmetic/roofline.hpp"

#include <bit>
#include <cmath>
#include <random>

#include "kernels.hpp"
#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/walk/single_item.hpp"

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

  [[nodiscard]] std::vector<device::Constant> constants() const {
    // Loads stand between rounds where the items of a CPU's work-group are the lanes of its vectors. One round alone
    // has no between, and where rounds are a loop, which may not hold a load, what is kept for the next trip only costs
    // registers.
    const bool loads_between = !round.paired && walk.shape.in_flight == 2 && dial.unroll > 1 && dial.loops == 1;
    return walk.shape.constants({{"UNROLL", dial.unroll},
                                 {"PAIRED", round.paired ? 1u : 0u},
                                 {"LOOPED", dial.loops > 1 ? 1u : 0u},
                                 {"AT_ONCE", at_once},
                                 {"BETWEEN", loads_between ? 1u : 0u}});
  }

  device::Nanoseconds run(std::uint64_t trips) {
    last_trips = static_cast<std::uint32_t>(trips);
    const std::uint32_t of_turn = dial.takes_turns() ? trips_of_a_dial : last_trips;
    const std::uint32_t computing = dial.takes_turns() ? dial.of_eight : dial.unroll > 0 ? of_turn : 0;
    const std::vector<std::uint32_t> scalars =
        walk.scalars(last_trips, turn,
                     {dial.loops, computing, of_turn - computing, static_cast<std::uint32_t>(round.operands.x),
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

/// Numbers between 1/2 and 1 with any mantissa, whose last bits say which one it is.
device::DifferentNumbers numbers_of(std::uint64_t seed) {
  std::mt19937_64 random(seed + 0x700F);
  device::DifferentNumbers numbers;
  constexpr std::uint32_t half = std::bit_cast<std::uint32_t>(0.5F);
  constexpr std::uint32_t mantissa = (1u << 23) - 1;
  for (std::uint32_t place = 0; place < device::different_numbers; ++place) {
    const std::uint32_t any = static_cast<std::uint32_t>(random()) & mantissa;
    numbers[place] = half | (any / device::different_numbers * device::different_numbers + place);
  }
  return numbers;
}

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
  if (device.type != device::DeviceType::cpu)
    return {true, chain_of(NumberType::fp32, NumberOperation::fma, true).operands};
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

RooflineProof::RooflineProof(const StreamWalk& walk, const device::RooflineRound& round, std::uint32_t rounds,
                             std::uint32_t extra, std::uint64_t seed)
    : walk_(walk), round_(round), rounds_(rounds), extra_(extra), noise_(seed), numbers_(numbers_of(seed)) {}

void RooflineProof::write(device::Buffer& buffer) const {
  constexpr std::uint64_t piece_words = 1 << 18;
  std::vector<std::uint32_t> piece;
  const std::uint64_t words = buffer.size_bytes() / sizeof(std::uint32_t);
  for (std::uint64_t first = 0; first < words; first += piece_words) {
    piece.resize(std::min(piece_words, words - first));
    for (std::uint64_t i = 0; i < piece.size(); ++i) piece[i] = word(first + i);
    buffer.write(first * sizeof(std::uint32_t), std::as_bytes(std::span(piece)));
  }
}

void RooflineProof::add_up() {
  const device::RooflinePairs usual(numbers_, round_, rounds_, rounding_);
  const device::RooflinePairs with_extra(numbers_, round_, rounds_ + 1, rounding_);
  const std::uint32_t row_words = walk_.shape.row_words();
  const std::uint64_t blocks = walk_.array_bytes() / (walk_.shape.block_words() * sizeof(std::uint32_t));
  for (auto& sums : blocks_) sums.assign(blocks, 0);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint32_t row = 0; row < walk_.shape.in_flight; row += 2) {
      const std::uint64_t first = walk_.row_at(block, row);
      const std::uint64_t second = walk_.row_at(block, row + 1);
      for (std::uint32_t i = 0; i < row_words; ++i) {
        const std::uint32_t x = word(first + i);
        const std::uint32_t y = word(second + i);
        blocks_[0][block] += usual.contribution(x, y);
        if (extra_ > 0) blocks_[1][block] += with_extra.contribution(x, y);
      }
    }
  }
}

std::optional<std::string> RooflineProof::mismatch(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                                   std::uint32_t trips) const {
  // After so many trips a group is at the same place with the same number of rounds.
  const std::uint32_t period = std::lcm(walk_.blocks, trips_of_a_dial);
  for (std::uint32_t group = 0; group < walk_.shape.groups; ++group) {
    std::uint32_t rest = 0;
    std::uint32_t all = 0;
    for (std::uint32_t trip = 0; trip < std::min(trips, period); ++trip) {
      const std::uint64_t block = walk_.block_at(group, walk_.position(group, turn + trip));
      all += blocks_[trip % trips_of_a_dial < extra_ ? 1 : 0][block];
      if (trip < trips % period) rest = all;
    }
    const std::uint32_t expected = trips / period * all + rest;
    if (sums_of_groups[group] != expected) {
      return "work-group " + std::to_string(group) + " of " + std::to_string(walk_.shape.groups) +
             " did not add up what the host finds by the same steps; please report the driver";
    }
  }
  return std::nullopt;
}

std::optional<std::string> RooflineProof::failure(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                                  std::uint32_t trips) {
  if (blocks_[0].empty()) add_up();
  auto wrong = mismatch(sums_of_groups, turn, trips);
  if (!wrong) return wrong;
  // A product may be rounded before it is added: then it is so on every trip.
  rounding_.fused = !rounding_.fused;
  add_up();
  if (!mismatch(sums_of_groups, turn, trips)) return std::nullopt;
  rounding_.fused = !rounding_.fused;
  add_up();
  return wrong;
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
  return {.work = stepped(work, {.quantum = quantum,
                                 .most = std::max(quantum, most / quantum * quantum),
                                 .lap = (walk.blocks + quantum - 1) / quantum * quantum,
                                 .interrupted = [work] { return work->cores.some_were_away(); },
                                 .value = rate(per_trip)}),
          .bytes_per_step = static_cast<double>(walk.trip_bytes()),
          .shape = shape_of_record};
}

}  // namespace sonde::workloads
