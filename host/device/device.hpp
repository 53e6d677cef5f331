#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_info.hpp"
#include "device/kernel_source.hpp"

namespace sonde::device {

/// Time by the device's own clock.
using Nanoseconds = std::chrono::duration<double, std::nano>;

/// Bytes that have passed the counting places of a simulated machine since its device was opened.
struct SimulatedTraffic {
  struct Station {
    double read = 0;
    double write = 0;
  };
  double seconds = 0;             ///< by the simulated clock
  std::vector<Station> stations;  ///< the fabric's, before a memory-side cache; they count the CPU's requests too
  double memory_read = 0;
  double memory_write = 0;
  double cpu_read = 0;
  double cpu_write = 0;
};

/// Memory that kernels reach. Reads and writes block; bytes beyond the end throw Error.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  virtual void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) = 0;
  virtual void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) = 0;
  /// The whole buffer as the CPU sees it, until unmap(): no launch may use it meanwhile, unless the kind maps freely.
  /// Throws Unsupported where the CPU cannot see it.
  [[nodiscard]] virtual std::span<std::byte> map(Access access);
  /// Blocks until the next launch would read what the CPU wrote.
  virtual void unmap();

 protected:
  /// Throws Error where the bytes reach beyond the end. Backends call it themselves, as some drivers check with sums
  /// that overflow.
  void check_range(std::uint64_t offset_bytes, std::uint64_t bytes) const;
};

/// A number that a kernel is compiled with, so that its loops can be unrolled. OpenCL sees it as a macro of this name,
/// Vulkan as the specialization constant of its place among them, counted from 1.
struct Constant {
  std::string_view name;
  std::uint32_t value;
};

/// A device program compiled for one device, one group size and one set of constants.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// The compiled kernel as text (assembler or PTX); empty where the driver does not show it.
  [[nodiscard]] virtual std::string listing() const { return {}; }
};

/// Arguments in the kernel's order: buffers first, then 32-bit scalars.
struct Launch {
  std::vector<Buffer*> buffers;
  std::vector<std::uint32_t> scalars;
  std::uint32_t groups = 1;
};

/// The time during which one dispatch worked, on the host's steady clock.
struct BusyInterval {
  Nanoseconds begin{0};
  Nanoseconds end{0};
};

/// The dispatches in their order, and how well the device's clock is known to lie on the host's.
struct BusyTimes {
  std::vector<BusyInterval> dispatches;
  Nanoseconds uncertainty{0};
};

/// One stretch of a chase by the CPU, on the host's steady clock.
struct ChaseWindow {
  Nanoseconds begin{0};
  Nanoseconds end{0};
  double ns_per_load = 0;
  double clock_mhz = 0;      ///< the core's clock right after; 0 where it is unknown
  bool interrupted = false;  ///< its thread lost the core meanwhile, so this is no latency of memory
};

/// A core of the CPU that chases pointers through memory beyond every cache, beside other work or alone.
class Companion {
 public:
  virtual ~Companion() = default;
  /// The windows of a chase that began before `meanwhile` was called and ended once it returned.
  virtual std::vector<ChaseWindow> chase_during(const std::function<void()>& meanwhile) = 0;
  virtual std::vector<ChaseWindow> chase_for(Nanoseconds time) = 0;
};

class CopyEngines;  // device/copy_engines.hpp

/// The interface through which probes use a GPU or CPU; one implementation for each API and one simulated.
/// Every method throws Error when the driver fails and Unsupported when the device cannot.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;

  /// The number of bytes that can be allocated now without pressing anybody else's data out of memory.
  [[nodiscard]] virtual std::uint64_t available_bytes() = 0;

  [[nodiscard]] virtual std::unique_ptr<Buffer> make_buffer(std::uint64_t size_bytes, Use use = Use::storage) = 0;
  /// A buffer in one of info().memory_kinds, for storage or bound use; a launch takes it like any other.
  [[nodiscard]] virtual std::unique_ptr<Buffer> make_buffer_in(const MemoryKind& kind, std::uint64_t size_bytes,
                                                               Use use = Use::storage);
  [[nodiscard]] virtual std::unique_ptr<Kernel> make_kernel(const KernelSource& source, std::uint32_t group_size,
                                                            std::span<const Constant> constants = {}) = 0;

  /// Runs one dispatch to its end and returns its time by the device's clock.
  virtual Nanoseconds run(Kernel& kernel, const Launch& launch) = 0;

  /// Runs dispatches one after the other and enqueues the next ones before one has ended, so that the device is never
  /// idle in between. Ends when `enough` returns true; its argument is the end of the latest dispatch known to be over.
  /// All launches have the same buffers.
  virtual BusyTimes keep_busy(Kernel& kernel, const std::function<Launch(std::size_t dispatch)>& launch,
                              const std::function<bool(Nanoseconds end)>& enough);

  /// The CPU beside a simulated device; null where it is this machine's.
  [[nodiscard]] virtual std::unique_ptr<Companion> companion();

  /// The engines that move data between memories beside kernels; they live as long as the device.
  [[nodiscard]] virtual CopyEngines& copy_engines();
  /// The times of `count` round trips by the CPU's clock: the CPU signals the device, which runs or waits already, and
  /// sees its answer. The signals are the API's own: shared memory with atomics, or semaphores.
  [[nodiscard]] virtual std::vector<Nanoseconds> round_trips(std::uint32_t count);

  /// The clock of the CPU beside the device, for what only the CPU can time; simulated where the device is.
  [[nodiscard]] virtual Nanoseconds host_time();

  /// The counters of a simulated device, valid as long as it lives; null where the machine's own counters count.
  [[nodiscard]] virtual const SimulatedTraffic* simulated_traffic() { return nullptr; }
};

}  // namespace sonde::device
