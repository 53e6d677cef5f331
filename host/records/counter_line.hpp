#pragma once

#include "counters/selfcheck/known_load.hpp"
#include "counters/traffic/rates.hpp"
#include "measure/probe.hpp"
#include "records/lines.hpp"

namespace sonde::records {

/// The point beside which something was counted, and the bytes that its kernel moved meanwhile.
struct CountedPoint {
  Origin origin;
  measure::Point point;
  double moved_bytes = 0;  ///< 0 where it is not known
  std::optional<double> fabric_per_byte = {};
  std::optional<double> memory_per_byte = {};
};

/// The counts of one interval. `traffic.begin_seconds` counts from the start of the run.
struct CounterRecord {
  std::string source;
  counters::Traffic traffic;
  counters::HitRate hit_rate;
  bool baseline = false;                             ///< the interval was before the watched command began
  unsigned beat_bytes = 0;                           ///< bytes of one count at the fabric; 0 where none is counted
  std::optional<counters::KnownTraffic> known = {};  ///< the known load of a self-check
  std::optional<CountedPoint> point = {};            ///< a run's point; the interval is its timed dispatches alone
};

std::string counter_line(const CounterRecord& counter);

/// The names that a `counter` record has for roles: its own fields, and those of its `state`.
struct RoleName {
  counters::Role role;
  const char* name;
};
inline constexpr RoleName bytes_of_roles[] = {
    {counters::Role::fabric_read, "fabric_read"}, {counters::Role::fabric_write, "fabric_write"},
    {counters::Role::memory_read, "memory_read"}, {counters::Role::memory_write, "memory_write"},
    {counters::Role::gpu_read, "gpu_read"},       {counters::Role::gpu_write, "gpu_write"},
    {counters::Role::cpu_read, "cpu_read"},       {counters::Role::cpu_write, "cpu_write"}};
inline constexpr RoleName state_of_roles[] = {
    {counters::Role::cpu_requests, "cpu_requests"}, {counters::Role::gpu_requests, "gpu_requests"},
    {counters::Role::io_requests, "io_requests"},   {counters::Role::l3_latency_ns, "l3_latency_ns"},
    {counters::Role::l3_samples, "l3_samples"},     {counters::Role::memory_clock, "memory_clock"},
    {counters::Role::uncalibrated, "uncalibrated"}, {counters::Role::other, "other"}};

}  // namespace sonde::records
