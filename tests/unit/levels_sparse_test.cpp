// A cycle of one size per octave, as quick effort takes of a CPU's huge pages: what lies between is not known.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "analysis/levels.hpp"

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

/// A server's core with 48 KiB and 2 MiB, and what others leave of 260 MiB.
LatencyCurves one_size_per_octave() {
  const std::vector<std::pair<double, double>> measured{{32 * kib, 1.696},  {64 * kib, 5.395},  {128 * kib, 5.356},
                                                        {256 * kib, 5.413}, {512 * kib, 5.997}, {mib, 6.899},
                                                        {2 * mib, 17.27},   {4 * mib, 34.99},   {8 * mib, 81.65},
                                                        {16 * mib, 120.2},  {32 * mib, 130.7},  {64 * mib, 133.7}};
  LatencyCurves curves;
  for (const auto& [bytes, ns] : measured) {
    std::vector<double> values;
    for (const double of_median : {0.99, 0.995, 0.998, 1.0, 1.002, 1.005, 1.01}) values.push_back(of_median * ns);
    curves.cycle.push_back({bytes, values});
  }
  return curves;
}

TEST(LevelsOfASparseCycle, AreNotLargerThanWhatTheyWereSeenToHold) {
  const Hierarchy found = find_levels(one_size_per_octave(), 1);
  ASSERT_GE(found.levels.size(), 2u);
  const Level& second = found.levels[1];
  EXPECT_NEAR(second.latency_ns.value, 5.4, 0.3);
  ASSERT_TRUE(second.bytes.has_value());
  EXPECT_LT(second.bytes->value, 2 * mib) << "which was three times as slow already";
  EXPECT_GE(second.bytes->value, 512 * kib);
  EXPECT_LE(second.bytes->low, 2 * mib);
  EXPECT_GE(second.bytes->high, 2 * mib) << "the truth lies between two of the sizes";
}

}  // namespace
}  // namespace sonde::analysis
