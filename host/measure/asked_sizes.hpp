#pragma once

#include <algorithm>
#include <cmath>

#include "measure/visits.hpp"

// What looks begin with: sizes in the order of their worth, within those that the user asked for.
namespace sonde::measure {

inline bool asks_for_sizes(const Request& request) { return request.smallest_bytes || request.largest_bytes; }

/// The sizes that the user asked for, in the same order. Where none is among them, the smallest size that was asked for
/// and is a multiple of `grain`; nothing where there is none.
inline std::vector<double> asked_sizes(const Request& request, std::vector<double> by_worth, double grain) {
  std::erase_if(by_worth, [&](double bytes) { return !is_asked_for(request, bytes); });
  const double least =
      std::max(1.0, std::ceil(static_cast<double>(request.smallest_bytes.value_or(1)) / grain)) * grain;
  if (by_worth.empty() && is_asked_for(request, least)) by_worth.push_back(least);
  return by_worth;
}

inline std::vector<double> first_of(std::vector<double> sizes, std::size_t count) {
  sizes.resize(std::min(sizes.size(), count));
  return sizes;
}

/// The beginning that a look takes, of which the closest takes all, as every look does where the user asked for sizes.
inline std::vector<double> sizes_at_look(const Request& request, const std::vector<double>& asked, std::size_t first,
                                         std::size_t closer) {
  if (asks_for_sizes(request)) return asked;
  return first_of(asked, by_look(request.look, first, closer, asked.size()));
}

/// The points that a first look begins with, which are among those of every look: a closer one does not wait for them.
template <typename Beginning>
std::vector<Point> at_first(const Request& request, Beginning beginning) {
  return request.look == Look::first ? beginning() : std::vector<Point>{};
}

}  // namespace sonde::measure
