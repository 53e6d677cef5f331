#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace sonde::workloads {

/// Shapes that a search times once more at its end, as one may have met with a moment in which others used the machine.
inline constexpr std::size_t finalists = 3;

/// Times the `count` fastest at another time; the better of both speeds counts, as others only slow. Those under
/// `set_back` of the best are slow in any moment.
template <typename Tried, typename Timed>
void time_fastest_again(std::vector<Tried*> tried, std::size_t count, double set_back, Timed timed) {
  std::ranges::stable_sort(tried, std::ranges::greater(), &Tried::speed);
  tried.resize(std::min(tried.size(), count));
  const double best = tried.front()->speed;
  for (Tried* one : tried) {
    if (one->speed > set_back * best) one->speed = std::max(one->speed, timed(*one));
  }
}

}  // namespace sonde::workloads
