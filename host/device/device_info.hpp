#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::os {
class Library;
}

namespace sonde::device {

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

/// The size of the largest cache; 0 where none is stated.
std::uint64_t largest_bytes(std::span<const StatedCache> caches);
/// The size of a GPU's largest cache of the third level or beyond, where memory-side caches are; 0 without any.
std::uint64_t memory_side_bytes(std::span<const StatedCache> caches);

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

}  // namespace sonde::device
