#pragma once

#include <array>
#include <cstddef>

namespace sonde::counters {

/// What a counter's count stands for. The first eight are bytes, under the names that a `counter` record has for them.
enum class Role {
  fabric_read,
  fabric_write,
  memory_read,
  memory_write,
  cpu_read,
  cpu_write,
  gpu_read,
  gpu_write,
  cpu_requests,   ///< bytes, both ways: memory controllers that do not tell the directions apart
  gpu_requests,   ///< the same of the GPU
  io_requests,    ///< the same of devices
  l3_latency_ns,  ///< nanoseconds that sampled requests behind the CPU's L3 took, together
  l3_samples,     ///< the number of those requests
  memory_clock,   ///< cycles of the memory controllers' clock
  uncalibrated,   ///< requests whose number is known to be wrong on some machines
  other,          ///< nothing of memory
};
inline constexpr std::size_t role_count = static_cast<std::size_t>(Role::other) + 1;

/// A value for each role.
template <typename Value>
class PerRole {
 public:
  Value& operator[](Role role) { return values_[static_cast<std::size_t>(role)]; }
  const Value& operator[](Role role) const { return values_[static_cast<std::size_t>(role)]; }

 private:
  std::array<Value, role_count> values_{};
};

}  // namespace sonde::counters
