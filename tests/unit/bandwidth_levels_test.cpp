// Levels from bandwidth curves: what must come out of curves whose levels are known, and nothing out of those that have
// none.

#include "analysis/levels/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

using Curve = std::vector<CurvePoint>;

CurvePoint at(double bytes, double gbps, double spread = 0.003) {
  CurvePoint point{.bytes = bytes, .values = {}};
  for (const double share : {-1.0, 0.4, -0.3, 0.0, 0.2, -0.5, 1.0}) point.values.push_back(gbps * (1 + share * spread));
  return point;
}

Curve of(const std::vector<std::pair<double, double>>& sizes_and_gbps, double spread = 0.003) {
  Curve curve;
  for (const auto& [bytes, gbps] : sizes_and_gbps) curve.push_back(at(bytes, gbps, spread));
  return curve;
}

/// Three levels, 16 KiB of 1000 GB/s and 1 MiB of 300 before memory of 60: what a cache that forgets the least recent
/// gives.
double three_levels(double bytes) { return bytes <= 16 * kib ? 1000 : bytes <= mib ? 300 : 60; }

template <typename Gbps>
Curve swept(double from, double to, double sizes_per_doubling, Gbps gbps) {
  Curve curve;
  for (int step = 0;; ++step) {
    const double bytes = std::round(from * std::exp2(step / sizes_per_doubling));
    if (bytes > to * 1.001) return curve;
    curve.push_back(at(bytes, gbps(bytes)));
  }
}

void expect_three_levels(const std::vector<BandwidthLevel>& found, double grid) {
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0].gbps.value, 1000, 20);
  EXPECT_NEAR(found[1].gbps.value, 300, 6);
  EXPECT_NEAR(found[2].gbps.value, 60, 1.2);
  for (const auto& [level, bytes] : {std::pair{0, 16 * kib}, std::pair{1, mib}}) {
    const BandwidthLevel& one = found[static_cast<std::size_t>(level)];
    ASSERT_TRUE(one.bytes);
    EXPECT_LE(one.bytes->low, bytes);
    EXPECT_GE(one.bytes->high, bytes);
    EXPECT_NEAR(one.bytes->value / bytes, 1, grid - 1);
    EXPECT_LE(one.gbps.low, one.gbps.value);
    EXPECT_GE(one.gbps.high, one.gbps.value);
    EXPECT_LE(one.onset_bytes, one.end_bytes);
  }
  EXPECT_FALSE(found[2].bytes);
}

TEST(BandwidthLevels, SizesAndRatesOfACurveWithSharpEdges) {
  expect_three_levels(find_bandwidth_levels(swept(2 * kib, 64 * mib, 4, three_levels), 64), 1.2);
  expect_three_levels(find_bandwidth_levels(swept(2 * kib, 64 * mib, 2, three_levels), 64), 1.45);
}

TEST(BandwidthLevels, AClimbWhileGroupsGetWorkIsNoLevel) {
  expect_three_levels(
      find_bandwidth_levels(
          swept(256, 64 * mib, 4, [](double bytes) { return std::min(bytes / 4, three_levels(bytes)); }), 64),
      1.2);
}

TEST(BandwidthLevels, ADipAndASlowPointAreNone) {
  Curve curve = swept(2 * kib, 64 * mib, 4, three_levels);
  curve[17] = at(curve[17].bytes, 180);  // of 300
  expect_three_levels(find_bandwidth_levels(curve, 64), 1.2);
  curve[18] = at(curve[18].bytes, 170);
  expect_three_levels(find_bandwidth_levels(curve, 64), 1.2);
}

TEST(BandwidthLevels, WorkingSetsThatAreTooFastAreNoneAndHideNone) {
  // Groups that follow each other closely find in a cache what the one before has just read.
  Curve curve = swept(2 * kib, 64 * mib, 4, three_levels);
  for (const std::size_t fast : {40u, 41u}) curve[fast] = at(curve[fast].bytes, 95);  // of 60
  expect_three_levels(find_bandwidth_levels(curve, 64), 1.2);
  for (std::size_t fast = 44; fast < 50; ++fast) curve[fast] = at(curve[fast].bytes, 95);
  EXPECT_TRUE(find_bandwidth_levels(curve, 64).empty());
}

