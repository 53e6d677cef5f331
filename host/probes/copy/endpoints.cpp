#include "probes/copy/endpoints.hpp"

#include <span>

#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {

CopyEndpoints::CopyEndpoints(device::Device& device, Direction direction, const Row& row, const MakeHost& make_host,
                             std::uint64_t seed, const MakeBuffer& make_buffer)
    : row_(row), source_(seed) {
  const std::uint64_t source_bytes = row_bytes() + row.step_bytes;
  const device::Use use = workloads::use_for(device.info(), source_bytes);
  const auto buffer_of = [&](std::uint64_t size_bytes) {
    return make_buffer ? make_buffer(size_bytes, use) : device.make_buffer(size_bytes, use);
  };
  if (direction == Direction::to_device) {
    host_ = make_host(source_bytes);
    write_noise(host_->bytes().first(source_bytes), source_);
  } else {
    from_ = buffer_of(source_bytes);
    source_.sums = workloads::write_noise(*from_, source_.noise, proof_block_bytes / sizeof(std::uint32_t));
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

std::optional<std::string> CopyEndpoints::flaw() {
  const std::uint64_t first_block = rows_ % 2 * row_.step_bytes / proof_block_bytes;
  if (to_) return proof_->flaw(*to_, source_, first_block);
  return flaw_of_host(host_->bytes().first(row_bytes()), source_, first_block);
}

}  // namespace sonde::probes
