#include "device/model/address_space.hpp"

#include "device/error.hpp"

namespace sonde::device::model {

AddressSpace::AddressSpace(std::uint64_t size_bytes, std::uint64_t alignment_bytes, std::uint64_t begin)
    : begin_(begin),
      size_bytes_(size_bytes / alignment_bytes * alignment_bytes),
      alignment_bytes_(alignment_bytes),
      free_bytes_(size_bytes_) {}

std::uint64_t AddressSpace::take(std::uint64_t size_bytes) {
  if (size_bytes == 0) throw Error("a buffer needs at least one byte");
  if (size_bytes > free_bytes_) throw Unsupported("the simulated memory has too little left for this buffer");
  const std::uint64_t rounded = (size_bytes + alignment_bytes_ - 1) / alignment_bytes_ * alignment_bytes_;
  std::uint64_t address = gap_from(next_, rounded);
  if (address + rounded > size_bytes_) address = gap_from(0, rounded);
  if (address + rounded > size_bytes_) throw Unsupported("the simulated memory has no gap for this buffer");
  taken_.emplace(address, rounded);
  free_bytes_ -= rounded;
  next_ = address + rounded;
  return begin_ + address;
}

void AddressSpace::give_back(std::uint64_t address) {
  const auto range = taken_.find(address - begin_);
  free_bytes_ += range->second;
  taken_.erase(range);
}

std::uint64_t AddressSpace::gap_from(std::uint64_t address, std::uint64_t size_bytes) const {
  for (const auto& [first, bytes] : taken_) {
    if (first + bytes <= address) continue;
    if (first >= address && first - address >= size_bytes) break;
    address = first + bytes;
  }
  return address;
}

}  // namespace sonde::device::model
