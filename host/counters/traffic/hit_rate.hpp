#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "counters/traffic/rates.hpp"

namespace sonde::counters {

/// Shares of what asked a memory-side cache that did not need memory. Never brought between 0 and 1: a value outside
/// shows that something else took part, such as lines written back that were written before.
struct HitRate {
  std::optional<double> reads_and_writes;
  std::optional<double> reads;
  bool without_cpu = false;  ///< the CPU's own requests, which the cache does not serve, were taken off
  std::string why_not;       ///< where there is none
};

/// 1 - (memory - CPU) / (fabric - CPU), in bytes of the same time. `no_hit_rate` is the source's own reason.
HitRate hit_rate(const Traffic& traffic, std::string_view no_hit_rate);

}  // namespace sonde::counters
