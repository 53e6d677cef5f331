#include "probes/bandwidth/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/bandwidth/curve.hpp"

namespace sonde::probes {
namespace {

using measure::Measurement;

/// Up to here moving the working set takes little.
constexpr double small_bytes = 256 << 10;
constexpr std::size_t least_points = 3;

bool is_small(const Measurement& one) {
  const auto bytes = one.point.x.find("bytes");
  return one.unit == "GB/s" && one.point.x.size() == 1 && bytes != one.point.x.end() && bytes->second <= small_bytes;
}

}  // namespace

std::optional<measure::Finding> launch(std::span<const Measurement> measurements) {
  std::optional<double> empty_us;
  std::vector<double> launches_us;
  std::vector<double> gbps;
  for (const Measurement& one : measurements) {
    if (one.point.series != series_of_levels()) continue;
    if (one.unit == "us") empty_us = measure::median_of(one);
    if (!is_small(one)) continue;
    launches_us.push_back(measure::six_digits(one.state.launch_ns) / 1e3);
    gbps.push_back(measure::median_of(one));
  }
  const bool fits = launches_us.size() >= least_points;
  if (!empty_us && !fits) return std::nullopt;
  measure::Finding found{.series = series_of_levels(), .name = "launch", .unit = "us"};
  if (empty_us) found.evidence = fmt::format("An empty kernel takes {:.3g} us by the device's clock", *empty_us);
  if (fits) {
    // Each working set has its own moment of the run, and its own memory.
    analysis::Estimate a = analysis::predicted(analysis::quantile(launches_us, 0.5), launches_us);
    a.low = std::max(0.0, a.low);
    measure::state(found, a);
    found.evidence += fmt::format(
        "{} dispatch over n bytes, up to {}, takes a + n / b: a is {:.3g} us ({:.3g} to {:.3g} in another run), b is "
        "{:.0f} GB/s",
        empty_us ? "; a" : "A", measure::size_text(small_bytes), a.value, a.low, a.high, analysis::quantile(gbps, 0.5));
  }
  found.evidence += ".";
  return found;
}

}  // namespace sonde::probes
