#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::os {
class Library;
}

namespace sonde::device {

/// A driver call failed. Thrown only in backends, caught only by the runner and by main.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device, or this process's connection to it, will not work any more: another process may find it working again.
struct Lost : Error {
  using Error::Error;
};

/// This device or machine cannot do the request; the text tells the user why and what would help.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The work takes so little time that the clock's resolution or other work on the machine hides it; other points may be
/// measurable.
struct TooShort : Unsupported {
  using Unsupported::Unsupported;
};

/// `cpu` is the host processor itself, without any driver.
enum class Api { opencl, vulkan, model, cpu };
enum class DeviceType { discrete, integrated, cpu, model };

/// How kernels reach a buffer: one made for a use is an argument of the kernels that read it so. `bound` is storage of
/// limited size, which some drivers reach in fewer instructions; a launch has storage or bound buffers, not both. A
/// texel is a 32-bit word, a wide one four of them.
enum class Use { storage, constant, texels, wide_texels, bound };

/// The CPU's intention with memory that it maps. What it does not write stays unchanged, except with `overwrite`, which
/// promises that all of it will be written.
enum class Access { read, write, overwrite };

/// A kind of memory in which buffers can lie, as records name it.
struct MemoryKind {
  std::string name;          ///< "device", "svm-fine", "host-visible+host-coherent"
  std::string missing;       ///< the reason why this device has none; empty where it has
  bool seen_by_cpu = true;   ///< its buffers can be mapped
  bool maps_freely = false;  ///< map and unmap do nothing: CPU and device may always look, one after the other

  friend bool operator==(const MemoryKind&, const MemoryKind&) = default;
};

/// A cache that the system or a driver states.
struct StatedCache {
  int level = 0;  ///< 1 the nearest; 0 where it is not stated
  std::uint64_t bytes = 0;
  std::string source;  ///< the API's or system's name of the statement

  friend bool operator==(const StatedCache&, const StatedCache&) = default;
};

/// The size of the largest cache from a level on; 0 where none is stated.
std::uint64_t largest_bytes(std::span<const StatedCache> caches, int first_level = 0);
/// A GPU's memory-side caches are of this level or beyond.
inline constexpr int memory_side_level = 3;

/// Why kernels cannot compute with a number type: the extension or the feature that is missing.
struct MissingType {
  std::string reason;
  bool worth_a_try = false;  ///< drivers of this kind are known to take it all the same

  friend bool operator==(const MissingType&, const MissingType&) = default;
};

/// The facts that one driver states about one device; an empty string or a zero means that it does not say.
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
  std::string largest_buffer_reason;  ///< the limit of a buffer's size by name, shown where a sweep ends at it
  bool unified_memory = false;
  std::uint32_t line_bytes = 0;  ///< cache line as the driver states it
  std::uint32_t largest_group_size = 1;
  std::uint64_t constant_bytes = 0;      ///< largest buffer of constants; zero where none is large enough
  std::uint64_t texel_bytes = 0;         ///< largest buffer of 32-bit texels, a quarter of that of wide ones
  std::uint64_t local_bytes = 0;         ///< memory that a work-group may declare
  std::uint64_t bound_bytes = ~0ull;     ///< largest buffer for `Use::bound`
  std::uint32_t most_trips = 65000;      ///< total loop trips of a work-item; llvmpipe silently ends loops after 65,535
  std::uint32_t widest_load_bytes = 16;  ///< the language's widest vector
  double timer_step_ns = 1;
  double clock_mhz = 0;                              ///< the highest core clock that the driver states
  std::map<std::string, MissingType> missing_types;  ///< by the words of a record: fp16, int8, dot4 …
  std::set<std::string> emulated_types;  ///< types, named likewise, for which the driver states no instruction
  bool core_clock = false;  ///< kernels can read a counter of their core; that it counts cycles is not stated
  std::vector<StatedCache> stated_caches;
  /// Every kind that could be asked for, missing ones too; make_buffer() takes the first.
  std::vector<MemoryKind> memory_kinds;
};

/// The device's kind of this name. Throws Unsupported, with the reason, where it has none.
const MemoryKind& memory_kind(const DeviceInfo& info, std::string_view name);

/// Throws Unsupported, naming the limit, when a buffer of this size is more than the driver allows or than
/// `available_bytes` leaves.
void check_fits(const DeviceInfo& info, std::uint64_t available_bytes, std::uint64_t size_bytes,
                Use use = Use::storage);

/// A device's 16 bytes as 32 lower-case hexadecimal digits, so that both APIs spell it alike.
std::string uuid_text(const std::array<std::uint8_t, 16>& bytes);

/// The address as lspci -D writes it: "0000:c5:00.0".
std::string pci_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function);

/// Why an API's loader ("OpenCL", "Vulkan") could not be loaded, and what to do; the text distinguishes a missing
/// loader from a broken one. `package` is its name on Debian and Ubuntu.
std::string loader_problem(const std::string& api, const std::string& package, const os::Library& loader);

/// One device program in every form that a backend may need; an empty form is not available on that API.
/// Buffer n is argument n, 32-bit scalars follow in order; GROUP_SIZE (OpenCL) and specialization
/// constant 0 (Vulkan) are the work-group's size; further constants are macros and constants 1, 2, ….
struct KernelSource {
  std::string_view name;
  std::string_view opencl_c;
  std::span<const std::uint32_t> spirv_addresses;    ///< buffers as 64-bit addresses in push constants
  std::span<const std::uint32_t> spirv_descriptors;  ///< buffers as bindings 0, 1, … of set 0
};

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
  virtual void unmap() {}

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
  [[nodiscard]] virtual std::unique_ptr<Companion> companion() { return nullptr; }

  /// The engines that move data between memories beside kernels; they live as long as the device.
  [[nodiscard]] virtual CopyEngines& copy_engines();
  /// The times of `count` round trips by the CPU's clock: the CPU signals the device, which runs or waits already, and
  /// sees its answer. The signals are the API's own: shared memory with atomics, or semaphores.
  [[nodiscard]] virtual std::vector<Nanoseconds> round_trips(std::uint32_t count);

  /// The clock of the CPU beside the device, for what only the CPU can time; simulated where the device is.
  [[nodiscard]] virtual Nanoseconds host_time();

  /// The counters of a simulated device, valid as long as it lives; null where the machine's own counters count.
  [[nodiscard]] virtual const SimulatedTraffic* simulated_traffic() { return nullptr; }
  /// What a user of a real device of this kind would have waited for until now, the host's part included; nothing where
  /// time is real.
  [[nodiscard]] virtual std::optional<double> simulated_seconds() { return std::nullopt; }
};

}  // namespace sonde::device
