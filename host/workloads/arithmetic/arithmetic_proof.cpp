#include "workloads/arithmetic/arithmetic.hpp"

#include <bit>
#include <cmath>
#include <random>

#include "os/threads.hpp"
#include "os/time.hpp"
#include "workloads/stream/stream_walk.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

constexpr std::string_view not_done = ", so it did not do the work that was timed; please report the driver";
/// Functions are the device's own approximations; 1e-3 is far more than any of their errors, and far less than a step.
constexpr double tolerated_share = 1e-3;

/// Numbers between 1/2 and 1 with any mantissa; odd integers.
std::vector<device::ArithmeticPair> starts_of(NumberType type, std::uint64_t seed) {
  std::mt19937_64 random(seed + 0x5EED);
  std::vector<device::ArithmeticPair> starts;
  const auto number = [&] {
    const double share = (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;
    return device::bits_of(type, 0.5 + 0.45 * share);
  };
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - device::facts_of(type).bits);
  const auto odd = [&] { return (random() | 1) & mask; };
  while (starts.size() < device::different_starts) {
    starts.push_back(device::facts_of(type).floating ? device::ArithmeticPair{number(), number()}
                                                     : device::ArithmeticPair{odd(), odd()});
  }
  return starts;
}

/// The beginnings of instructions that compute with numbers; moves, conversions and computed addresses begin otherwise.
constexpr std::array<std::string_view, 33> arithmetic_beginnings{
    "v_fma", "v_dual_fma", "v_pk_", "v_mad",  "v_mac", "v_mul", "v_dual_mul", "v_add", "v_dual_add",
    "v_sub", "v_dual_sub", "v_rcp", "v_sqrt", "v_rsq", "v_exp", "v_sin",      "v_dot", "FFMA",
    "FADD",  "FMUL",       "DFMA",  "DADD",   "DMUL",  "HFMA2", "HADD2",      "HMUL2", "IMAD",
    "IADD3", "MUFU",       "fma.",  "mad.",   "add.",  "mul."};

/// A smaller loss is no sign of others: threads begin one after the other, and one whose core is slower ends last.
constexpr double most_lost = 0.1;

std::uint32_t cores_of(const device::DeviceInfo& device, std::uint32_t groups) {
  if (device.type != device::DeviceType::cpu) return 0;
  const auto allowed = static_cast<std::uint32_t>(os::allowed_cpus().size());
  const std::uint32_t cores = std::min(compute_units_of(device), groups);
  return allowed == 0 ? cores : std::min(cores, allowed);
}

}  // namespace

ArithmeticProof::ArithmeticProof(const device::NumberChain& chain, std::uint64_t seed)
    : chain_(chain), starts_(starts_of(chain.type, seed)) {}

std::optional<std::string> ArithmeticProof::mismatch(std::span<const std::uint32_t> results,
                                                     const ArithmeticShape& shape, std::uint32_t trips,
                                                     std::uint32_t salt) const {
  const std::vector<device::ArithmeticPair> at_end =
      device::ends_of_items(chain_, starts_, std::uint64_t{2} * shape.unroll * trips, rounding_,
                            {.count = shape.items(), .numbers = shape.accumulators * shape.width, .salt = salt});
  std::array<std::uint32_t, device::different_starts> results_of_starts{};
  for (std::uint32_t first = 0; first < device::different_starts; ++first) {
    results_of_starts[first] = device::item_result(chain_, at_end, first, shape.accumulators, shape.width);
  }
  for (std::uint32_t item = 0; item < shape.items(); ++item) {
    const std::uint32_t expected = results_of_starts[(item + salt) % device::different_starts];
    const std::uint32_t found = results[2 * std::size_t{item}];
    const double wanted = std::bit_cast<float>(expected);
    const bool right = device::is_exact(chain_.operation)
                           ? found == expected
                           : std::abs(std::bit_cast<float>(found) - wanted) <= tolerated_share * std::abs(wanted);
    if (right) continue;
    return "the accumulators of work-item " + std::to_string(item) +
           " are not what the host finds after the same steps" + std::string(not_done);
  }
  return std::nullopt;
}

std::optional<std::string> ArithmeticProof::failure(std::span<const std::uint32_t> results,
                                                    const ArithmeticShape& shape, std::uint32_t trips,
                                                    std::uint32_t salt) {
  for (std::uint32_t item = 0; item < shape.items(); ++item) {
    const std::uint32_t made = results[2 * std::size_t{item} + 1] - salt;
    if (made == trips) continue;
    return "work-item " + std::to_string(item) + " left its loop after " + std::to_string(made) + " of " +
           std::to_string(trips) + " trips" + std::string(not_done);
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

std::string most_frequent_arithmetic(std::string_view listing) { return most_frequent(listing, arithmetic_beginnings); }

bool some_were_away(std::uint32_t cores, double cpu_seconds, double passed_seconds) {
  return cpu_seconds < (1 - most_lost) * cores * passed_seconds;
}

BusyCores::BusyCores(const device::DeviceInfo& device, std::uint32_t groups) : cores_(cores_of(device, groups)) {}

device::Nanoseconds BusyCores::during(const std::function<device::Nanoseconds()>& dispatch) {
  if (cores_ == 0) return dispatch();
  const double before = os::cpu_seconds_of_all_threads();
  const device::Nanoseconds time = dispatch();
  some_were_away_ = workloads::some_were_away(cores_, os::cpu_seconds_of_all_threads() - before, time.count() * 1e-9);
  return time;
}

}  // namespace sonde::workloads
