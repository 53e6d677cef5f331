#include "workloads/walk/walk.hpp"

#include <random>

namespace sonde::workloads {
namespace {

constexpr std::uint64_t piece_bytes = 4ull << 20;
/// What is written around a line that is far from the next: as much as any memory controller compresses together.
constexpr std::uint32_t block_bytes = 4096;

/// A random number less than `bound`, the high half of a product: unbiased to 1 part in 2^32.
/// (std::uniform_int_distribution gives other numbers on other standard libraries.)
std::uint32_t random_below(std::uint32_t bound, std::mt19937_64& random) {
  return static_cast<std::uint32_t>(((random() >> 32) * bound) >> 32);
}

/// Fills `count` slots with random words, piece by piece; `mark(slot, words)` then changes a slot's words.
template <typename Mark>
void write_slots(device::Buffer& buffer, std::uint64_t count, std::uint32_t slot_bytes, std::uint64_t seed, Mark mark) {
  const std::uint64_t slots_per_piece = std::max<std::uint64_t>(1, piece_bytes / slot_bytes);
  std::vector<std::uint64_t> piece(std::min(slots_per_piece, count) * slot_bytes / sizeof(std::uint64_t));
  const Noise noise(seed);
  std::uint64_t pair = 0;
  for (std::uint64_t first = 0; first < count; first += slots_per_piece) {
    const std::uint64_t slots = std::min(slots_per_piece, count - first);
    for (std::uint64_t& word : piece) word = noise.pair(pair++);
    auto* words = reinterpret_cast<std::uint32_t*>(piece.data());
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      mark(static_cast<std::uint32_t>(first + slot), words + slot * slot_bytes / sizeof(std::uint32_t));
    }
    buffer.write(first * slot_bytes, std::as_bytes(std::span(piece)).first(slots * slot_bytes));
  }
}

/// Does what write_cycle() does where slots are larger than a block: nobody reads the rest of a slot.
void write_far_lines(device::Buffer& buffer, const std::vector<std::uint32_t>& cycle, const LineLayout& layout,
                     std::uint64_t seed, std::uint32_t offset_shift) {
  const Noise noise(seed);
  std::uint64_t pair = 0;
  std::vector<std::uint64_t> block(block_bytes / sizeof(std::uint64_t));
  for (std::uint32_t slot = 0; slot < cycle.size(); ++slot) {
    for (std::uint64_t& words : block) words = noise.pair(pair++);
    const std::uint64_t at_bytes = std::uint64_t{layout.word_of(slot)} * sizeof(std::uint32_t);
    reinterpret_cast<std::uint32_t*>(block.data())[at_bytes % block_bytes / sizeof(std::uint32_t)] =
        layout.word_of(cycle[slot]) << (2 - offset_shift);
    buffer.write(at_bytes / block_bytes * block_bytes, std::as_bytes(std::span(block)));
  }
}

}  // namespace

std::vector<std::uint32_t> random_cycle(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> cycle(count);
  std::iota(cycle.begin(), cycle.end(), 0u);
  std::mt19937_64 random(seed);
  for (std::uint32_t i = count; i-- > 1;) std::swap(cycle[i], cycle[random_below(i, random)]);
  return cycle;
}

bool cycle_to_places(std::vector<std::uint32_t>& cycle) {
  std::uint32_t line = 0;
  for (std::uint32_t place = 0; place < cycle.size(); ++place) {
    const std::uint32_t next = cycle[line];
    cycle[line] = place;
    line = next;
    if (line == 0) return place + 1 == cycle.size();
  }
  return false;
}

std::uint32_t word_of_line(std::uint32_t line, std::uint64_t seed) {
  return static_cast<std::uint32_t>(Noise(seed ^ (std::uint64_t{line} << 20)).pair(0));
}

void write_cycle(device::Buffer& buffer, const std::vector<std::uint32_t>& cycle, const LineLayout& layout,
                 std::uint64_t seed, std::uint32_t offset_shift) {
  if (layout.slot_bytes() > block_bytes) return write_far_lines(buffer, cycle, layout, seed, offset_shift);
  write_slots(buffer, cycle.size(), layout.slot_bytes(), seed, [&](std::uint32_t slot, std::uint32_t* words) {
    words[layout.word_of(slot) - slot * (layout.slot_bytes() / 4)] = layout.word_of(cycle[slot]) << (2 - offset_shift);
  });
}

void write_words(device::Buffer& buffer, std::uint32_t line_count, std::uint32_t line_bytes, std::uint64_t seed) {
  write_slots(buffer, line_count, line_bytes, seed, [&](std::uint32_t line, std::uint32_t* words) {
    words[0] = word_of_line(line, seed);
    words[1] = second_word_of_line((line + 1) % line_count, line_bytes / 4);
  });
}

}  // namespace sonde::workloads
