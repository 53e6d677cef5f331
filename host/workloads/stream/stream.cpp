#include "workloads/stream/stream.hpp"

#include <bit>
#include <deque>

#include "kernels.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

constexpr std::uint32_t triad_factor = 3;
constexpr std::string_view report = "; please report the driver";
/// What kernels/stream_write.cl adds to each word with every trip.
constexpr std::uint32_t written_growth = 0x9E3779B9u;

/// The noise that kernels/stream_write.cl leaves in a word of a group's block.
std::uint32_t written_noise(const StreamShape& shape, std::uint32_t group, std::uint32_t word) {
  const std::uint32_t vector = word / shape.vector_words;
  const std::uint32_t item = group * shape.group_size + vector % shape.group_size;
  const std::uint32_t number =
      (item * shape.in_flight + vector / shape.group_size) * shape.vector_words + word % shape.vector_words;
  const std::uint32_t mixed = (number + 1) * 0x85EBCA6Bu;
  return (mixed ^ (mixed >> 15)) * 0xC2B2AE35u;
}

/// One dispatch of a pattern that writes.
struct Written {
  std::uint64_t first_turn = 0;
  std::uint64_t trips = 0;
  std::uint32_t shift = 0;
};

struct StreamOnDevice {
  device::Device& device;
  const PatternFacts& facts;
  StreamWalk walk;
  std::deque<Written> written;                          ///< as far back as anything of it is left
  std::vector<Noise> noises;                            ///< of the arrays that are read
  std::vector<std::unique_ptr<device::Buffer>> arrays;  ///< in the kernel's order, the written one last
  std::vector<StretchSums> stretch_sums;                ///< of the arrays that are read
  std::unique_ptr<device::Buffer> sums;                 ///< one word for each item
  device::Use use = device::Use::storage;               ///< of all arrays but images
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Kernel> reader;  ///< adds up what a pattern wrote
  std::uint64_t turn = 0;                  ///< trips made so far
  std::uint32_t last_trips = 0;
  std::uint64_t dispatches = 0;
  std::mt19937_64 random;

  StreamOnDevice(device::Device& on, const PatternFacts& what, Sharing sharing, const StreamShape& shape,
                 std::uint64_t bytes, std::uint64_t seed, const MemoryPlace& place)
      : device(on),
        facts(what),
        walk(shape, sharing, bytes / facts.arrays),
        kernel(on.make_kernel(facts.kernel, shape.group_size, shape.constants())),
        random(seed) {
    check_path(facts, on.info());
    check_part(facts, walk);
    const std::uint64_t sums_bytes = std::uint64_t{shape.group_size} * shape.groups * sizeof(std::uint32_t);
    use = use_for(on.info(), std::max(walk.array_bytes(), sums_bytes));
    for (std::uint32_t array = 0; array < facts.arrays; ++array) {
      arrays.push_back(buffer_in(on, place.memory, walk.array_bytes(), facts.use_of_arrays(use)));
      // What is written begins as noise too, so that every page of it is there.
      const Noise noise(seed + array + 1);
      std::vector<std::uint32_t> pieces;
      fill(on, *arrays.back(), place, use,
           [&](device::Buffer& to) { pieces = write_noise(to, noise, shape.piece_words()); });
      if (facts.writes && array + 1 == facts.arrays) break;
      noises.push_back(noise);
      stretch_sums.emplace_back(walk, pieces);
    }
    sums = on.make_buffer(sums_bytes, use);
    if (facts.writes) reader = on.make_kernel(kernels::stream_read, shape.group_size, shape.constants());
  }

  device::Nanoseconds run(std::uint64_t trips) {
    last_trips = static_cast<std::uint32_t>(trips);
    std::vector<std::uint32_t> scalars = walk.scalars(last_trips, turn);
    const std::uint32_t shift = next_shift();
    if (facts.pattern == Pattern::write) scalars.push_back(static_cast<std::uint32_t>(turn));
    if (facts.arrays > 1) scalars.push_back(shift);
    if (facts.pattern == Pattern::triad) scalars.push_back(triad_factor);
    std::vector<device::Buffer*> buffers;
    for (const auto& array : arrays) buffers.push_back(array.get());
    if (!facts.writes) buffers.push_back(sums.get());
    const device::Nanoseconds time =
        device.run(*kernel, {.buffers = buffers, .scalars = scalars, .groups = walk.shape.groups});
    if (facts.writes) written.push_back({.first_turn = turn, .trips = trips, .shift = shift});
    turn += trips;
    while (written.size() > 1 && written[1].first_turn + walk.blocks <= turn) written.pop_front();
    ++dispatches;
    return time;
  }

