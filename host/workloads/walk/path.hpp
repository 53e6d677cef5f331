#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sonde::workloads {

/// By which way a load reaches memory. Each is a kernel of its own, as compilers choose the way by what they can prove.
enum class Path {
  vector,    ///< an address of its own for each work-item
  scalar,    ///< one that the compiler can prove to be the same for all
  constant,  ///< constant memory, in Vulkan a uniform buffer
  image,     ///< the texture unit, by linear texel fetches
  local,     ///< memory of the work-group
  atomic,    ///< the vector path, but every hop reads, modifies and writes
};

/// Whether anything beside the walk keeps the memory, and the way to it, from falling asleep.
enum class Fabric { idle, loaded };

/// What the local walk's kernel declares.
inline constexpr std::uint64_t local_walk_bytes = 16384;

/// The words of a record file that name a path's curves.
std::map<std::string, std::string> series_of(Path path);

/// The words of the vector path's curve that was measured beside a light stream.
std::map<std::string, std::string> series_awake();

/// The words that all curves of one hierarchy share, which its levels are read from together: those of a point without
/// in which order, how far apart and beside what its lines were walked.
std::map<std::string, std::string> hierarchy_series(std::map<std::string, std::string> series);

/// Of a point's series.
Fabric fabric_of(const std::map<std::string, std::string>& series);

/// "vector", "atomic": a path as a person names it.
std::string_view name_of(Path path);

/// The path of a point's series.
Path path_of(const std::map<std::string, std::string>& series);

}  // namespace sonde::workloads
