#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "device/model/description.hpp"

namespace sonde::device::model {

/// The clocks of a simulated machine beside its device's timer. Only the first can be read by what measures.
struct Clocks {
  Nanoseconds host{0};  ///< of the CPU: dispatches, copies of buffers that it maps, and a little for each map and unmap
  /// All that a user of a real device of this kind would wait for beside its dispatches: buffers made, filled, read and
  /// freed, copies, and the host's part in each dispatch. Where simulating takes this computer longer, it is that.
  Nanoseconds beside_dispatches{0};
};

/// What the host's part in using such a device costs, as drivers of real ones take; docs/model-devices.md has the
/// constants.
struct HostCosts {
  CopyDescription copy;      ///< with memory's own rates where none are stated, as memory itself limits then
  double clearing_gbps = 0;  ///< the rate at which a driver clears what it hands out

  static constexpr Nanoseconds make_buffer{40e3};
  static constexpr Nanoseconds free_buffer{20e3};
  static constexpr Nanoseconds map{100};  ///< an unmap takes it too
  static constexpr Nanoseconds submit_and_wait{10e3};
  static constexpr double host_clearing_gbps = 8;  ///< pages that the system clears

  [[nodiscard]] Nanoseconds making(std::uint64_t bytes) const {
    return make_buffer + Nanoseconds(static_cast<double>(bytes) / clearing_gbps);
  }
  [[nodiscard]] Nanoseconds writing(std::uint64_t bytes) const { return copying(bytes, copy.to_device_gbps); }
  [[nodiscard]] Nanoseconds reading(std::uint64_t bytes) const { return copying(bytes, copy.to_host_gbps); }

 private:
  [[nodiscard]] Nanoseconds copying(std::uint64_t bytes, double gbps) const {
    const double ns = gbps > 0 ? static_cast<double>(bytes) / gbps : 0;  // a GB/s is a byte a nanosecond
    return Nanoseconds(copy.latency_us * 1e3 + ns);
  }
};

}  // namespace sonde::device::model
