#include <bit>
#include <cstring>

#include "kernels.hpp"
#include "probes/copy/copy.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes::copy_probe {
namespace {

using workloads::StreamShape;

constexpr std::uint32_t block_words = proof_block_bytes / sizeof(std::uint32_t);
constexpr int blocks_looked_at = 2;

std::string altered(const char* where, std::uint64_t first_block, std::uint64_t blocks) {
  return "after the copies " + std::string(where) + " does not hold what was copied, somewhere in the " +
         std::to_string(blocks * proof_block_bytes) + " bytes from " + std::to_string(first_block * proof_block_bytes) +
         " on; please report the driver";
}

std::uint32_t sum_of(std::span<const std::byte> block) {
  std::uint32_t sum = 0;
  for (std::size_t word = 0; word < block_words; ++word) {
    std::uint32_t value = 0;
    std::memcpy(&value, block.data() + word * sizeof value, sizeof value);
    sum += value;
  }
  return sum;
}

/// The shape in which kernels/stream_read.cl is compiled: what a group reads in one trip is a part of a block.
StreamShape shape_of_proof(const device::DeviceInfo& info) {
  if (info.type != device::DeviceType::cpu) {
    return {.group_size = std::min(64u, std::bit_floor(info.largest_group_size)), .vector_words = 4, .in_flight = 4};
  }
  // On a CPU an item is a vector lane or a turn of a loop: as many as fill one wide load.
  const std::uint32_t vector_words = std::clamp(info.widest_load_bytes / 4, 4u, 16u);
  return {.group_size = 16 / vector_words, .vector_words = vector_words, .in_flight = 8};
}

/// Why host memory does not hold the words of `source` from `first_block` on.
std::optional<std::string> failure_of_host(std::span<const std::byte> bytes, const BlockSums& source,
                                           std::uint64_t first_block) {
  for (std::uint64_t block = 0; block < bytes.size() / proof_block_bytes; ++block) {
    const auto here = bytes.subspan(block * proof_block_bytes, proof_block_bytes);
    if (sum_of(here) != source.sums[first_block + block]) return altered("host memory", block, 1);
  }
  return std::nullopt;
}

}  // namespace

DeviceProof::DeviceProof(device::Device& device, std::uint64_t blocks, device::Use use)
    : device_(device), blocks_(blocks), random_(blocks) {
  const device::DeviceInfo& info = device.info();
  const StreamShape shape = shape_of_proof(info);
  group_size_ = shape.group_size;
  stripes_ = block_words / shape.block_words();
  // Every group the same number of blocks: one walk for all.
  const std::uint64_t most_groups = std::bit_ceil(4ull * workloads::compute_units_of(info));
  groups_ = static_cast<std::uint32_t>(std::min(most_groups, blocks & (~blocks + 1)));
  reader_ = device.make_kernel(kernels::stream_read, group_size_, shape.constants());
  sums_ = device.make_buffer(std::uint64_t{group_size_} * groups_ * sizeof(std::uint32_t), use);
}

std::optional<std::string> DeviceProof::failure(device::Buffer& buffer, const BlockSums& source,
                                                std::uint64_t first_block) {
  // The blocks of each group follow one another in its own slice.
  const auto stripes = static_cast<std::uint32_t>(blocks_ / groups_ * stripes_);
  std::vector<std::uint32_t> found(groups_);
  std::vector<std::uint32_t> items(std::uint64_t{group_size_} * groups_);
  for (std::uint32_t done = 0; done < stripes;) {
    const workloads::WalkScalars walk{.trips = std::min(stripes - done, device_.info().most_trips),
                                      .start = done,
                                      .blocks = stripes,
                                      .group_step = stripes};
    (void)device_.run(*reader_, {.buffers = {&buffer, sums_.get()}, .scalars = walk.in_order(), .groups = groups_});
    sums_->read(0, std::as_writable_bytes(std::span(items)));
    for (std::size_t item = 0; item < items.size(); ++item) found[item / group_size_] += items[item];
    done += walk.trips;
  }
  for (std::uint32_t group = 0; group < groups_; ++group) {
    const std::uint64_t blocks = blocks_ / groups_;
    std::uint32_t expected = 0;
    for (std::uint64_t block = group * blocks; block < (group + 1) * blocks; ++block) {
      expected += source.sums[first_block + block];
    }
    if (found[group] != expected) return altered("device memory", group * blocks, blocks);
  }
  std::vector<std::uint32_t> words(block_words);
  for (int look = 0; look < blocks_looked_at; ++look) {
    const std::uint64_t block = random_() % blocks_;
    buffer.read(block * proof_block_bytes, std::as_writable_bytes(std::span(words)));
    for (std::uint32_t word = 0; word < block_words; ++word) {
      if (words[word] != source.noise((first_block + block) * block_words + word))
        return altered("device memory", block, 1);
    }
  }
  return std::nullopt;
}

CopyEndpoints::CopyEndpoints(device::Device& device, Direction direction, const Row& row, const MakeHost& make_host,
                             std::uint64_t seed, const device::MemoryKind* kind)
    : row_(row), source_{workloads::Noise(seed)} {
  const std::uint64_t source_bytes = row_bytes() + row.step_bytes;
  const device::Use use = workloads::use_for(device.info(), source_bytes);
  const auto buffer_of = [&](std::uint64_t size_bytes) {
    return kind != nullptr ? device.make_buffer_in(*kind, size_bytes, use) : device.make_buffer(size_bytes, use);
  };
  if (direction == Direction::to_device) {
    host_ = make_host(source_bytes);
    workloads::BytesBuffer source(host_->bytes().first(source_bytes));
    source_.sums = workloads::write_noise(source, source_.noise, block_words);
  } else {
    from_ = buffer_of(source_bytes);
    source_.sums = workloads::write_noise(*from_, source_.noise, block_words);
  }
  if (direction == Direction::to_host) {
    host_ = make_host(row_bytes());
  } else {
    to_ = buffer_of(row_bytes());
    proof_.emplace(device, row_bytes() / proof_block_bytes, use);
  }
}

device::CopyList CopyEndpoints::next() {
  const std::uint64_t begin = ++rows_ % 2 * row_.step_bytes;
  device::CopyList list;
  for (std::uint32_t copy = 0; copy < row_.copies; ++copy) {
    const std::uint64_t offset = copy * row_.bytes;
    const device::CopyEndpoint from{
        .buffer = from_.get(), .host = from_ ? nullptr : host_.get(), .offset_bytes = begin + offset};
    const device::CopyEndpoint to{.buffer = to_.get(), .host = to_ ? nullptr : host_.get(), .offset_bytes = offset};
    list.push_back({.from = from, .to = to, .bytes = row_.bytes});
  }
  return list;
}

void CopyEndpoints::check() {
  const std::uint64_t first_block = rows_ % 2 * row_.step_bytes / proof_block_bytes;
  const auto failure = to_ ? proof_->failure(*to_, source_, first_block)
                           : failure_of_host(host_->bytes().first(row_bytes()), source_, first_block);
  if (failure) throw device::Error(*failure);
}

MakeHost host_of(device::CopyEngines& copies, const Words& words) {
  const device::HostKind kind = words.host == HostMemory::pinned     ? device::HostKind::pinned
                                : words.host == HostMemory::imported ? device::HostKind::imported
                                                                     : device::HostKind::pageable;
  return [&copies, kind](std::uint64_t size_bytes) { return copies.make_host_memory(kind, size_bytes); };
}

}  // namespace sonde::probes::copy_probe
