#pragma once

#include <optional>
#include <span>
#include <vector>

namespace sonde::analysis {

/// What a load takes on a walk over uniformly random lines of a working set of so many bytes.
struct RandomLoad {
  double bytes = 0;
  double nanoseconds = 0;
};

/// The last cache before memory, as such a walk shows it. Bytes times nanoseconds are then the sum of what all lines
/// take, and each line beyond those that a cache holds adds what the next one takes: a line between the sizes of two
/// caches, whatever their policies. (For uniformly random loads the share of hits is size over working set.)
struct LastCache {
  std::vector<double> inner_bytes = {};  ///< sizes of the caches before it, the nearest first
  double bytes = 0;                      ///< what it holds, those before it included
  double hit_ns = 0;                     ///< what a load takes that it serves
  double miss_ns = 0;                    ///< what one takes that it does not, where the working set just exceeds it
  double growth_ns = 0;                  ///< how much more with each doubling of the working set; memory's pages
  double saved = 0;                      ///< bytes times nanoseconds that the caches before it save

  [[nodiscard]] double contrast() const { return miss_ns / hit_ns; }
  /// What a miss takes in a working set of so many bytes.
  [[nodiscard]] double miss_ns_at(double working_set_bytes) const;
  /// The share of loads that this cache, or one before it, has served. Not clamped: an error shows.
  [[nodiscard]] double hit_rate(const RandomLoad& load) const;
  /// The share of the loads that reach it which it has served.
  [[nodiscard]] double local_hit_rate(const RandomLoad& load) const;
};

/// Steps by less than this are no cache's: translation and memory's pages make loads slower little by little.
inline constexpr double least_contrast = 1.2;

/// The last cache of a sweep, of any order, with its sizes half a doubling apart or closer; empty where latency steps
/// nowhere by `least_contrast`, with a factor of two and three sizes on either side. Its numbers are rough.
std::optional<LastCache> first_look(std::span<const RandomLoad> sweep);

/// The same cache once more, by loads between its size and those before it and from beyond it: for a closer look, or
/// in another kind of memory, where it may have no part. Empty where too few of the loads lie there, or they contradict
/// it: latency steps by less than `least_contrast`.
std::optional<LastCache> look_closer(const LastCache& seen, std::span<const RandomLoad> loads);

/// The cache as memory sees it that has no part in it, by what loads of such memory take: all of them miss.
LastCache without_part(const LastCache& seen, std::span<const RandomLoad> loads);

}  // namespace sonde::analysis
