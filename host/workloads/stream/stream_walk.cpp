#include "workloads/stream/stream_walk.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernels.hpp"

namespace sonde::workloads {
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

/// What is in flight first, then the group, which stays wide enough for a GPU as long as there are several; false
/// where neither can be halved.
bool halve_block(Shape& shape) {
  constexpr std::uint32_t fewest_items = 32;
  if (shape.in_flight > 1) {
    shape.in_flight /= 2;
  } else if (shape.group_size > fewest_items || (shape.group_size > 1 && shape.groups == 1)) {
    shape.group_size /= 2;
  } else {
    return false;
  }
  return true;
}

/// The shape with blocks so much smaller that all groups can begin about as far apart as there is room for; at most to
/// a fourth, as what is in flight must not get too little.
Shape evenly_begun(const Shape& wanted, std::uint64_t array_bytes) {
  constexpr double even = 0.7;
  Shape best = wanted;
  double most = 0;
  Shape shape = wanted;
  for (int halvings = 0; halvings <= 2; ++halvings) {
    const StreamWalk walk(shape, Sharing::shared, array_bytes);
    if (walk.blocks <= shape.groups) return best;  // all of it is on its way at any moment
    // Groups run in any order, so that one may be half a trip nearer to the next.
    const double evenness = (walk.group_offset - 0.5) * shape.groups / walk.blocks;
    if (evenness > most) {
      most = evenness;
      best = shape;
    }
    if (evenness >= even || !halve_block(shape)) return best;
  }
  return best;
}

}  // namespace

std::uint32_t compute_units_of(const device::DeviceInfo& info) {
  constexpr std::uint32_t middling_gpu = 40;
  if (info.compute_units > 0) return info.compute_units;
  return info.type == device::DeviceType::cpu ? std::max(1u, std::thread::hardware_concurrency()) : middling_gpu;
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
          {"interleaved", shape.interleaved ? 1 : 0}, {"spread", shape.spread ? 1 : 0},
          {"scattered", shape.scattered ? 1 : 0}};
}

Shape shape_of(const std::map<std::string, double>& named) {
  const auto number = [&named](const char* name) { return static_cast<std::uint32_t>(named.at(name)); };
  return {.group_size = number("group_size"),
          .groups = number("groups"),
          .vector_words = number("vector_bytes") / 4,
          .in_flight = number("in_flight"),
          .interleaved = number("interleaved") != 0,
          .spread = number("spread") != 0,
          .scattered = named.contains("scattered") && number("scattered") != 0};
}

Shape fitted(Shape shape, Sharing sharing, std::uint64_t array_bytes) {
  // Smaller blocks first: with fewer groups a compute unit may stand still.
  while (!fits(shape, sharing, array_bytes)) {
    if (halve_block(shape)) continue;
    if (shape.groups == 1) break;
    shape.groups = (shape.groups + 1) / 2;
  }
  return sharing == Sharing::shared && !shape.scattered ? evenly_begun(shape, array_bytes) : shape;
}

std::vector<std::uint32_t> WalkScalars::in_order(std::initializer_list<std::uint32_t> of_its_own) const {
  std::vector<std::uint32_t> all{trips, start, blocks, block_step, group_step, group_offset, group_further, scatter};
  all.insert(all.end(), of_its_own);
  return all;
}

StreamWalk::StreamWalk(const Shape& of, Sharing sharing, std::uint64_t array_bytes)
    : shape(of), blocks(static_cast<std::uint32_t>(std::max<std::uint64_t>(1, blocks_in(of, sharing, array_bytes)))) {
  if (sharing == Sharing::shared) {
    // Every group begins elsewhere, as far from the next as there is room: lines that several of them want at the same
    // moment could be read once for all, and one that follows another closely finds in a cache what that has read.
    group_offset = std::max(1u, blocks / shape.groups);
    group_further = blocks > shape.groups ? blocks % shape.groups : 0;
    if (shape.scattered) scatter = (blocks & (~blocks + 1)) - 1;
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
  const std::uint64_t first = std::uint64_t{group} * group_offset + std::min(group, group_further);
  return static_cast<std::uint32_t>((first + turn) % blocks);
}

std::vector<std::uint32_t> StreamWalk::scalars(std::uint32_t trips, std::uint64_t turn) const {
  const WalkScalars walk{.trips = trips,
                         .start = static_cast<std::uint32_t>(turn % blocks),
                         .blocks = blocks,
                         .block_step = block_step,
                         .group_step = group_step,
                         .group_offset = group_offset,
                         .group_further = group_further,
                         .scatter = scatter};
  return walk.in_order();
}

std::map<std::string, std::string> series_of(Pattern pattern, Sharing sharing) {
  return {{"path", std::string(facts_of(pattern).path)},
          {"memory", "device"},
          {"pattern", std::string(facts_of(pattern).name)},
          {"sharing", sharing == Sharing::shared ? "shared" : "private"}};
}

Sharing sharing_of(const std::map<std::string, std::string>& series) {
  const auto word = series.find("sharing");
  return word != series.end() && word->second == "private" ? Sharing::separate : Sharing::shared;
}

}  // namespace sonde::workloads
