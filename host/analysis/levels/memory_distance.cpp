#include "analysis/levels/memory_distance.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

/// A bus between two chips and back adds more; another path through one chip does not.
constexpr double least_bus_ns = 400;
constexpr double least_bus_ratio = 1.8;
/// Of the latency at the largest size: what a cache still serves is below the first, what nothing serves above the
/// second.
constexpr double served = 0.8;
constexpr double not_served = 0.9;
/// So much further on its way up has the bypassing kind to be.
constexpr double clearly_further = 0.2;
constexpr double alike = 1.25;

}  // namespace

std::optional<MemoryDistance> compare_memories(const LatencyBySize& own, const LatencyBySize& other) {
  MemoryDistance found;
  std::vector<double> distances;
  for (const auto& [bytes, ns] : own) {
    if (!other.contains(bytes)) continue;
    found.bytes = bytes;
    found.own_ns = ns;
    found.other_ns = other.at(bytes);
    distances.push_back(std::abs(std::log(found.other_ns / ns)));
  }
  if (distances.empty()) return std::nullopt;
  found.bus_margin =
      std::min((found.other_ns - found.own_ns) / least_bus_ns, found.other_ns / found.own_ns / least_bus_ratio) - 1;
  found.bypass_margin = -1;
  for (const auto& [bytes, ns] : own) {
    if (!other.contains(bytes) || bytes >= found.bytes) continue;
    const double own_share = ns / found.own_ns;
    const double other_share = other.at(bytes) / found.other_ns;
    const double margin =
        std::min({served - own_share, other_share - not_served, other_share - own_share - clearly_further});
    if (margin > 0 && found.bypass_margin <= 0) found.bypassed_bytes = bytes;
    found.bypass_margin = std::max(found.bypass_margin, margin);
  }
  found.alike_margin = 1 - std::max(distances.back(), quantile(distances, 0.5)) / std::log(alike);
  return found;
}

}  // namespace sonde::analysis