  /// A shift different from the previous dispatch's, in whole pages if possible: CPUs delay a load when a store to the
  /// same offset of another page is in flight (4K aliasing). In less than two pages the shift is a block or none, so
  /// that the load is ahead of the store by little, or the store is one that was made just before.
  std::uint32_t next_shift() {
    constexpr std::uint32_t page_words = 1024;
    const std::uint32_t stride = std::max(1u, page_words / walk.shape.piece_words());
    const std::uint32_t strides = walk.blocks / stride;
    if (strides > 1) return static_cast<std::uint32_t>(random() % strides) * stride;
    return walk.blocks > 1 ? static_cast<std::uint32_t>(dispatches % 2) : 0;
  }

  std::optional<std::string> proof_failure() {
    std::vector<std::uint32_t> found(walk.shape.groups);
    if (!facts.writes) {
      add_group_sums(found);
    } else {
      if (auto failure = failure_of_pieces()) return failure;
      // The whole array is added up on the device, seldom, as that is as much work as what is timed.
      if (!std::has_single_bit(dispatches) || turn < walk.blocks) return std::nullopt;
      for (std::uint64_t read = 0; read < walk.blocks;) {
        const auto trips =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(walk.blocks - read, device.info().most_trips));
        (void)device.run(*reader, {.buffers = {arrays.back().get(), sums.get()},
                                   .scalars = walk.scalars(trips, read),
                                   .groups = walk.shape.groups});
        add_group_sums(found);
        read += trips;
      }
    }
    for (std::uint32_t group = 0; group < walk.shape.groups; ++group) {
      if (found[group] != (facts.writes ? sum_of_written(group) : sum_of_read(group))) {
        return "work-group " + std::to_string(group) + " of " + std::to_string(walk.shape.groups) +
               " did not find in memory what should be there, or did not look at all of it" + std::string(report);
      }
    }
    return std::nullopt;
  }

  /// Adds what the items of each group left as their sums.
  void add_group_sums(std::vector<std::uint32_t>& groups) const {
    std::vector<std::uint32_t> items(sums->size_bytes() / sizeof(std::uint32_t));
    sums->read(0, std::as_writable_bytes(std::span(items)));
    for (std::size_t item = 0; item < items.size(); ++item) groups[item / walk.shape.group_size] += items[item];
  }

  /// Reads back what the first group, the last and one between wrote on the last trip, on the first that is left, and
  /// on one at random.
  std::optional<std::string> failure_of_pieces() {
    const std::uint32_t last_group = walk.shape.groups - 1;
    for (const std::uint32_t group : {0u, static_cast<std::uint32_t>(random() % walk.shape.groups), last_group}) {
      const std::uint64_t reach = std::min<std::uint64_t>(turn, walk.blocks);
      for (const std::uint64_t back : {std::uint64_t{1}, 1 + random() % reach, reach}) {
        if (!holds(group, turn - back)) {
          return "the device did not write what it was to write in work-group " + std::to_string(group) +
                 std::string(report);
        }
      }
    }
    return std::nullopt;
  }

  /// Whether what a group wrote on a trip, one of the last `blocks`, stands in memory.
  bool holds(std::uint32_t group, std::uint64_t written_on) {
    const std::uint32_t position = walk.position(group, written_on);
    const std::uint32_t shift =
        std::prev(std::ranges::upper_bound(written, written_on, {}, &Written::first_turn))->shift;
    const auto shifted = static_cast<std::uint32_t>((std::uint64_t{position} + shift) % walk.blocks);
    const std::uint32_t words = walk.shape.piece_words();
    std::vector<std::uint32_t> found(words);
    for (std::uint32_t piece = 0; piece < walk.shape.pieces(); ++piece) {
      const std::uint64_t first = walk.word_at(group, position, piece);
      arrays.back()->read(first * sizeof(std::uint32_t), std::as_writable_bytes(std::span(found)));
      const std::uint64_t from = walk.word_at(group, shifted, piece);
      for (std::uint32_t word = 0; word < words; ++word) {
        if (found[word] != expected(group, piece * words + word, written_on, from + word, first + word)) return false;
      }
    }
    return true;
  }

  std::uint32_t expected(std::uint32_t group, std::uint32_t word_of_block, std::uint64_t written_on, std::uint64_t from,
                         std::uint64_t at) const {
    switch (facts.pattern) {
      case Pattern::copy: return noises[0](from);
      case Pattern::add: return noises[0](from) + noises[1](at);
      case Pattern::triad: return noises[0](from) + triad_factor * noises[1](at);
      default: break;
    }
    return written_noise(walk.shape, group, word_of_block) + static_cast<std::uint32_t>(written_on) * written_growth;
  }

  std::uint32_t sum_of_read(std::uint32_t group) const {
    return stretch_sums[0].sum(group, walk.position(group, turn - last_trips), last_trips);
  }

  /// The sum of all that stands in a group's part, which was written on the last `blocks` trips.
  std::uint32_t sum_of_written(std::uint32_t group) const {
    const std::uint64_t first = turn - walk.blocks;
    if (facts.pattern == Pattern::write) {
      std::uint32_t block = 0;
      for (std::uint32_t word = 0; word < walk.shape.block_words(); ++word)
        block += written_noise(walk.shape, group, word);
      std::uint32_t turns = 0;
      for (std::uint64_t on = first; on < turn; ++on) turns += static_cast<std::uint32_t>(on);
      return block * walk.blocks + turns * written_growth * walk.shape.block_words();
    }
    std::uint32_t sum = 0;
    for (const Written& dispatch : written) {
      const std::uint64_t begin = std::max(first, dispatch.first_turn);
      const std::uint64_t trips = dispatch.first_turn + dispatch.trips - begin;
      const std::uint32_t at = walk.position(group, begin);
      const auto from = static_cast<std::uint32_t>((std::uint64_t{at} + dispatch.shift) % walk.blocks);
      sum += stretch_sums[0].sum(group, from, trips);
      if (facts.pattern == Pattern::add) sum += stretch_sums[1].sum(group, at, trips);
      if (facts.pattern == Pattern::triad) sum += triad_factor * stretch_sums[1].sum(group, at, trips);
    }
    return sum;
  }
};

}  // namespace

