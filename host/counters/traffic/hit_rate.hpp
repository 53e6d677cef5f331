#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "counters/traffic/rates.hpp"

namespace sonde::counters {

/// Fraction of requests to the memory-side cache that were served without going to DRAM. It is not clipped to 0 and 1:
/// a value outside shows that something else took part, such as write-backs of lines written before.
struct HitRate {
  std::optional<double> reads_and_writes;
  std::optional<double> reads;
  bool without_cpu = false;  ///< the CPU's requests, which the cache does not serve, were subtracted
  std::string why_not;       ///< where there is no hit rate
};

/// 1 - (memory - CPU) / (fabric - CPU), in bytes of the same period. `no_hit_rate` is the layout's reason.
HitRate hit_rate(const Traffic& traffic, std::string_view no_hit_rate);

/// The mean latency of the CPU's requests that missed L3.
struct CpuLatency {
  std::optional<double> ns;
  std::string why_not;  ///< where there is no latency; empty where no counter samples it
};

/// The latency by the requests that L3 sampled. `no_cpu_latency` is the layout's reason. Source: Linux,
/// tools/perf/pmu-events/arch/x86/amdzen5/l3-cache.json, l3_xi_sampled_latency.all.
CpuLatency cpu_latency(const Traffic& traffic, std::string_view no_cpu_latency);

}  // namespace sonde::counters
