#include "session/watched.hpp"

#include <initializer_list>

#include "analysis/statistics.hpp"

namespace sonde::session {
namespace {

using counters::Role;
using counters::Traffic;

/// Gigabytes a second of some roles together; nothing where one of them is not known.
std::optional<double> gbps(const Traffic& traffic, std::initializer_list<Role> roles) {
  double bytes = 0;
  for (const Role role : roles) {
    if (!traffic.amounts[role] || !(traffic.seconds > 0)) return std::nullopt;
    bytes += *traffic.amounts[role];
  }
  return bytes / traffic.seconds * 1e-9;
}

/// Splits the traffic by requester, as far as counters show it. The fabric's traffic without the CPU's is that of the
/// GPU and devices: no counter that is known here tells those apart. It may be negative: traffic from core to core is
/// the CPU's but passes no station.
void split_by_requester(WatchedPart& part, const Traffic& known) {
  part.cpu_gbps = gbps(known, {Role::cpu_requests});
  part.gpu_gbps = gbps(known, {Role::gpu_requests});
  part.devices_gbps = gbps(known, {Role::io_requests});
  if (part.cpu_gbps) return;
  part.cpu_gbps = gbps(known, {Role::cpu_read, Role::cpu_write});
  if (part.cpu_gbps && part.fabric_gbps) part.gpu_and_devices_gbps = *part.fabric_gbps - *part.cpu_gbps;
}

void keep_larger(std::optional<WatchedPart>& largest, const WatchedPart& part,
                 std::optional<double> WatchedPart::* traffic) {
  if (part.*traffic && (!largest || *(part.*traffic) > *((*largest).*traffic))) largest = part;
}

}  // namespace

WatchedPart part_of(const Traffic& traffic, const WhyNot& why_not) {
  const Traffic known = counters::stated(traffic);
  const counters::HitRate rate = counters::hit_rate(known, why_not.hit_rate);
  const counters::CpuLatency latency = counters::cpu_latency(known, why_not.cpu_latency);
  WatchedPart part{.begin_seconds = traffic.begin_seconds,
                   .seconds = traffic.seconds,
                   .fabric_gbps = gbps(known, {Role::fabric_read, Role::fabric_write}),
                   .memory_gbps = gbps(known, {Role::memory_read, Role::memory_write}),
                   .hit_rate = rate.reads_and_writes,
                   .hit_rate_of_reads = rate.reads,
                   .hit_rate_without_cpu = rate.without_cpu,
                   .no_hit_rate = rate.why_not,
                   .cpu_latency_ns = latency.ns,
                   .no_cpu_latency = latency.why_not};
  split_by_requester(part, known);
  return part;
}

std::optional<WatchedPart> Watched::add(const Traffic& interval) {
  ++intervals_;
  labels_.insert(interval.labels.begin(), interval.labels.end());
  if (const auto rate = part_of(interval, why_not_).hit_rate) hit_rates_.push_back(*rate);
  window_.push_back(interval);
  window_filled_ += interval.seconds;
  // In floating point, ten intervals of a tenth are a little less than one.
  if (window_filled_ < 0.999 * window_seconds_) return std::nullopt;
  windows_.push_back(counters::total(window_));
  window_.clear();
  window_filled_ = 0;
  WatchedPart part = part_of(windows_.back(), why_not_);
  keep_larger(busiest_at_fabric_, part, &WatchedPart::fabric_gbps);
  keep_larger(busiest_at_memory_, part, &WatchedPart::memory_gbps);
  return part;
}

WatchedPart Watched::whole() const {
  std::vector<Traffic> all = windows_;
  all.insert(all.end(), window_.begin(), window_.end());
  return part_of(counters::total(all), why_not_);
}

std::optional<double> Watched::hit_rate_quantile(double share) const {
  if (hit_rates_.empty()) return std::nullopt;
  return analysis::quantile(hit_rates_, share);
}

}  // namespace sonde::session
