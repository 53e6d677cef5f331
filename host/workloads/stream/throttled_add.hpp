#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "workloads/stream/noise.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {

/// C = A + B on the device again and again, slowed by arithmetic before C is written.
class ThrottledAdd {
 public:
  /// Each of the three arrays has `array_bytes`.
  ThrottledAdd(device::Device& device, const StreamShape& shape, std::uint64_t array_bytes, std::uint64_t seed);

  /// Finds the arithmetic by which this share of the full bandwidth is used, by some dispatches as long as `trial`;
  /// from then on each is about as long as `dispatch`.
  void throttle(double load, device::Nanoseconds dispatch = device::Nanoseconds(8e6),
                device::Nanoseconds trial = device::Nanoseconds(2e6));
  /// Dispatches back to back for about that long.
  device::BusyTimes keep_busy(device::Nanoseconds time);
  /// Why the last dispatches did not do their work, read from device memory; empty when they did.
  std::optional<std::string> proof_failure();

  [[nodiscard]] double bytes_per_dispatch() const;
  [[nodiscard]] const StreamShape& shape() const { return walk_.shape; }
  /// The mean number of rounds of arithmetic on a trip.
  [[nodiscard]] double rounds() const { return throttle_ / parts_of_a_round; }

 private:
  static constexpr double parts_of_a_round = 64;

  [[nodiscard]] device::Launch next_launch();
  void touch_all();
  double ns_per_trip(std::uint32_t throttle, device::Nanoseconds trial);
  [[nodiscard]] std::uint32_t most_trips(std::uint32_t throttle) const;

  device::Device& device_;
  StreamWalk walk_;
  std::unique_ptr<device::Kernel> kernel_;
  std::array<Noise, 2> noises_;
  std::array<std::unique_ptr<device::Buffer>, 3> arrays_;
  std::mt19937_64 random_;
  std::uint32_t throttle_ = 0;    ///< parts of a round that each trip makes in the mean
  std::uint32_t trips_ = 1;       ///< of every dispatch
  std::uint64_t turn_ = 0;        ///< trips made since the beginning
  std::uint32_t salt_ = 0;        ///< of the next dispatch
  std::uint64_t first_turn_ = 0;  ///< of the dispatches that `proof_failure` is about, and their first salt
  std::uint32_t first_salt_ = 0;
};

}  // namespace sonde::workloads
