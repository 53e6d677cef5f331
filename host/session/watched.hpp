#pragma once

#include <utility>

#include "counters/traffic/rates.hpp"

namespace sonde::session {

/// The traffic in a part of a watched time; each number is empty where it is not known.
struct WatchedPart {
  double begin_seconds = 0;  ///< counted from the beginning of the watch
  double seconds = 0;
  std::optional<double> fabric_gbps;
  std::optional<double> memory_gbps;
  std::optional<double> hit_rate;
  std::optional<double> hit_rate_of_reads;
  bool hit_rate_without_cpu = false;
  std::string no_hit_rate;               ///< the reason where there is no hit rate
  std::optional<double> cpu_latency_ns;  ///< latency behind L3
  std::string no_cpu_latency;            ///< the reason where there is none; empty where nothing samples it
  // Reads and writes together, by requester.
  std::optional<double> cpu_gbps;
  std::optional<double> gpu_gbps;
  std::optional<double> devices_gbps;
  std::optional<double> gpu_and_devices_gbps;  ///< known where the two cannot be told apart
};

/// The reasons for which a source does not give something; each is empty where it does.
struct WhyNot {
  std::string hit_rate;
  std::string cpu_latency;
};

/// The part that an interval's traffic makes.
WatchedPart part_of(const counters::Traffic& traffic, const WhyNot& why_not);

/// Sums of intervals, in windows of equal length.
class Watched {
 public:
  Watched(double window_seconds, WhyNot why_not) : window_seconds_(window_seconds), why_not_(std::move(why_not)) {}

  /// The window that this interval has filled, if it has filled one.
  std::optional<WatchedPart> add(const counters::Traffic& interval);

  [[nodiscard]] WatchedPart whole() const;
  /// The windows with the most traffic at the fabric and at memory; empty where it is known for none.
  [[nodiscard]] const std::optional<WatchedPart>& busiest_at_fabric() const { return busiest_at_fabric_; }
  [[nodiscard]] const std::optional<WatchedPart>& busiest_at_memory() const { return busiest_at_memory_; }
  /// A quantile over the intervals whose hit rate is known; nothing where none is.
  [[nodiscard]] std::optional<double> hit_rate_quantile(double share) const;
  [[nodiscard]] std::size_t intervals() const { return intervals_; }
  [[nodiscard]] std::size_t intervals_with_hit_rate() const { return hit_rates_.size(); }
  [[nodiscard]] const std::set<counters::Label>& labels() const { return labels_; }

 private:
  double window_seconds_;
  WhyNot why_not_;
  std::vector<counters::Traffic> window_;   ///< intervals of the window that is being filled
  std::vector<counters::Traffic> windows_;  ///< totals of the windows before
  std::vector<double> hit_rates_;
  std::size_t intervals_ = 0;
  double window_filled_ = 0;
  std::set<counters::Label> labels_;
  std::optional<WatchedPart> busiest_at_fabric_;
  std::optional<WatchedPart> busiest_at_memory_;
};

}  // namespace sonde::session
