#include "analysis/copy_line.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

/// How far beyond the smallest size the small copies reach, and below the largest the large ones.
constexpr double reach = 16;
/// A latency below this share of the smallest copy's time cannot be separated from its bytes.
constexpr double least_latency_share = 0.05;

/// Where the lines through all pairs of points meet zero bytes: the median, as one disturbed size must not decide.
double intercept(std::span<const CopyTime> times) {
  std::vector<double> found;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t j = i + 1; j < times.size(); ++j) {
      const double slope = (times[j].nanoseconds - times[i].nanoseconds) / (times[j].bytes - times[i].bytes);
      found.push_back(times[i].nanoseconds - slope * times[i].bytes);
    }
  }
  return quantile(found, 0.5);
}

}  // namespace

std::optional<CopyLine> fit_copy_line(std::span<const CopyTime> times) {
  std::vector<CopyTime> sorted(times.begin(), times.end());
  std::ranges::sort(sorted, {}, &CopyTime::bytes);
  if (sorted.size() < 2 || sorted.front().bytes == sorted.back().bytes) return std::nullopt;
  const double smallest = sorted.front().bytes;
  const double largest = sorted.back().bytes;
  const auto small_end =
      std::ranges::find_if(sorted, [&](const CopyTime& one) { return one.bytes > smallest * reach; });
  const auto small =
      std::span(sorted).first(static_cast<std::size_t>(std::max<std::ptrdiff_t>(2, small_end - sorted.begin())));

  CopyLine line;
  const double latency = intercept(small);
  if (latency > least_latency_share * sorted.front().nanoseconds) line.latency_ns = latency;
  std::vector<double> rates;
  for (const CopyTime& one : sorted) {
    if (one.bytes < largest / reach * 4) continue;
    if (one.nanoseconds <= line.latency_ns) return std::nullopt;
    rates.push_back(one.bytes / (one.nanoseconds - line.latency_ns));
  }
  line.gbps = quantile(rates, 0.5);
  for (const CopyTime& one : sorted) {
    const double expected = line.latency_ns + one.bytes / line.gbps;
    line.worst = std::max(line.worst, std::abs(expected / one.nanoseconds - 1));
  }
  return line;
}

}  // namespace sonde::analysis