/// 64 ways of least recently used lines, spread by a hash: some sets are full before the cache is.
TEST(BandwidthLevels, TheSizeIsWhatExplainsTheSlopeAndNotItsOnset) {
  const Curve curve = of({{48 * kib, 36800},
                          {56 * kib, 36700},
                          {64 * kib, 36500},
                          {80 * kib, 34988},
                          {88 * kib, 29594},
                          {96 * kib, 19929},
                          {104 * kib, 11682},
                          {112 * kib, 7962},
                          {128 * kib, 5398},
                          {136 * kib, 5168},
                          {144 * kib, 5037},
                          {192 * kib, 5012},
                          {256 * kib, 5009},
                          {384 * kib, 4988},
                          {512 * kib, 4997}});
  const auto found = find_bandwidth_levels(curve, 128);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].bytes->value, 112 * kib, 8 * kib);
  EXPECT_LT(found[0].bytes->low, 90 * kib);
}

TEST(BandwidthLevels, AFallWithinWhatTheRepetitionsOfAPointLieApartIsNone) {
  const auto found = [](double spread) {
    Curve curve;
    for (double bytes = 2 * kib; bytes < 65 * mib; bytes *= std::sqrt(2)) {
      const double gbps = bytes <= 17 * kib ? 1000 : bytes <= 1.1 * mib ? 300 : 225;
      curve.push_back(at(bytes, gbps, bytes > 17 * kib ? spread : 0.003));
    }
    return find_bandwidth_levels(curve, 64);
  };
  EXPECT_EQ(found(0.003).size(), 3u);
  EXPECT_EQ(found(0.4).size(), 2u);
}

TEST(BandwidthLevels, MemoryIsWhatTheFurthestGetWhereTheyGetTheSame) {
  // A simulated cache of 72 MiB in hashed sets, then 930 GB/s; what is between the two would be taken for a mixture.
  Curve curve;
  for (double bytes = mib; bytes < 40 * mib; bytes *= std::sqrt(2)) curve.push_back(at(bytes, 5000));
  for (const auto& [bytes, gbps] :
       {std::pair{48.0, 4979.0}, {56.0, 4419.0}, {64.0, 2766.0}, {80.0, 1095.0}, {96.0, 928.0}, {128.0, 926.0}}) {
    curve.push_back(at(bytes * mib, gbps));
  }
  const std::vector<BandwidthLevel> found = find_bandwidth_levels(curve, 128);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[1].gbps.value, 927, 2);
}

TEST(BandwidthLevels, NothingFromACurveThatRisesAgain) {
  const auto rising = [](double bytes) { return bytes > 8 * mib ? 250 : three_levels(bytes); };
  EXPECT_TRUE(find_bandwidth_levels(swept(2 * kib, 64 * mib, 4, rising), 64).empty());
}

TEST(BandwidthLevels, NothingFromAFlatCurveOrHardlyAny) {
  EXPECT_TRUE(find_bandwidth_levels(swept(2 * kib, 64 * mib, 4, [](double) { return 2.2; }), 64).empty());
  EXPECT_TRUE(find_bandwidth_levels({}, 64).empty());
  EXPECT_TRUE(find_bandwidth_levels(of({{4 * kib, 100}, {mib, 10}}), 64).empty());
}

TEST(BandwidthLevels, NoLevelFromNoiseAlone) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.03 * static_cast<double>(seed % 6));
    const Curve curve = swept(2 * kib, 64 * mib, 2, [&](double) { return 2.2 * std::exp(noise(random)); });
    found += find_bandwidth_levels(curve, 64).empty() ? 0 : 1;
  }
  EXPECT_EQ(found, 0);
}

TEST(BandwidthLevels, ThoseOfACurveWithNoiseAreWhereTheyAre) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.03);
    const Curve curve =
        swept(2 * kib, 64 * mib, 4, [&](double bytes) { return three_levels(bytes) * std::exp(noise(random)); });
    const auto found = find_bandwidth_levels(curve, 64);
    ASSERT_EQ(found.size(), 3u) << seed;
    EXPECT_NEAR(found[0].gbps.value, 1000, 40) << seed;
    EXPECT_NEAR(found[2].gbps.value, 60, 3) << seed;
    EXPECT_NEAR(std::log2(found[1].bytes->value / mib), 0, 0.3) << seed;
  }
}

