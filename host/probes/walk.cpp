#include "probes/walk.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace sonde::probes {
namespace {

constexpr std::uint64_t piece_bytes = 4ull << 20;

/// Below `bound`, from the high half of a product: unbiased to 1 part in 2^32. (std::uniform_int_distribution
/// gives other numbers on other standard libraries.)
std::uint32_t below(std::uint32_t bound, std::mt19937_64& random) {
  return static_cast<std::uint32_t>(((random() >> 32) * bound) >> 32);
}

/// splitmix64 (Steele, Lea and Flood, 2014): incompressible, and fast enough to fill gigabytes.
std::uint64_t mixed(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<std::uint32_t> random_cycle(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> cycle(count);
  std::iota(cycle.begin(), cycle.end(), 0u);
  std::mt19937_64 random(seed);
  for (std::uint32_t i = count; i-- > 1;) std::swap(cycle[i], cycle[below(i, random)]);
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

void write_cycle(gpu::Buffer& buffer, const std::vector<std::uint32_t>& cycle, std::uint32_t line_bytes,
                 std::uint64_t seed) {
  const std::uint32_t words_per_line = line_bytes / sizeof(std::uint32_t);
  const std::uint64_t lines_per_piece = std::max<std::uint64_t>(1, piece_bytes / line_bytes);
  std::vector<std::uint64_t> piece(lines_per_piece * line_bytes / sizeof(std::uint64_t));
  std::uint64_t state = seed;
  for (std::uint64_t first = 0; first < cycle.size(); first += lines_per_piece) {
    const std::uint64_t lines = std::min<std::uint64_t>(lines_per_piece, cycle.size() - first);
    for (std::uint64_t& word : piece) word = mixed(state);
    auto* words = reinterpret_cast<std::uint32_t*>(piece.data());
    for (std::uint64_t line = 0; line < lines; ++line) {
      words[line * words_per_line] = cycle[first + line] * words_per_line;
    }
    buffer.write(first * line_bytes, std::as_bytes(std::span(piece)).first(lines * line_bytes));
  }
}

}  // namespace sonde::probes
