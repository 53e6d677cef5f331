#pragma once

#include <optional>
#include <string>
#include <vector>

#include "counters/traffic/hit_rate.hpp"
#include "counters/traffic/rates.hpp"

namespace sonde::session {

/// What moved in a part of a watched time; empty where it is not known.
struct WatchedPart {
  double begin_seconds = 0;  ///< since the watching began
  double seconds = 0;
  std::optional<double> fabric_gbps;
  std::optional<double> memory_gbps;
  std::optional<double> hit_rate;
  std::optional<double> hit_rate_of_reads;
  bool hit_rate_without_cpu = false;
  std::string no_hit_rate;  ///< why there is none
};

/// What a time's traffic is as a part.
WatchedPart part_of(const counters::Traffic& traffic, std::string_view no_hit_rate);

/// Adds intervals up, in windows of equal length.
class Watched {
 public:
  Watched(double window_seconds, std::string no_hit_rate)
      : window_seconds_(window_seconds), no_hit_rate_(std::move(no_hit_rate)) {}

  /// The window that this interval has filled, if it has.
  std::optional<WatchedPart> add(const counters::Traffic& interval);

  [[nodiscard]] WatchedPart whole() const;
  /// The windows with the most traffic at the fabric and at memory; empty where it is known of none.
  [[nodiscard]] const std::optional<WatchedPart>& busiest_at_fabric() const { return busiest_at_fabric_; }
  [[nodiscard]] const std::optional<WatchedPart>& busiest_at_memory() const { return busiest_at_memory_; }
  /// Of the intervals whose hit rate is known; nothing where none is.
  [[nodiscard]] std::optional<double> hit_rate_quantile(double share) const;
  [[nodiscard]] std::size_t intervals() const { return intervals_; }
  [[nodiscard]] std::size_t intervals_with_hit_rate() const { return hit_rates_.size(); }
  [[nodiscard]] const std::set<counters::Label>& labels() const { return labels_; }

 private:
  double window_seconds_;
  std::string no_hit_rate_;
  std::vector<counters::Traffic> window_;   ///< intervals of the one that is being filled
  std::vector<counters::Traffic> windows_;  ///< totals of those before
  std::vector<double> hit_rates_;
  std::size_t intervals_ = 0;
  double window_filled_ = 0;
  std::set<counters::Label> labels_;
  std::optional<WatchedPart> busiest_at_fabric_;
  std::optional<WatchedPart> busiest_at_memory_;
};

}  // namespace sonde::session
