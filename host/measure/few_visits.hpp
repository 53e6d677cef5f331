#pragma once

#include <algorithm>

#include "measure/visits.hpp"

// What is read before there are visits enough to tell how much they scatter.
namespace sonde::measure {

inline std::size_t visits_of(const Measurement& one) { return std::max<std::size_t>(1, one.visits.size()); }

inline bool has_few_visits(std::span<const Measurement> measurements) {
  return std::ranges::all_of(
      measurements, [](const Measurement& one) { return visits_of(one) < static_cast<std::size_t>(usual_visits); });
}

/// The measurements as if parts of each visit's values had been visits: by their scatter a first verdict is reached,
/// and no interval of a value.
inline std::vector<Measurement> in_parts(std::span<const Measurement> measurements) {
  constexpr std::size_t parts = usual_visits;
  std::vector<Measurement> all(measurements.begin(), measurements.end());
  for (Measurement& one : all) {
    const std::vector<std::size_t> visits = one.visits.empty() ? std::vector{one.values.size()} : one.visits;
    one.visits.clear();
    for (const std::size_t count : visits) {
      if (count < parts) one.visits.push_back(count);
      for (std::size_t part = 0; part < parts && count >= parts; ++part)
        one.visits.push_back(count * (part + 1) / parts - count * part / parts);
    }
  }
  return all;
}

inline void forget_intervals(std::vector<Finding>& findings) {
  for (Finding& one : findings) {
    one.low.reset();
    one.high.reset();
  }
}

}  // namespace sonde::measure
