#include "device/model/kernels.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sonde::device::model {
namespace {

/// Steps of arithmetic in a trip of alu_chain's loop.
constexpr std::uint64_t steps_per_trip = 64;

/// Every walk goes from `start` through the chain of buffer 0 and writes its end and its trips to buffer 1.
void walk(Invocation& invocation, std::uint32_t start) {
  BufferWords next = invocation.buffer(0);
  BufferWords cursor = invocation.buffer(1);
  const std::uint32_t trips = invocation.scalar(0);
  cursor.store(0, next.follow(start, trips * hops_per_trip, invocation.offset_shift()));
  cursor.store(1, trips);
}

void chase(Invocation& invocation) { walk(invocation, invocation.buffer(1).load(0)); }

void chase_scalar(Invocation& invocation) { walk(invocation, invocation.scalar(1)); }

/// Each hop is an atomic addition of the second scalar, which has to be zero, and follows the word from before it.
void chase_atomic(Invocation& invocation) {
  if (invocation.scalar(1) != 0) throw Error("the simulated atomic walk adds nothing but zero");
  chase(invocation);
}

/// Items of a turn make their hops side by side. As many loads wait for memory at once as there are items, or as one
/// compute unit has lines in flight, and none waits for those of another item: a turn takes what its items would take
/// one after the other, divided by that number.
void chase_by_many(Invocation& invocation) {
  constexpr std::uint32_t hops_of_a_stretch = 32;
  BufferWords next = invocation.buffer(0);
  BufferWords starts = invocation.buffer(1);
  BufferWords sums = invocation.buffer(2);
  const std::uint32_t first = invocation.scalar(0);
  const std::uint32_t count = invocation.scalar(1);
  const std::uint32_t stretches = invocation.scalar(2);
  const std::uint32_t items = invocation.kernel.group_size;
  const std::uint32_t words_shift = 2 - invocation.offset_shift();
  std::vector<std::uint32_t> sum(items);
  std::vector<std::uint32_t> at(items);
  for (std::uint32_t turn = 0; turn < count; turn += items) {
    const std::uint32_t walking = std::min(items, count - turn);
    for (std::uint32_t item = 0; item < walking; ++item) {
      const std::uint32_t stretch = first + turn + item;
      at[item] = starts.load(stretch < stretches ? stretch : stretch - stretches);
    }
    for (std::uint32_t hop = 0; hop < hops_of_a_stretch; ++hop) {
      for (std::uint32_t item = 0; item < walking; ++item) at[item] = next.load(at[item] >> words_shift);
    }
    for (std::uint32_t item = 0; item < walking; ++item) sum[item] += at[item];
  }
  for (std::uint32_t item = 0; item < items; ++item) sums.store(item, sum[item]);
  invocation.loads_at_once = std::min<double>(items, lines_in_flight);
}

void chase_local(Invocation& invocation) {
  BufferWords next = invocation.buffer(0);
  BufferWords cursor = invocation.buffer(1);
  const std::uint32_t trips = invocation.scalar(0);
  std::vector<std::uint32_t> chain(invocation.scalar(1));
  for (std::size_t word = 0; word < chain.size(); ++word) chain[word] = next.load(word);
  std::uint32_t at = cursor.load(0);
  for (std::uint64_t hop = 0; hop < trips * hops_per_trip; ++hop) {
    if (at >= chain.size()) throw Error("the simulated walk left the work-group's memory");
    at = chain[at];
  }
  invocation.local_ns += invocation.description.local_latency_ns * static_cast<double>(trips * hops_per_trip);
  cursor.store(0, at);
  cursor.store(1, trips);
}

struct Affine {
  std::uint32_t factor = 1;
  std::uint32_t addend = 0;
};

Affine then(Affine first, Affine second) {
  return {first.factor * second.factor, first.addend * second.factor + second.addend};
}

void alu_chain(Invocation& invocation) {
  constexpr double cycles_per_step = 4;
  BufferWords state = invocation.buffer(0);
  const std::uint64_t steps = invocation.scalar(0) * steps_per_trip;
  // The function x * factor + addend, applied n times, is again of this form: squaring replaces the loop.
  Affine all;
  Affine power{invocation.scalar(1), invocation.scalar(2)};
  for (std::uint64_t rest = steps; rest != 0; rest /= 2, power = then(power, power)) {
    if (rest % 2 == 1) all = then(all, power);
  }
  state.store(0, state.load(0) * all.factor + all.addend);
  state.store(1, invocation.scalar(0));
  invocation.cycles += cycles_per_step * static_cast<double>(steps);
}

void clock_rate(Invocation& invocation) {
  BufferWords state = invocation.buffer(0);
  state.store(2, invocation.ticks());
  alu_chain(invocation);
  state.store(3, invocation.ticks());
}

void independent_chase(Invocation& invocation) {
  constexpr double cycles_per_hop = 8;  // exclusive or, two multiplications and an addition
  BufferWords lines = invocation.buffer(0);
  BufferWords cursor = invocation.buffer(1);
  const std::uint32_t trips = invocation.scalar(0);
  const std::uint64_t line_count = invocation.scalar(1);
  const std::uint32_t line_words = invocation.scalar(2);
  const std::uint64_t hops = trips * hops_per_trip;
  const std::uint32_t* const first_words = lines.spaced_words(line_words, hops);
  std::uint32_t word = cursor.load(0);
  std::uint32_t counter = cursor.load(1);
  for (std::uint64_t hop = 0; hop < hops; ++hop) {
    ++counter;
    const std::uint32_t mixed = (word ^ counter) * 0x9E3779B1u;
    const auto line = static_cast<std::uint32_t>((mixed * line_count) >> 32);
    word = lines.load_spaced(line, line_words, first_words);
  }
  cursor.store(0, word);
  cursor.store(1, counter);
  cursor.store(2, trips);
  invocation.cycles += cycles_per_hop * static_cast<double>(hops);
}

/// Words side by side move as a stream; words farther apart are few, and each costs what a load costs.
void touch(Invocation& invocation) {
  constexpr std::uint32_t growth = 0x9E3779B9u;
  BufferWords words = invocation.buffer(0);
  BufferWords sums = invocation.buffer(1);
  const std::uint32_t first = invocation.scalar(0);
  const std::uint32_t step = invocation.scalar(1);
  const std::uint32_t count = invocation.scalar(2);
  const std::uint32_t each = invocation.scalar(3);
  const std::uint32_t item_step = invocation.scalar(4);
  const std::uint32_t loop_step = invocation.scalar(5);
  const std::uint32_t value = invocation.scalar(6);
  const bool stores = invocation.scalar(7) != 0;
  const bool side_by_side = step == 1 && count > 0;
  if (side_by_side) words.stream(first, count, stores ? Transfer::write : Transfer::read);
  std::uint32_t* const stretch = side_by_side ? words.changed_contents(first, count) : nullptr;
  std::vector<std::uint32_t> found(std::size_t{invocation.kernel.group_size} * invocation.kernel.groups);
  const auto visit = [&](std::uint32_t item, std::uint32_t i) {
    if (!stores) {
      found[item] += (side_by_side ? stretch[i] : words.load(first + i * step)) * (2 * i + 1);
      return;
    }
    ++found[item];
    if (side_by_side) {
      stretch[i] = value + i * growth;
    } else {
      words.store(first + i * step, value + i * growth);
    }
  };
  const auto items = static_cast<std::uint32_t>(found.size());
  const std::uint64_t beyond = std::uint64_t{items} * item_step + std::uint64_t{each} * loop_step;
  if (side_by_side && beyond <= std::numeric_limits<std::uint32_t>::max()) {
    // No order shows in the caches here, and the host's own memory is quickest where items are side by side.
    for (std::uint32_t turn = 0; turn < each; ++turn) {
      for (std::uint32_t item = 0; item < items; ++item) {
        const std::uint32_t i = item * item_step + turn * loop_step;
        if (i >= count) break;
        visit(item, i);
      }
    }
  } else {
    for (std::uint32_t item = 0; item < items; ++item) {
      for (std::uint32_t turn = 0; turn < each; ++turn) {
        const std::uint32_t i = item * item_step + turn * loop_step;
        if (i >= count) break;
        visit(item, i);
      }
    }
  }
  sums.stream(0, found.size(), Transfer::write);
  std::copy(found.begin(), found.end(), sums.changed_contents(0, found.size()));
}

template <NumberType Type>
void arithmetic_of(Invocation& invocation) {
  arithmetic(invocation, Type);
}

constexpr ReferenceKernel references[] = {
    {.name = "chase", .buffers = 2, .scalars = 1, .run = chase},
    {.name = "chase_atomic", .buffers = 2, .scalars = 2, .run = chase_atomic},
    {.name = "chase_by_many", .buffers = 3, .scalars = 3, .run = chase_by_many},
    {.name = "chase_constant", .buffers = 2, .scalars = 2, .run = chase_scalar},
    {.name = "chase_image", .buffers = 2, .scalars = 1, .run = chase},
    {.name = "chase_loaded", .buffers = 3, .scalars = 13, .run = chase_loaded},
    {.name = "chase_local", .buffers = 2, .scalars = 2, .run = chase_local},
    {.name = "chase_scalar", .buffers = 2, .scalars = 2, .run = chase_scalar},
    {.name = "alu_chain", .buffers = 1, .scalars = 3, .run = alu_chain},
    {.name = "arithmetic_fp64", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::fp64>},
    {.name = "arithmetic_fp32", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::fp32>},
    {.name = "arithmetic_fp16", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::fp16>},
    {.name = "arithmetic_int64", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::int64>},
    {.name = "arithmetic_int32", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::int32>},
    {.name = "arithmetic_int16", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::int16>},
    {.name = "arithmetic_int8", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::int8>},
    {.name = "arithmetic_dot4", .buffers = 2, .scalars = 6, .run = arithmetic_of<NumberType::four_bytes>},
    {.name = "clock_rate", .buffers = 1, .scalars = 3, .run = clock_rate},
    {.name = "frame_pass", .buffers = 4, .scalars = 18, .run = frame_pass, .writes_later = true},
    {.name = "independent_chase", .buffers = 2, .scalars = 3, .run = independent_chase},
    {.name = "roofline", .buffers = 2, .scalars = 13, .run = roofline},
    {.name = "stream_image", .buffers = 2, .scalars = 8, .run = stream_read},
    {.name = "stream_local", .buffers = 2, .scalars = 8, .run = stream_local},
    {.name = "stream_read", .buffers = 2, .scalars = 8, .run = stream_read},
    {.name = "stream_write", .buffers = 1, .scalars = 9, .run = stream_write, .writes_later = true},
    {.name = "stream_copy", .buffers = 2, .scalars = 9, .run = stream_copy, .writes_later = true},
    {.name = "stream_add", .buffers = 3, .scalars = 9, .run = stream_add, .writes_later = true},
    {.name = "stream_add_dialled", .buffers = 3, .scalars = 13, .run = stream_add_dialled, .writes_later = true},
    {.name = "stream_triad", .buffers = 3, .scalars = 10, .run = stream_triad, .writes_later = true},
    {.name = "touch", .buffers = 2, .scalars = 8, .run = touch},
};

}  // namespace

