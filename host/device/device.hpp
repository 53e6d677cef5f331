#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/kernel_source.hpp"
#include "device/shared_memory.hpp"
#include "device/simulated_traffic.hpp"

namespace sonde::device {

/// Time by the device's own clock.
using Nanoseconds = std::chrono::duration<double, std::nano>;

/// `cpu` is the host processor itself, without any driver.
enum class Api { opencl, vulkan, model, cpu };
enum class DeviceType { discrete, integrated, cpu, model };

/// How kernels reach a buffer: one made for a use is an argument of the kernels that read it so. `bound` is storage of
/// limited size, which some drivers reach in fewer instructions; a launch has storage or bound buffers, not both. A
/// texel is a 32-bit word, a wide one four of them.
enum class Use { storage, constant, texels, wide_texels, bound };

/// A cache of which the system or a driver says that it is there.
struct StatedCache {
  int level = 0;  ///< 1 the nearest; 0 where it is not said
  std::uint64_t bytes = 0;
  std::string source;  ///< who says so

  friend bool operator==(const StatedCache&, const StatedCache&) = default;
};

/// Of the largest; 0 where none is stated.
std::uint64_t largest_bytes(std::span<const StatedCache> caches);
/// Of the largest of a GPU's that is said to be its third level or beyond, where memory-side caches are; 0 without any.
std::uint64_t memory_side_bytes(std::span<const StatedCache> caches);

/// Why kernels cannot compute with a number type: the extension or the feature that is missing.
struct MissingType {
  std::string reason;
  bool worth_a_try = false;  ///< drivers of this kind are known to take it all the same

  friend bool operator==(const MissingType&, const MissingType&) = default;
};

/// What one driver states about one device; an empty string or a zero means that it does not say.
struct DeviceInfo {
  Api api = Api::model;
  DeviceType type = DeviceType::discrete;
  std::string name;
  std::string platform;        ///< OpenCL platform or Vulkan driver name
  std::string driver;          ///< who wrote it, e.g. "NVIDIA", "radv", "PoCL"
  std::string driver_version;  ///< as people write it, e.g. "580.105.08"
  std::string api_version;
  std::string uuid;  ///< 32 lower-case hexadecimal digits
  std::string pci;   ///< domain:bus:device.function, e.g. "0000:c5:00.0"
  std::uint32_t compute_units = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t largest_buffer_bytes = 0;
  std::string largest_buffer_reason;  ///< what limits a buffer, to be shown where a sweep ends at it
  bool unified_memory = false;
  std::uint32_t line_bytes = 0;  ///< cache line as the driver states it
  std::uint32_t largest_group_size = 1;
  std::uint64_t constant_bytes = 0;  ///< largest buffer of constants; zero where there are none large enough
  std::uint64_t texel_bytes =
      0;  ///< largest buffer of 32-bit texels, a quarter of that of wide ones; zero where there are none
  std::uint64_t local_bytes = 0;         ///< memory that a work-group may declare
  std::uint64_t bound_bytes = ~0ull;     ///< largest buffer for `Use::bound`
  std::uint32_t most_trips = 65000;      ///< of all loops of a work-item; llvmpipe silently leaves them after 65,535
  std::uint32_t widest_load_bytes = 16;  ///< what one load of a kernel can name: the language's widest vector
  double timer_step_ns = 1;
  double clock_mhz = 0;                              ///< the highest core clock that the driver states
  std::map<std::string, MissingType> missing_types;  ///< by the words of a record: fp16, int8, dot4 …
  std::set<std::string> emulated_types;  ///< by the same words: for which the driver says that it has no instruction
  bool core_clock = false;  ///< kernels can read a counter of their core; that it counts cycles is not said
  std::vector<StatedCache> stated_caches;
  /// All that could be asked for, those that are missing too; what make_buffer() takes comes first.
  std::vector<MemoryKind> memory_kinds;
};

/// Memory that kernels reach. Reads and writes block; bytes beyond the end throw Error.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  virtual void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) = 0;
  virtual void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) = 0;
  /// All of it as the CPU sees it, until unmap(): no launch may use it meanwhile, unless the kind maps freely. Throws
  /// Unsupported where the CPU cannot see it.
  [[nodiscard]] virtual std::span<std::byte> map(Access access);
  /// Done before it returns: what the CPU wrote is what the next launch reads.
  virtual void unmap();

 protected:
  /// Throws Error where the bytes reach beyond the end. Asked before the driver is: some check with sums that overflow.
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
  /// What the driver made of it, as text (assembler or PTX); empty where it does not say.
  [[nodiscard]] virtual std::string listing() const { return {}; }
};

/// Arguments in the kernel's order: buffers first, then 32-bit scalars.
struct Launch {
  std::vector<Buffer*> buffers;
  std::vector<std::uint32_t> scalars;
  std::uint32_t groups = 1;
};

/// When one dispatch was at work, on the host's steady clock.
struct Busy {
  Nanoseconds begin{0};
  Nanoseconds end{0};
};

/// Dispatches in their order, and how well the device's clock is known to lie on the host's.
struct BusyTimes {
  std::vector<Busy> dispatches;
  Nanoseconds uncertainty{0};
};

class Companion;  // device/companion.hpp
class Copies;     // device/copies.hpp

/// All that a probe may ask of a GPU; one implementation for each API and one simulated.
/// Every method throws Error when the driver fails and Unsupported when the device cannot.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;

  /// Bytes that may still be allocated now without pressing anybody else's data out of memory.
  [[nodiscard]] virtual std::uint64_t available_bytes() = 0;

  [[nodiscard]] virtual std::unique_ptr<Buffer> make_buffer(std::uint64_t size_bytes, Use use = Use::storage) = 0;
  /// In one of info().memory_kinds, for storage or bound use; a launch takes it as it takes any other.
  [[nodiscard]] virtual std::unique_ptr<Buffer> make_buffer_in(const MemoryKind& kind, std::uint64_t size_bytes,
                                                               Use use = Use::storage);
  [[nodiscard]] virtual std::unique_ptr<Kernel> make_kernel(const KernelSource& source, std::uint32_t group_size,
                                                            std::span<const Constant> constants = {}) = 0;

  /// Runs one dispatch to its end and returns its time by the device's clock.
  virtual Nanoseconds run(Kernel& kernel, const Launch& launch) = 0;

  /// Runs dispatches one after the other, the next ones enqueued before one has ended so that the device is never idle
  /// between, until `enough` says so, which is told when the latest one known ended. Buffers are the same in all.
  virtual BusyTimes keep_busy(Kernel& kernel, const std::function<Launch(std::size_t dispatch)>& launch,
                              const std::function<bool(Nanoseconds end)>& enough);

  /// The CPU beside a simulated device; null where it is this machine's.
  [[nodiscard]] virtual std::unique_ptr<Companion> companion();

  /// What moves data between memories beside kernels; as long as the device is there.
  [[nodiscard]] virtual Copies& copies();
  /// The CPU signals the device, which runs or waits already, and sees its answer: what each of so many took, by the
  /// CPU's clock. How they signal is the API's own: shared memory with atomics, or semaphores.
  [[nodiscard]] virtual std::vector<Nanoseconds> round_trips(std::uint32_t count);

  /// The clock of the CPU beside the device, for what only the CPU can time; simulated where the device is.
  [[nodiscard]] virtual Nanoseconds host_time();

  /// What a simulated device's counters have counted, as long as it is there; null where the machine's own count.
  [[nodiscard]] virtual const SimulatedTraffic* simulated_traffic() { return nullptr; }
};

}  // namespace sonde::device