// A CPU of 48 KiB and 2 MiB through PoCL, at quick effort: the first fall is no more than 1.4 times, the second cache
// slopes.
TEST(BandwidthLevels, OfACpuWhoseSecondCacheSlopes) {
  const auto found = find_bandwidth_levels(
      of({{2 * kib, 319},    {2.5 * kib, 148}, {3 * kib, 258},   {4 * kib, 321},   {6 * kib, 307},   {8 * kib, 308},
          {12 * kib, 304},   {16 * kib, 294},  {24 * kib, 318},  {32 * kib, 308},  {40 * kib, 273},  {48 * kib, 152},
          {64 * kib, 221},   {96 * kib, 220},  {128 * kib, 209}, {192 * kib, 219}, {224 * kib, 201}, {256 * kib, 204},
          {384 * kib, 189},  {448 * kib, 177}, {512 * kib, 156}, {640 * kib, 139}, {768 * kib, 141}, {1024 * kib, 142},
          {1536 * kib, 156}, {1792 * kib, 87}, {2 * mib, 97},    {2.5 * mib, 81},  {3 * mib, 74},    {4 * mib, 72},
          {5 * mib, 62},     {6 * mib, 67},    {8 * mib, 63},    {10 * mib, 56},   {12 * mib, 56},   {16 * mib, 61},
          {20 * mib, 49},    {24 * mib, 56},   {32 * mib, 59},   {48 * mib, 37},   {64 * mib, 41}}),
      64);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_LE(found[0].bytes->low, 48 * kib);
  EXPECT_GE(found[0].bytes->high, 48 * kib);
  EXPECT_NEAR(found[0].gbps.value, 308, 15);
  EXPECT_LE(found[1].bytes->low, 2 * mib);
  EXPECT_GE(found[1].bytes->high, 2 * mib);
  EXPECT_NEAR(found[1].gbps.value, 210, 10);  // before it slopes, from 64 to 256 KiB
  EXPECT_LT(found[1].gbps.low, 201);
  EXPECT_GT(found[1].gbps.high, 221);
  EXPECT_NEAR(found[2].gbps.value, 45, 20);
}

// A simulated Strix Halo, 32 and 256 KiB, 2 and 32 MiB, as a short run has it: two sizes alone lie within the third.
TEST(BandwidthLevels, TwoSizesWithinALevelAreOne) {
  const auto found = find_bandwidth_levels(
      of({{8 * kib, 9967},   {16 * kib, 10052}, {24 * kib, 9951}, {32 * kib, 5737},   {40 * kib, 4012},
          {48 * kib, 4005},  {64 * kib, 4007},  {96 * kib, 3999}, {128 * kib, 3976},  {192 * kib, 3995},
          {256 * kib, 4003}, {1 * mib, 2127},   {2 * mib, 2136},  {2176 * kib, 1086}, {2432 * kib, 996},
          {2944 * kib, 978}, {4 * mib, 983},    {6 * mib, 979},   {8 * mib, 981},     {12 * mib, 976},
          {16 * mib, 953},   {24 * mib, 646},   {32 * mib, 345},  {48 * mib, 220},    {64 * mib, 214},
          {96 * mib, 213},   {128 * mib, 213}},
         0.01),
      128);
  ASSERT_EQ(found.size(), 5u);
  const std::vector<std::pair<double, double>> truth{
      {32 * kib, 10000}, {256 * kib, 4000}, {2 * mib, 2130}, {32 * mib, 980}, {0, 213}};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(found[i].gbps.value / truth[i].second, 1, 0.01) << i;
    if (!found[i].bytes) continue;
    EXPECT_LE(found[i].bytes->low, truth[i].first) << i;
    EXPECT_GE(found[i].bytes->high, truth[i].first) << i;
  }
}

// An H200's L2 and memory as RRZE-HPC/gpu-benches (gpu-l2-cache) has them, in MiB; slices further away fill before the
// rest.
TEST(BandwidthLevels, OfAnH200) {
  const Curve curve =
      of({{1.5 * mib, 13527},  {2 * mib, 11745},   {2.5 * mib, 11385}, {3 * mib, 11049},   {4 * mib, 10619},
          {5 * mib, 10538},    {6 * mib, 10260},   {8 * mib, 10252},   {10 * mib, 10085},  {12 * mib, 9716},
          {15 * mib, 9920},    {18 * mib, 9774},   {21 * mib, 9740},   {25 * mib, 9675},   {30 * mib, 9769},
          {33 * mib, 9629},    {39.5 * mib, 9666}, {43 * mib, 9105},   {47 * mib, 7543},   {51.5 * mib, 6467},
          {56.5 * mib, 5054},  {62 * mib, 4464},   {68 * mib, 4201},   {74.5 * mib, 4018}, {89.5 * mib, 3916},
          {107.5 * mib, 3893}, {142 * mib, 3888},  {188 * mib, 3888},  {250 * mib, 3888},  {365 * mib, 3887}});
  const auto found = find_bandwidth_levels(curve, 128);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_GT(found[0].bytes->value, 38 * mib);
  EXPECT_LT(found[0].bytes->value, 60 * mib);
  EXPECT_NEAR(found[0].gbps.value, 9800, 300);
  EXPECT_NEAR(found[1].gbps.value, 3888, 80);
}

