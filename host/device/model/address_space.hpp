#pragma once

#include <cstdint>
#include <map>

namespace sonde::device::model {

/// The simulated device's physical memory. A new range begins behind the one taken last, also where
/// earlier memory was given back, so that a new buffer finds none of its lines in a cache.
class AddressSpace {
 public:
  /// Ranges start at multiples of `alignment_bytes`, of which `begin` is one.
  AddressSpace(std::uint64_t size_bytes, std::uint64_t alignment_bytes, std::uint64_t begin = 0);

  /// Takes a range and returns its first address; throws Unsupported when no gap is long enough.
  std::uint64_t take(std::uint64_t size_bytes);
  void give_back(std::uint64_t address);
  [[nodiscard]] std::uint64_t free_bytes() const { return free_bytes_; }
  [[nodiscard]] std::uint64_t end() const { return begin_ + size_bytes_; }

 private:
  [[nodiscard]] std::uint64_t gap_from(std::uint64_t address, std::uint64_t size_bytes) const;

  std::uint64_t begin_;
  std::uint64_t size_bytes_;
  std::uint64_t alignment_bytes_;
  std::uint64_t free_bytes_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::uint64_t> taken_;  ///< first address, counted from the beginning, to size
};

}  // namespace sonde::device::model
