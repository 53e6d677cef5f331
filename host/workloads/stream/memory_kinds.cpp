#include "workloads/stream/memory_kinds.hpp"

#include "kernels.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {
namespace {

/// The shape in which the streaming kernel copies so many bytes: what a group takes at once divides them.
StreamShape shape_for(const device::DeviceInfo& info, std::uint64_t bytes) {
  const StreamShape wide{.group_size = 64, .groups = 1024, .vector_words = 4, .in_flight = 4};
  // On a CPU items that lie side by side may come one after the other, each through all of its trips.
  const bool fits = bytes % (wide.block_words() * sizeof(std::uint32_t)) == 0;
  if (info.type != device::DeviceType::cpu && info.largest_group_size >= wide.group_size && fits) return wide;
  return {.group_size = 1, .groups = 1024, .vector_words = 4, .in_flight = 1};
}

/// Copies all of `from` by the streaming kernel, in runs that cover every word.
void copy_by_kernel(device::Device& device, device::Buffer& from, device::Buffer& to) {
  const StreamShape shape = shape_for(device.info(), to.size_bytes());
  const auto kernel = device.make_kernel(kernels::stream_copy, shape.group_size, shape.constants());
  const auto blocks = static_cast<std::uint32_t>(to.size_bytes() / sizeof(std::uint32_t) / shape.block_words());
  std::uint32_t groups = std::min(shape.groups, blocks);
  while (blocks % groups != 0) --groups;
  const std::uint32_t each = blocks / groups;
  for (std::uint32_t done = 0; done < each;) {
    // Every group a slice of its own, from where the last run ended.
    const WalkScalars walk{
        .trips = std::min(each - done, device.info().most_trips), .start = done, .blocks = each, .group_step = each};
    constexpr std::uint32_t shift = 0;
    (void)device.run(*kernel, {.buffers = {&from, &to}, .scalars = walk.in_order({shift}), .groups = groups});
    done += walk.trips;
  }
}

}  // namespace

std::vector<std::uint32_t> write_noise(device::Buffer& buffer, const Noise& noise, std::uint32_t block_words) {
  constexpr std::uint64_t piece_pairs = 1 << 18;
  const std::uint64_t pairs_per_block = block_words / 2;
  const std::uint64_t blocks = buffer.size_bytes() / sizeof(std::uint64_t) / pairs_per_block;
  const std::uint64_t blocks_per_piece = std::clamp<std::uint64_t>(piece_pairs / pairs_per_block, 1, blocks);
  std::vector<std::uint64_t> piece(blocks_per_piece * pairs_per_block);
  std::vector<std::uint32_t> sums;
  sums.reserve(blocks);
  for (std::uint64_t first = 0; first < blocks; first += blocks_per_piece) {
    const std::uint64_t count = std::min(blocks_per_piece, blocks - first);
    for (std::uint64_t block = 0; block < count; ++block) {
      std::uint64_t sum = 0;  // modulo 2^32 the sum of the lower words alone, as upper words only add to its upper half
      std::uint64_t upper = 0;
      for (std::uint64_t i = block * pairs_per_block; i < (block + 1) * pairs_per_block; ++i) {
        piece[i] = noise.pair(first * pairs_per_block + i);
        sum += piece[i];
        upper += piece[i] >> 32;
      }
      sums.push_back(static_cast<std::uint32_t>(sum + upper));
    }
    const auto bytes = std::as_bytes(std::span(piece)).first(count * pairs_per_block * sizeof(std::uint64_t));
    buffer.write(first * pairs_per_block * sizeof(std::uint64_t), bytes);
  }
  return sums;
}

std::unique_ptr<device::Buffer> buffer_in(device::Device& device, measure::Name memory, std::uint64_t size_bytes,
                                          device::Use use) {
  if (memory.empty()) return device.make_buffer(size_bytes, use);
  return device.make_buffer_in(device::memory_kind(device.info(), memory.text()), size_bytes, use);
}

void fill(device::Device& device, device::Buffer& buffer, const MemoryPlace& place, device::Use use,
          const std::function<void(device::Buffer&)>& write) {
  if (place.memory.empty()) {
    write(buffer);
  } else if (place.writer == measure::Writer::cpu) {
    BytesBuffer view(buffer.map(device::Access::write));
    write(view);
    buffer.unmap();
  } else {
    const auto from = device.make_buffer(buffer.size_bytes(), use);
    write(*from);
    copy_by_kernel(device, *from, buffer);
  }
}

std::optional<std::string> without_memory_kinds(const device::DeviceInfo& device) {
  if (device.memory_kinds.empty()) return "the driver names no kinds of memory";
  return std::nullopt;
}

std::string why_not_shared(const device::MemoryKind& kind) {
  if (!kind.missing.empty()) return kind.missing;
  return kind.seen_by_cpu ? "" : "the CPU cannot look at this memory: its type is not host-visible";
}

}  // namespace sonde::workloads
