#include "probes/stream_walk.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "kernels.hpp"

namespace sonde::probes {
namespace {

const std::array<PatternFacts, 7> patterns{{{Pattern::read, "read", kernels::stream_read, 1, false},
                                            {Pattern::write, "write", kernels::stream_write, 1, true},
                                            {Pattern::copy, "copy", kernels::stream_copy, 2, true},
                                            {Pattern::add, "add", kernels::stream_add, 3, true},
                                            {Pattern::triad, "triad", kernels::stream_triad, 3, true},
                                            {Pattern::read_image, "read", kernels::stream_image, 1, false, "image"},
                                            {Pattern::read_local, "read", kernels::stream_local, 1, false, "local"}}};

/// What of an array may be left out so that it can be cut into equal parts.
constexpr std::uint64_t parts_left_out = 100;

std::uint64_t blocks_in(const Shape& shape, Sharing sharing, std::uint64_t array_bytes) {
  const std::uint64_t blocks = array_bytes / (shape.block_words() * sizeof(std::uint32_t));
  return sharing == Sharing::shared ? blocks : blocks / shape.groups;
}

bool fits(const Shape& shape, Sharing sharing, std::uint64_t array_bytes) {
  const StreamWalk walk(shape, sharing, array_bytes);
  const std::uint64_t covered = walk.array_bytes();
  return covered <= array_bytes && array_bytes - covered <= array_bytes / parts_left_out;
}

/// How far apart neighbouring groups begin, so that all beginnings are spread evenly over the blocks: a group that
/// follows another closely finds in a cache what that has read. Blocks over groups, rounded, leaves a wide gap behind
/// the last; so they go round p times, the p whose rounding leaves least. Where blocks are many rounding leaves nothing
/// to speak of.
std::uint32_t even_offset(std::uint32_t blocks, std::uint32_t groups) {
  constexpr std::uint32_t many_for_each = 64;
  std::uint32_t best = std::max(1u, blocks / groups);
  if (blocks <= groups || blocks > many_for_each * groups) return best;
  std::uint64_t least = groups;
  for (std::uint64_t p = 1; p < groups; ++p) {
    if (std::gcd(p, groups) != 1) continue;  // they would meet before all have begun
    const std::uint64_t offset = (p * blocks + groups / 2) / groups;
    const std::uint64_t left =
        offset * groups > p * blocks ? offset * groups - p * blocks : p * blocks - offset * groups;
    if (left >= least) continue;
    least = left;
    best = static_cast<std::uint32_t>(offset);
  }
  return best;
}

}  // namespace

std::uint32_t compute_units_of(const gpu::DeviceInfo& info) {
  constexpr std::uint32_t middling_gpu = 40;
  if (info.compute_units > 0) return info.compute_units;
  return info.type == gpu::DeviceType::cpu ? std::max(1u, std::thread::hardware_concurrency()) : middling_gpu;
}

const PatternFacts& facts_of(Pattern pattern) { return patterns[static_cast<std::size_t>(pattern)]; }

Pattern pattern_of(const std::map<std::string, std::string>& series) {
  const auto word_of = [&series](const char* name, const std::string& usual) {
    const auto found = series.find(name);
    return found == series.end() ? usual : found->second;
  };
  const std::string pattern = word_of("pattern", "read");
  const std::string path = word_of("path", "buffer");
  const auto found =
      std::ranges::find_if(patterns, [&](const PatternFacts& one) { return one.name == pattern && one.path == path; });
  if (found == patterns.end()) throw std::logic_error("no pattern is called " + pattern + " by the path " + path);
  return found->pattern;
}

std::map<std::string, double> named(const Shape& shape) {
  return {{"group_size", shape.group_size},           {"groups", shape.groups},
          {"vector_bytes", shape.vector_words * 4.0}, {"in_flight", shape.in_flight},
          {"interleaved", shape.interleaved ? 1 : 0}, {"spread", shape.spread ? 1 : 0}};
}

Shape shape_of(const std::map<std::string, double>& named) {
  const auto number = [&named](const char* name) { return static_cast<std::uint32_t>(named.at(name)); };
  return {.group_size = number("group_size"),
          .groups = number("groups"),
          .vector_words = number("vector_bytes") / 4,
          .in_flight = number("in_flight"),
          .interleaved = number("interleaved") != 0,
          .spread = number("spread") != 0};
}

Shape fitted(Shape shape, Sharing sharing, std::uint64_t array_bytes) {
  // Smaller blocks first: with fewer groups a compute unit may stand still.
  while (!fits(shape, sharing, array_bytes)) {
    if (shape.in_flight > 1) {
      shape.in_flight /= 2;
    } else if (shape.group_size > 32 || (shape.group_size > 1 && shape.groups == 1)) {
      shape.group_size /= 2;
    } else if (shape.groups > 1) {
      shape.groups = (shape.groups + 1) / 2;
    } else {
      break;
    }
  }
  return shape;
}

StreamWalk::StreamWalk(const Shape& of, Sharing sharing, std::uint64_t array_bytes)
    : shape(of), blocks(static_cast<std::uint32_t>(std::max<std::uint64_t>(1, blocks_in(of, sharing, array_bytes)))) {
  if (sharing == Sharing::shared) {
    // Every group begins elsewhere: lines that several of them want at the same moment could be read once for all.
    group_offset = even_offset(blocks, shape.groups);
  } else {
    block_step = shape.interleaved ? shape.groups : 1;
    group_step = shape.interleaved ? 1 : blocks;
    // Slices lie a power of two apart more often than not, and would keep to the same channel or sets in step.
    group_offset = shape.interleaved ? 0 : std::min(blocks / 8 + 1, blocks - 1);
  }
}

std::uint64_t StreamWalk::array_bytes() const {
  const std::uint64_t all = group_step == 0 ? blocks : std::uint64_t{blocks} * shape.groups;
  return all * shape.block_words() * sizeof(std::uint32_t);
}

std::uint32_t StreamWalk::position(std::uint32_t group, std::uint64_t turn) const {
  return static_cast<std::uint32_t>((std::uint64_t{group} * group_offset + turn) % blocks);
}

std::vector<std::uint32_t> StreamWalk::scalars(std::uint32_t trips, std::uint64_t turn) const {
  return {trips, static_cast<std::uint32_t>(turn % blocks), blocks, block_step, group_step, group_offset};
}

}  // namespace sonde::probes
