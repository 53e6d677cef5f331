#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string_view>

#include "counters/traffic/rates.hpp"

// What a self-check knows: loads that move a known number of bytes.
namespace sonde::counters {

enum class LoadKind {
  idle,
  read_in_cache,  ///< of so little memory that it stays in each core's own cache
  read,
  write,  ///< by ordinary stores, which may read each line first
  non_temporal_write,
};
inline constexpr std::array<std::string_view, 5> load_names{"idle", "read-in-cache", "read", "write",
                                                            "non-temporal-write"};

/// One load: what is done, and by how many threads of the CPU, each on a core of its own.
struct Load {
  LoadKind kind = LoadKind::idle;
  unsigned cpu_threads = 0;
  auto operator<=>(const Load&) const = default;
};

inline std::string_view name_of(LoadKind kind) { return load_names[static_cast<std::size_t>(kind)]; }
inline std::optional<LoadKind> load_kind_of(std::string_view name) {
  for (std::size_t kind = 0; kind < load_names.size(); ++kind) {
    if (load_names[kind] == name) return static_cast<LoadKind>(kind);
  }
  return std::nullopt;
}

/// How a role is counted: bytes that one count is taken for, and by how many counters; 0 where it is not.
struct Counting {
  unsigned count_bytes = 0;
  std::size_t counters = 0;
};

/// What was known of an interval.
struct KnownTraffic {
  Load load;
  double moved_bytes = 0;  ///< by the threads' own loads or stores
  PerRole<Counting> counting;
};

/// A time of one load, and what counters saw meanwhile.
struct Repetition {
  KnownTraffic known;
  Traffic seen;
};

}  // namespace sonde::counters
