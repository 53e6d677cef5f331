#include "workloads/stream/stream_walk.hpp"

#include <thread>

#include "kernels.hpp"
#include "measure/probe.hpp"

namespace sonde::workloads {
namespace {

using measure::Path;

const std::array<PatternFacts, 7> patterns{{{Pattern::read, Path::buffer, kernels::stream_read, 1, false},
                                            {Pattern::write, Path::buffer, kernels::stream_write, 1, true},
                                            {Pattern::copy, Path::buffer, kernels::stream_copy, 2, true},
                                            {Pattern::add, Path::buffer, kernels::stream_add, 3, true},
                                            {Pattern::triad, Path::buffer, kernels::stream_triad, 3, true},
                                            {Pattern::read, Path::image, kernels::stream_image, 1, false},
                                            {Pattern::read, Path::local, kernels::stream_local, 1, false}}};

/// The share of an array, one in so many bytes, that may be left out so that the rest can be cut into equal parts.
constexpr std::uint64_t parts_left_out = 100;

bool fits(const StreamShape& shape, Sharing sharing, std::uint64_t array_bytes) {
  const StreamWalk walk(shape, sharing, array_bytes);
  const std::uint64_t covered = walk.array_bytes();
  return covered <= array_bytes && array_bytes - covered <= array_bytes / parts_left_out;
}

/// Halves what is in flight first, then the group, which stays wide enough for a GPU as long as there are several.
/// False where neither can be halved.
bool halve_block(StreamShape& shape) {
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
StreamShape evenly_begun(StreamShape shape, std::uint64_t array_bytes) {
  constexpr double even = 0.7;
  // The rest of a line would come from the nearest cache, whatever level holds the array.
  constexpr std::uint32_t widest_line_words = 32;
  StreamShape best = shape;
  double most = 0;
  for (int halvings = 0; halvings <= 2; ++halvings) {
    const StreamWalk walk(shape, Sharing::shared, array_bytes);
    if (walk.blocks <= shape.groups) return best;  // all of it is on its way at any moment
    // Groups run in any order, so that one may be half a trip nearer to the next.
    const double evenness = (walk.group_offset - 0.5) * shape.groups / walk.blocks;
    if (evenness > most) {
      most = evenness;
      best = shape;
    }
    if (evenness >= even || shape.block_words() <= widest_line_words || !halve_block(shape)) return best;
  }
  return best;
}

}  // namespace

std::uint32_t compute_units_of(const device::DeviceInfo& info) {
  constexpr std::uint32_t middling_gpu = 40;
  if (info.compute_units > 0) return info.compute_units;
  return info.type == device::DeviceType::cpu ? std::max(1u, std::thread::hardware_concurrency()) : middling_gpu;
}

const PatternFacts& facts_of(Pattern pattern, Path path) {
  const auto found = std::ranges::find_if(
      patterns, [&](const PatternFacts& one) { return one.pattern == pattern && one.path == path; });
  if (found == patterns.end()) throw std::logic_error("no stream has this pattern by this path");
  return *found;
}

measure::Shape named(const StreamShape& shape) {
  return {{"group_size", shape.group_size},           {"groups", shape.groups},
          {"vector_bytes", shape.vector_words * 4.0}, {"in_flight", shape.in_flight},
          {"interleaved", shape.interleaved ? 1 : 0}, {"spread", shape.spread ? 1 : 0},
          {"scattered", shape.scattered ? 1 : 0}};
}

StreamShape shape_of(const measure::Shape& named) {
  const auto number = [&named](const char* name) { return static_cast<std::uint32_t>(named.at(name)); };
  return {.group_size = number("group_size"),
          .groups = number("groups"),
          .vector_words = number("vector_bytes") / 4,
          .in_flight = number("in_flight"),
          .interleaved = number("interleaved") != 0,
          .spread = number("spread") != 0,
          .scattered = named.contains("scattered") && number("scattered") != 0};
}

StreamShape fitted(StreamShape shape, Sharing sharing, std::uint64_t array_bytes) {
  // Smaller blocks first: with fewer groups a compute unit may stand still.
  while (!fits(shape, sharing, array_bytes)) {
    if (halve_block(shape)) continue;
    if (shape.groups == 1) break;
    shape.groups = (shape.groups + 1) / 2;
  }
  return sharing == Sharing::shared && !shape.scattered ? evenly_begun(shape, array_bytes) : shape;
}

std::vector<std::uint32_t> WalkScalars::in_order(std::initializer_list<std::uint32_t> more) const {
  std::vector<std::uint32_t> all{trips, start, blocks, block_step, group_step, group_offset, group_further, scatter};
  all.insert(all.end(), more);
  return all;
}

StreamWalk::StreamWalk(const StreamShape& of, Sharing sharing, std::uint64_t array_bytes) : shape(of) {
  const std::uint64_t all = array_bytes / (shape.block_words() * sizeof(std::uint32_t));
  const std::uint64_t of_a_group = sharing == Sharing::shared ? all : all / shape.groups;
  blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, of_a_group));
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

std::vector<std::uint32_t> StreamWalk::scalars(std::uint32_t trips_of_dispatch, std::uint64_t turn,
                                               std::initializer_list<std::uint32_t> more) const {
  WalkScalars walk = static_cast<const WalkScalars&>(*this);
  walk.trips = trips_of_dispatch;
  walk.start = static_cast<std::uint32_t>(turn % blocks);
  return walk.in_order(more);
}

void check_local_memory(const device::DeviceInfo& device, std::uint64_t bytes, const std::string& whose) {
  if (device.local_bytes >= bytes) return;
  throw device::Unsupported(device.local_bytes == 0 ? "the device has no work-group memory of its own"
                                                    : "the device's work-group memory is smaller than the " + whose +
                                                          "'s " + measure::size_text(static_cast<double>(bytes)));
}

void check_path(const PatternFacts& facts, const device::DeviceInfo& device) {
  if (facts.is_local()) check_local_memory(device, local_part_bytes, "stream");
}

void check_part(const PatternFacts& facts, const StreamWalk& walk) {
  const std::uint64_t part_bytes = std::uint64_t{walk.blocks} * walk.shape.block_words() * sizeof(std::uint32_t);
  if (!facts.is_local() || part_bytes <= local_part_bytes) return;
  throw device::Unsupported("a work-group's part of " + measure::size_text(static_cast<double>(part_bytes)) +
                            " is more than the " + measure::size_text(local_part_bytes) +
                            " that the stream has of its memory");
}

}  // namespace sonde::workloads
