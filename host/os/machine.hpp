#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sonde::os {

/// Whether the system tells of itself and its devices by files: /proc and /sys. Wine shows those of the Linux below it,
/// which no Windows has.
#if defined(__linux__)
inline constexpr bool tells_by_files = true;
#else
inline constexpr bool tells_by_files = false;
#endif

/// What the system says of itself and the machine; empty texts where it does not.
struct Machine {
  std::string name;                 ///< in the network
  std::string system;               ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;               ///< "Linux 6.1.0"
  std::string processor;            ///< as its maker calls it, else by its cores' numbers, else the architecture
  std::optional<bool> virtualised;  ///< empty where nothing tells
};
Machine describe_machine();

// Each 0 where the system does not say.
std::uint32_t online_cpus();
std::uint32_t configured_cpus();
std::uint64_t memory_bytes();
std::uint64_t first_data_cache_bytes();

}  // namespace sonde::os