StretchSums::StretchSums(const StreamWalk& walk, const std::vector<std::uint32_t>& pieces)
    : blocks_(walk.blocks), scatter_(walk.scatter), shared_(walk.group_step == 0) {
  const std::uint32_t groups = shared_ ? 1 : walk.shape.groups;
  before_.reserve(std::size_t{groups} * (blocks_ + 1));
  for (std::uint32_t group = 0; group < groups; ++group) {
    std::uint32_t sum = 0;
    before_.push_back(0);
    for (std::uint32_t position = 0; position < blocks_; ++position) {
      for (std::uint32_t piece = 0; piece < walk.shape.pieces(); ++piece)
        sum += pieces[walk.piece_at(group, position, piece)];
      before_.push_back(sum);
    }
  }
}

std::uint32_t StretchSums::sum(std::uint32_t group, std::uint32_t position, std::uint64_t trips) const {
  const std::uint32_t* const before = &before_[shared_ ? 0 : std::size_t{group} * (blocks_ + 1)];
  const auto laps = static_cast<std::uint32_t>(trips / blocks_);
  const std::uint64_t end = position + trips % blocks_;
  std::uint32_t sum = laps * before[blocks_];
  if (scatter_ != 0) {
    for (std::uint64_t at = position; at < end; ++at) {
      const std::uint32_t block = scattered(static_cast<std::uint32_t>(at % blocks_), group, scatter_);
      sum += before[block + 1] - before[block];
    }
    return sum;
  }
  sum += before[std::min<std::uint64_t>(end, blocks_)] - before[position];
  if (end > blocks_) sum += before[end - blocks_];
  return sum;
}

measure::Workload stream(device::Device& device, Pattern pattern, Sharing sharing, const StreamShape& shape,
                         std::uint64_t bytes, std::uint64_t seed, const MemoryPlace& place, measure::Path path) {
  const PatternFacts& facts = facts_of(pattern, path);
  const auto work = std::make_shared<StreamOnDevice>(device, facts, sharing, shape, bytes, seed, place);
  const double bytes_per_trip = static_cast<double>(work->walk.trip_bytes()) * facts.arrays;
  measure::Shape recorded = named(shape);
  recorded["bound"] = work->use == device::Use::bound ? 1 : 0;
  return {.work = stepped(work, {.most = facts.most_trips(device.info()),
                                 .lap = work->walk.blocks,
                                 .value = rate(bytes_per_trip)}),  // a byte a nanosecond is a GB/s
          .bytes_per_step = bytes_per_trip,
          .shape = recorded};
}

}  // namespace sonde::workloads