// An H100's first cache as the bandwidth probe read it through OpenCL (docs/results/h100), then its L2 and memory, read
// by all multiprocessors in orders of their own (CUDA): of what a cache holds of the whole each finds that part in it,
// so that memory's rate is come near to slowly. At 48 MiB a twelfth of the reads misses already.
TEST(BandwidthLevels, OfAnH100ReadInManyOrders) {
  const Curve curve =
      of({{16 * kib, 30959},  {32 * kib, 31000},  {64 * kib, 31028},  {128 * kib, 30966}, {192 * kib, 30938},
          {224 * kib, 30967}, {240 * kib, 27447}, {256 * kib, 26352}, {320 * kib, 23213}, {352 * kib, 19458},
          {384 * kib, 13891}, {448 * kib, 9951},  {512 * kib, 9270},  {768 * kib, 8920},  {1 * mib, 8293},
          {2 * mib, 7890},    {4 * mib, 7604},    {8 * mib, 7446},    {16 * mib, 7482},   {24 * mib, 7600},
          {32 * mib, 7546},   {40 * mib, 7463},   {48 * mib, 6721},   {56 * mib, 6067},   {64 * mib, 5465},
          {80 * mib, 4857},   {96 * mib, 4423},   {128 * mib, 3977},  {192 * mib, 3607},  {256 * mib, 3435},
          {512 * mib, 3210},  {1024 * mib, 3101}, {2048 * mib, 3051}});
  const auto found = find_bandwidth_levels(curve, 128);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_LT(found[0].bytes->low, 256 * kib);
  EXPECT_GT(found[0].bytes->high, 220 * kib);
  EXPECT_LT(found[1].bytes->low, 48 * mib);
  EXPECT_GT(found[1].bytes->high, 48 * mib);
  EXPECT_NEAR(found[0].gbps.value, 31000, 600);
  EXPECT_NEAR(found[1].gbps.value, 7600, 400);
  EXPECT_LT(found[2].gbps.low, 3050);
  EXPECT_GT(found[2].gbps.high, 3050);
}

// An RX 6900 XT's L2, Infinity Cache and memory, from the same source: memory gets slower with the working set.
TEST(BandwidthLevels, OfAnRx6900Xt) {
  const Curve curve =
      of({{1.5 * mib, 4658},   {2 * mib, 5164},     {3.5 * mib, 4547},  {5 * mib, 4402},    {6.5 * mib, 3598},
          {8 * mib, 2583},     {9.5 * mib, 2265},   {12 * mib, 2034},   {15 * mib, 1988},   {19.5 * mib, 1981},
          {25 * mib, 1969},    {33 * mib, 1946},    {43 * mib, 1952},   {56.5 * mib, 1939}, {74.5 * mib, 1938},
          {98 * mib, 1911},    {129.5 * mib, 1856}, {171.5 * mib, 513}, {227.5 * mib, 502}, {302.5 * mib, 500},
          {402 * mib, 493},    {534.5 * mib, 486},  {710.5 * mib, 482}, {945 * mib, 477},   {1257 * mib, 470},
          {1672.5 * mib, 463}, {2225 * mib, 454},   {2961 * mib, 451},  {3940.5 * mib, 453}});
  const auto found = find_bandwidth_levels(curve, 128);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0].gbps.value, 4700, 500);
  EXPECT_NEAR(found[1].gbps.value, 1950, 60);
  EXPECT_GT(found[1].bytes->high, 128 * mib);
  EXPECT_LT(found[1].bytes->low, 140 * mib);
  EXPECT_NEAR(found[2].gbps.value, 480, 30);
}

}  // namespace
}  // namespace sonde::analysis
