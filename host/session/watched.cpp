#include "session/watched.hpp"

#include "analysis/statistics.hpp"

namespace sonde::session {
namespace {

using counters::Role;
using counters::Traffic;

/// Gigabytes a second of two roles together; nothing where one is not known.
std::optional<double> gbps(const Traffic& traffic, Role reads, Role writes) {
  if (!traffic.amounts[reads] || !traffic.amounts[writes] || !(traffic.seconds > 0)) return std::nullopt;
  return (*traffic.amounts[reads] + *traffic.amounts[writes]) / traffic.seconds * 1e-9;
}

void keep_the_larger(std::optional<WatchedPart>& largest, const WatchedPart& part,
                     std::optional<double> WatchedPart::* traffic) {
  if (part.*traffic && (!largest || *(part.*traffic) > *((*largest).*traffic))) largest = part;
}

}  // namespace

WatchedPart part_of(const Traffic& traffic, std::string_view no_hit_rate) {
  const Traffic known = counters::stated(traffic);
  const counters::HitRate rate = counters::hit_rate(known, no_hit_rate);
  return {.begin_seconds = traffic.begin_seconds,
          .seconds = traffic.seconds,
          .fabric_gbps = gbps(known, Role::fabric_read, Role::fabric_write),
          .memory_gbps = gbps(known, Role::memory_read, Role::memory_write),
          .hit_rate = rate.reads_and_writes,
          .hit_rate_of_reads = rate.reads,
          .hit_rate_without_cpu = rate.without_cpu,
          .no_hit_rate = rate.why_not};
}

std::optional<WatchedPart> Watched::add(const Traffic& interval) {
  ++intervals_;
  labels_.insert(interval.labels.begin(), interval.labels.end());
  if (const auto rate = part_of(interval, no_hit_rate_).hit_rate) hit_rates_.push_back(*rate);
  window_.push_back(interval);
  window_filled_ += interval.seconds;
  // Ten intervals of a tenth are a little less than one in floating point.
  if (window_filled_ < 0.999 * window_seconds_) return std::nullopt;
  windows_.push_back(counters::total(window_));
  window_.clear();
  window_filled_ = 0;
  WatchedPart part = part_of(windows_.back(), no_hit_rate_);
  keep_the_larger(busiest_at_fabric_, part, &WatchedPart::fabric_gbps);
  keep_the_larger(busiest_at_memory_, part, &WatchedPart::memory_gbps);
  return part;
}

WatchedPart Watched::whole() const {
  std::vector<Traffic> all = windows_;
  all.insert(all.end(), window_.begin(), window_.end());
  return part_of(counters::total(all), no_hit_rate_);
}

std::optional<double> Watched::hit_rate_quantile(double share) const {
  if (hit_rates_.empty()) return std::nullopt;
  return analysis::quantile(hit_rates_, share);
}

}  // namespace sonde::session
