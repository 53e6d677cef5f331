#include "workloads/stream/stream_path.hpp"

#include <string>

#include "device/error.hpp"
#include "measure/probe.hpp"

namespace sonde::workloads {
namespace {

/// Of a texel, and of a vector of any kernel at least.
constexpr std::uint32_t vector_words = 4;

bool is_image(const PatternFacts& facts) { return facts.pattern == Pattern::read_image; }
bool is_local(const PatternFacts& facts) { return facts.pattern == Pattern::read_local; }

}  // namespace

void check_path(const PatternFacts& facts, const device::DeviceInfo& device) {
  if (!is_local(facts) || device.local_bytes >= local_part_bytes) return;
  throw device::Unsupported(device.local_bytes == 0 ? "the device has no work-group memory of its own"
                                                 : "the device's work-group memory is smaller than the stream's " +
                                                       measure::size_text(local_part_bytes));
}

void check_part(const PatternFacts& facts, const StreamWalk& walk) {
  const std::uint64_t part_bytes = std::uint64_t{walk.blocks} * walk.shape.block_words() * sizeof(std::uint32_t);
  if (!is_local(facts) || part_bytes <= local_part_bytes) return;
  throw device::Unsupported("a work-group's part of " + measure::size_text(static_cast<double>(part_bytes)) +
                         " is more than the " + measure::size_text(local_part_bytes) +
                         " that the stream has of its memory");
}

device::Use use_of_arrays(const PatternFacts& facts, device::Use storage) {
  return is_image(facts) ? device::Use::wide_texels : storage;
}

std::uint32_t most_trips_of(const PatternFacts& facts, const device::DeviceInfo& device) {
  // The loop that copies the part counts as well.
  constexpr std::uint32_t copying = local_part_bytes / (vector_words * sizeof(std::uint32_t));
  return device.most_trips - (is_local(facts) ? copying : 0);
}

std::uint32_t widest_vector_words(const PatternFacts& facts, const device::DeviceInfo& device) {
  return is_image(facts) ? vector_words : device.widest_load_bytes / sizeof(std::uint32_t);
}

}  // namespace sonde::workloads
