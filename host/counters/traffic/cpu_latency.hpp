#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "counters/traffic/rates.hpp"

namespace sonde::counters {

/// How long the CPU's requests behind L3 took, on average.
struct CpuLatency {
  std::optional<double> ns;
  std::string why_not;  ///< where there is none; empty where nothing samples it
};

/// By the requests that L3 sampled. `no_cpu_latency` is the source's own reason. Source: Linux,
/// tools/perf/pmu-events/arch/x86/amdzen5/l3-cache.json, l3_xi_sampled_latency.all.
inline CpuLatency cpu_latency(const Traffic& traffic, std::string_view no_cpu_latency) {
  if (!no_cpu_latency.empty()) return {.ns = std::nullopt, .why_not = std::string(no_cpu_latency)};
  const auto& sum_ns = traffic.amounts[Role::l3_latency_ns];
  const auto& samples = traffic.amounts[Role::l3_samples];
  if (!sum_ns || !samples) return {};
  if (!(*samples > 0)) return {.ns = std::nullopt, .why_not = "L3 sampled no request that missed it"};
  return {.ns = *sum_ns / *samples, .why_not = ""};
}

}  // namespace sonde::counters