const ReferenceKernel& reference_kernel(std::string_view name) {
  const auto* const found = std::ranges::find(references, name, &ReferenceKernel::name);
  if (found != std::end(references)) return *found;
  throw Unsupported("the model device has no reference of the kernel " + std::string(name));
}

std::uint32_t BufferWords::follow(std::uint32_t offset, std::uint64_t hops, std::uint32_t offset_shift) {
  const std::uint32_t words_shift = 2 - offset_shift;
  std::uint32_t word = offset >> words_shift;
  Walk walk = std::exchange(storage_.walk(), {});
  if (walk.stopped_at != word) walk = {};
  const std::size_t longest = count_ / 4;  // the record must not outgrow the buffer itself
  for (; hops > 0 && !walk.is_closed; --hops) {
    const std::uint32_t after = load(word) >> words_shift;
    if (walk.words.size() < longest) {
      walk.words.push_back(word);
      walk.is_closed = after == walk.words.front();
    }
    word = after;
  }
  for (; hops > 0; --hops) {
    memory_.access(address() + std::uint64_t{walk.words[walk.position]} * 4);
    if (++walk.position == walk.words.size()) walk.position = 0;
    word = walk.words[walk.position];
  }
  walk.stopped_at = word;
  storage_.walk() = std::move(walk);
  return word << words_shift;
}

std::uint32_t Invocation::constant(std::string_view name) const {
  const auto found = kernel.constants.find(name);
  if (found == kernel.constants.end()) throw Error("the kernel needs the constant " + std::string(name));
  return found->second;
}

std::uint32_t Invocation::offset_shift() const {
  const auto found = kernel.constants.find("OFFSET_SHIFT");
  return found == kernel.constants.end() ? 2 : found->second;
}

void BufferWords::throw_out_of_range(std::uint64_t word) const {
  throw Error("the kernel reached word " + std::to_string(word) + " of a buffer of " + std::to_string(count_));
}

}  // namespace sonde::device::model
