#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::workloads {

/// What kernels/arithmetic.h must have left, found by making the same steps on the host.
class ArithmeticProof {
 public:
  ArithmeticProof(const device::Chain& chain, std::uint64_t seed);

  /// As a kernel takes them.
  std::vector<std::uint32_t> start_words() const { return device::start_words(starts_); }

  /// Why `results`, two words for each item, are not what so many trips leave; empty where they are.
  std::optional<std::string> flaw(std::span<const std::uint32_t> results, const ArithmeticShape& shape,
                                  std::uint32_t trips, std::uint32_t salt);

  /// How the device was seen to round; it is the first that is tried.
  const device::Rounding& rounding() const { return rounding_; }

 private:
  std::optional<std::string> mismatch(std::span<const std::uint32_t> results, const ArithmeticShape& shape,
                                      std::uint32_t trips, std::uint32_t salt) const;

  device::Chain chain_;
  std::vector<device::ArithmeticPair> starts_;
  device::Rounding rounding_;
};

}  // namespace sonde::workloads
