#include "workloads/arithmetic/arithmetic_proof.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

namespace sonde::workloads {
namespace {

constexpr std::string_view report = ", so it did not do the work that was timed; please report the driver";
/// Functions are the device's own approximations; 1e-3 is far more than any of their errors, and far less than a step.
constexpr double tolerated_share = 1e-3;

/// Between 1/2 and 1, of any mantissa; odd integers.
std::vector<device::ArithmeticPair> starts_of(NumberType type, std::uint64_t seed) {
  std::mt19937_64 random(seed + 0x5EED);
  std::vector<device::ArithmeticPair> starts;
  const auto number = [&] {
    const double share = (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;
    return device::bits_of(type, 0.5 + 0.45 * share);
  };
  for (std::uint32_t start = 0; start < device::different_starts; ++start) {
    if (device::facts_of(type).floating) {
      starts.push_back({number(), number()});
      continue;
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - device::facts_of(type).bits);
    starts.push_back({(random() | 1) & mask, (random() | 1) & mask});
  }
  return starts;
}

}  // namespace

ArithmeticProof::ArithmeticProof(const device::Chain& chain, std::uint64_t seed)
    : chain_(chain), starts_(starts_of(chain.type, seed)) {}

std::optional<std::string> ArithmeticProof::mismatch(std::span<const std::uint32_t> results,
                                                     const ArithmeticShape& shape, std::uint32_t trips,
                                                     std::uint32_t salt) const {
  const std::vector<device::ArithmeticPair> at_end =
      device::ends_of_items(chain_, starts_, std::uint64_t{2} * shape.unroll * trips, rounding_,
                            {.count = shape.items(), .numbers = shape.accumulators * shape.width, .salt = salt});
  std::array<std::uint32_t, device::different_starts> told{};
  for (std::uint32_t first = 0; first < device::different_starts; ++first) {
    told[first] = device::item_result(chain_, at_end, first, shape.accumulators, shape.width);
  }
  for (std::uint32_t item = 0; item < shape.items(); ++item) {
    const std::uint32_t expected = told[(item + salt) % device::different_starts];
    const std::uint32_t found = results[2 * std::size_t{item}];
    if (device::is_exact(chain_.operation)) {
      if (found == expected) continue;
    } else {
      const auto wanted = static_cast<double>(std::bit_cast<float>(expected));
      if (std::abs(static_cast<double>(std::bit_cast<float>(found)) - wanted) <= tolerated_share * std::abs(wanted))
        continue;
    }
    return "the accumulators of work-item " + std::to_string(item) +
           " are not what the host finds after the same steps" + std::string(report);
  }
  return std::nullopt;
}

std::optional<std::string> ArithmeticProof::flaw(std::span<const std::uint32_t> results, const ArithmeticShape& shape,
                                                 std::uint32_t trips, std::uint32_t salt) {
  for (std::uint32_t item = 0; item < shape.items(); ++item) {
    const std::uint32_t made = results[2 * std::size_t{item} + 1] - salt;
    if (made == trips) continue;
    return "work-item " + std::to_string(item) + " left its loop after " + std::to_string(made) + " of " +
           std::to_string(trips) + " trips" + std::string(report);
  }
  auto wrong = mismatch(results, shape, trips, salt);
  if (!wrong || !device::facts_of(chain_.type).floating || !device::is_exact(chain_.operation)) return wrong;
  const device::Rounding before = rounding_;
  for (const bool flushes : {false, true}) {
    for (const bool fused : {true, false}) {
      rounding_ = {.fused = fused, .flushes = flushes};
      if (!mismatch(results, shape, trips, salt)) return std::nullopt;
    }
  }
  rounding_ = before;
  return wrong;
}

}  // namespace sonde::workloads
