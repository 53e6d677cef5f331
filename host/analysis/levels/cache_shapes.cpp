#include "analysis/levels/cache_shapes.hpp"

#include <algorithm>
#include <cmath>

namespace sonde::analysis {
namespace {

constexpr double least_log2 = -4;
constexpr double most_log2 = 6;
constexpr int steps_per_octave = 64;
constexpr int table_size = static_cast<int>((most_log2 - least_log2) * steps_per_octave) + 1;

/// Steady hit share of `lines` lines walked in turn through a set of `ways` ways that replaces at random: a line is
/// there again if none of the misses since its last access hit its way, h = (1 - 1/W)^((n - a)(1 - h)). Between n - 1
/// and n accesses lie between: a = 0.5 + 0.4 (1 - W/n) agrees with simulation within 0.004, and with the exact
/// (W - 1)/(W + 1) of one line too many.
double random_set_hit(int lines, int ways) {
  if (lines <= ways) return 1;
  const double between = lines - 0.5 - 0.4 * (1 - static_cast<double>(ways) / lines);
  double hit = 0;  // iterating from below finds the lower fixed point, the stable one
  for (int i = 0; i < 500; ++i) {
    const double next = std::pow(1 - 1.0 / ways, between * (1 - hit));
    if (next == hit) break;
    hit = next;
  }
  return hit;
}

/// The share of misses in one set on a cyclic walk, by the number of lines that share the set.
std::vector<double> miss_by_lines(CacheShape::Replacement policy, int ways, int most_lines) {
  std::vector<double> miss(static_cast<std::size_t>(most_lines) + 1, 0);
  for (int lines = ways + 1; lines <= most_lines; ++lines) {
    const double hit = policy == CacheShape::Replacement::least_recent ? 0 : random_set_hit(lines, ways);
    miss[static_cast<std::size_t>(lines)] = 1 - (policy == CacheShape::Replacement::between ? hit / 2 : hit);
  }
  return miss;
}

/// The logarithm of n!, safe on several threads: std::lgamma writes its sign to a variable that all of them share.
double log_factorial(int n) {
#if defined(__linux__)
  int sign = 1;
  return lgamma_r(n + 1.0, &sign);
#else
  return std::lgamma(n + 1.0);  // nobody reads that variable
#endif
}

}  // namespace

CacheShape::CacheShape(Index of_index, Replacement of_policy, int of_ways)
    : index(of_index), policy(of_policy), ways(of_ways) {
  const double greatest_mean = std::exp2(most_log2) * ways;
  const int most_lines = static_cast<int>(greatest_mean + 12 * std::sqrt(greatest_mean) + 40);
  const std::vector<double> miss = miss_by_lines(policy, ways, most_lines);
  cyclic_miss_.resize(table_size);
  independent_hit_.resize(table_size);
  for (int step = 0; step < table_size; ++step) {
    const double rho = std::exp2(least_log2 + static_cast<double>(step) / steps_per_octave);
    const double mean = rho * ways;
    double missed = 0;
    double held = 0;
    if (index == Index::modulo) {
      // Lines side by side go to sets side by side: every set has floor or ceil of the mean.
      const double few = std::floor(mean);
      const double share_of_more = mean - few;
      missed = ((1 - share_of_more) * few * miss[static_cast<std::size_t>(few)] +
                share_of_more * (few + 1) * miss[static_cast<std::size_t>(few) + 1]) /
               mean;
      held = std::min(1.0, 1 / rho);
    } else {
      // Lines fall into sets at random: Poisson.
      double probability = std::exp(-mean);
      const bool by_logarithm = mean > 600;
      const int first = std::max(0, static_cast<int>(mean - 12 * std::sqrt(mean) - 40));
      const int last = std::min(most_lines, static_cast<int>(mean + 12 * std::sqrt(mean) + 40));
      for (int lines = first; lines <= last; ++lines) {
        if (by_logarithm || first > 0) {
          probability = std::exp(lines * std::log(mean) - mean - log_factorial(lines));
        } else if (lines > 0) {
          probability *= mean / lines;
        }
        missed += probability * lines / mean * miss[static_cast<std::size_t>(lines)];
        held += probability * std::min(lines, ways) / mean;
      }
    }
    cyclic_miss_[static_cast<std::size_t>(step)] = std::clamp(missed, 0.0, 1.0);
    independent_hit_[static_cast<std::size_t>(step)] = std::clamp(held, 0.0, 1.0);
  }
}

double CacheShape::at(const std::vector<double>& table, double log2_rho) {
  const double place = (log2_rho - least_log2) * steps_per_octave;
  if (place <= 0) return table.front();
  if (place >= table_size - 1) {
    // Hits beyond the table fall as 1 / rho, which matters to a hit share and not to a miss share of 1.
    return table.back() > 0.5 ? table.back() : table.back() * std::exp2(most_log2 - log2_rho);
  }
  const auto below = static_cast<std::size_t>(place);
  const double fraction = place - static_cast<double>(below);
  return table[below] + fraction * (table[below + 1] - table[below]);
}

std::span<const CacheShape> cache_shapes() {
  using enum CacheShape::Index;
  using enum CacheShape::Replacement;
  static const std::vector<CacheShape> shapes = [] {
    std::vector<CacheShape> all;
    for (const int ways : {2, 4, 8, 12, 16, 24, 32, 64, 128, 512}) all.emplace_back(hashed, least_recent, ways);
    for (const int ways : {2, 4, 8, 16, 64, 512}) all.emplace_back(modulo, least_recent, ways);
    for (const int ways : {2, 4, 8, 12, 16, 24, 32}) all.emplace_back(hashed, random, ways);
    for (const int ways : {4, 8, 12, 16, 64}) all.emplace_back(modulo, random, ways);
    for (const int ways : {4, 8, 16}) all.emplace_back(hashed, between, ways);
    for (const int ways : {4, 8, 16}) all.emplace_back(modulo, between, ways);
    return all;
  }();
  return shapes;
}

const CacheShape& shape_of(CacheShape::Index index, CacheShape::Replacement policy, int ways) {
  return *std::ranges::find_if(cache_shapes(), [=](const CacheShape& shape) {
    return shape.index == index && shape.policy == policy && shape.ways == ways;
  });
}

}  // namespace sonde::analysis
