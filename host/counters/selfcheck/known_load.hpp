#pragma once

#include <compare>

#include "counters/traffic/rates.hpp"

// The loads of a self-check, which move a known number of bytes.
namespace sonde::counters {

enum class LoadKind {
  idle,
  read_in_cache,  ///< reads memory that fits each core's own cache
  read,
  write,  ///< by ordinary stores, which may read each line first
  non_temporal_write,
};
inline constexpr std::array<std::string_view, 5> load_names{"idle", "read-in-cache", "read", "write",
                                                            "non-temporal-write"};

/// A load and the number of CPU threads that make it, each on a core of its own.
struct Load {
  LoadKind kind = LoadKind::idle;
  unsigned cpu_threads = 0;
  auto operator<=>(const Load&) const = default;
};

inline std::string_view name_of(LoadKind kind) { return load_names[static_cast<std::size_t>(kind)]; }
inline std::optional<LoadKind> load_kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(load_names, name);
  return found == load_names.end() ? std::nullopt : std::optional(static_cast<LoadKind>(found - load_names.begin()));
}

/// How a role is counted: the bytes of one count and the number of counters; 0 where it is not counted.
struct Counting {
  unsigned count_bytes = 0;
  std::size_t counters = 0;
};

/// The load that ran in an interval, and how each role is counted.
struct KnownTraffic {
  Load load;
  double moved_bytes = 0;  ///< by the threads' loads or stores
  PerRole<Counting> counting;
};

/// An interval of one load, and what the counters saw in it.
struct Repetition {
  KnownTraffic known;
  Traffic seen;
};

}  // namespace sonde::counters
