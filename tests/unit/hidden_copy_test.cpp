// Time over size and what it says: known rates, nasty noise, and what must stay undecided.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "analysis/hidden_copy.hpp"

namespace sonde::analysis {
namespace {

constexpr double mib = 1 << 20;

using Verdict = HiddenCopy::Verdict;

std::vector<RoundTime> rounds(const std::function<double(double)>& ns, double noise = 0, std::uint64_t seed = 1,
                              double largest = 256 * mib) {
  std::mt19937_64 random(seed);
  std::vector<RoundTime> all;
  for (double bytes = mib / 16; bytes <= largest; bytes *= 4) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
    const double time = ns(bytes) * (1 + noise * uniform);
    all.push_back({.bytes = bytes, .median_ns = time, .half_width_ns = time * noise / 2});
  }
  return all;
}

TEST(HiddenCopy, FlatTimesAreNone) {
  for (const double base : {2e3, 20e3, 500e3}) {
    EXPECT_EQ(find_hidden_copy(rounds([=](double) { return base; }), 10).verdict, Verdict::none);
    EXPECT_EQ(find_hidden_copy(rounds([=](double) { return base; }, 0.5), 10).verdict, Verdict::none);
  }
}

TEST(HiddenCopy, ACopyComesBackWithItsRateWhateverTheOther) {
  for (const double gbps : {3.0, 12.0, 55.0}) {
    for (const double asked : {0.5 * gbps, gbps, 2.5 * gbps}) {
      for (std::uint64_t seed = 1; seed < 20; ++seed) {
        const HiddenCopy found =
            find_hidden_copy(rounds([=](double bytes) { return 20e3 + bytes / gbps; }, 0.05, seed), asked);
        // Faster than a third of what was asked for is another engine's copy; slower is one as well.
        ASSERT_EQ(found.verdict, Verdict::copy) << gbps << " beside " << asked << ": " << found.why;
        EXPECT_NEAR(found.gbps, gbps, 0.1 * gbps);
      }
    }
  }
}

TEST(HiddenCopy, AMuchSmallerSlopeIsMaintenance) {
  const HiddenCopy found = find_hidden_copy(rounds([](double bytes) { return 20e3 + bytes / 120; }, 0.03), 10);
  EXPECT_EQ(found.verdict, Verdict::maintenance);
  EXPECT_NEAR(found.gbps, 120, 12);
}

TEST(HiddenCopy, AFewMicrosecondsMoreToAFarWordAreNone) {
  EXPECT_EQ(find_hidden_copy(rounds([](double bytes) { return bytes > 16 * mib ? 9e3 : 3e3; }), 10).verdict,
            Verdict::none);
}

TEST(HiddenCopy, NoiseInWhichACopyWouldDrownIsUnclear) {
  const HiddenCopy found = find_hidden_copy(rounds([](double) { return 40e6; }, 0.9), 10);
  EXPECT_EQ(found.verdict, Verdict::unclear);
  EXPECT_NE(found.why.find("idle machine"), std::string::npos) << found.why;
}

TEST(HiddenCopy, GrowthThatIsNoLineIsUnclear) {
  const HiddenCopy found =
      find_hidden_copy(rounds([](double bytes) { return bytes < 8 * mib ? 20e3 + bytes / 2 : 8e6; }), 20);
  EXPECT_EQ(found.verdict, Verdict::unclear) << found.gbps;
}

TEST(HiddenCopy, TooFewSizesOrNothingToCompareWithIsUnclear) {
  const auto flat = [](double) { return 20e3; };
  EXPECT_EQ(find_hidden_copy({}, 10).verdict, Verdict::unclear);
  EXPECT_EQ(find_hidden_copy(rounds(flat, 0, 1, mib / 4), 10).verdict, Verdict::unclear);
  EXPECT_EQ(find_hidden_copy(rounds(flat), 0).verdict, Verdict::unclear);
}

}  // namespace
}  // namespace sonde::analysis
