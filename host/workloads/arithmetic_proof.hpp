#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/arithmetic.hpp"

namespace sonde::workloads {

/// What kernels/arithmetic.h must have left, found by making the same steps on the host.
class ArithmeticProof {
 public:
  ArithmeticProof(NumberType type, Operation operation, const gpu::ArithmeticPair& operands, std::uint64_t seed);

  /// As a kernel takes them.
  std::vector<std::uint32_t> start_words() const { return gpu::start_words(starts_); }

  /// Why `results`, two words for each item, are not what so many trips leave; empty where they are.
  std::optional<std::string> flaw(std::span<const std::uint32_t> results, const ArithmeticShape& shape,
                                  std::uint32_t trips, std::uint32_t salt);

  /// How the device was seen to round; it is the first that is tried.
  const gpu::Rounding& rounding() const { return rounding_; }

 private:
  using Ends = std::array<std::optional<gpu::ArithmeticPair>, gpu::different_starts>;

  /// Of these starts alone, each of which costs the host time; by how many steps they have made.
  std::vector<gpu::ArithmeticPair> ends(const ArithmeticShape& shape, std::uint32_t salt, std::uint64_t steps);
  std::optional<std::string> mismatch(std::span<const std::uint32_t> results, const ArithmeticShape& shape,
                                      std::uint32_t trips, std::uint32_t salt);

  NumberType type_;
  Operation operation_;
  gpu::ArithmeticPair operands_;
  std::vector<gpu::ArithmeticPair> starts_;
  gpu::Rounding rounding_;
  std::map<std::uint64_t, Ends> ends_;
};

}  // namespace sonde::workloads
