#pragma once

#include <optional>
#include <span>
#include <vector>

namespace sonde::analysis {

/// The mean latency of loads from uniformly random lines of a working set.
struct RandomLoad {
  double bytes = 0;
  double nanoseconds = 0;
};

/// The last cache before memory, as such a walk shows it: bytes times nanoseconds is a straight line between the sizes
/// of two caches, whatever their policies.
struct LastCache {
  std::vector<double> inner_bytes = {};  ///< sizes of the caches before it, the nearest first
  double bytes = 0;                      ///< what it holds, including the caches before it
  double hit_ns = 0;                     ///< latency of a hit
  double miss_ns = 0;                    ///< latency of a miss, where the working set just exceeds the cache
  double growth_ns = 0;                  ///< what each doubling of the working set adds to a miss, by memory's pages
  double saved = 0;                      ///< bytes times nanoseconds that the caches before it save

  [[nodiscard]] double contrast() const { return miss_ns / hit_ns; }
  /// The latency of a miss in a working set of so many bytes.
  [[nodiscard]] double miss_ns_at(double working_set_bytes) const;
  /// The share of loads that this cache, or one before it, has served; not clamped, so that an error shows.
  [[nodiscard]] double hit_rate(const RandomLoad& load) const;
  /// The share of the loads reaching this cache that it has served.
  [[nodiscard]] double local_hit_rate(const RandomLoad& load) const;
};

/// The least step of latency that is a cache's: translation and memory's pages make loads slower little by little.
inline constexpr double least_contrast = 1.2;

/// A rough estimate of the last cache from a sweep in any order, with sizes half a doubling apart or closer. Empty
/// where latency nowhere steps by `least_contrast` with a factor of two and three sizes on either side.
std::optional<LastCache> estimate_last_cache(std::span<const RandomLoad> sweep);

/// The estimate refined by loads inside the cache, beyond those before it, and well outside: from more points, or from
/// another kind of memory, which the cache may not serve. Empty where too few loads lie there, or where they contradict
/// it, as latency steps by less than `least_contrast`.
std::optional<LastCache> refine_last_cache(const LastCache& rough, std::span<const RandomLoad> loads);

/// The cache for a kind of memory that bypasses it: all these loads miss, and their latency is that of a miss.
LastCache without_part(const LastCache& cache, std::span<const RandomLoad> loads);

}  // namespace sonde::analysis
