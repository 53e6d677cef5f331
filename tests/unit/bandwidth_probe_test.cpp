// The bandwidth probe's plan: a few points that search, then sweeps with what they found.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "analysis/statistics.hpp"
#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/bandwidth/bandwidth.hpp"
#include "probes/catalog.hpp"
#include "support/recording_observer.hpp"

namespace sonde::probes {
namespace {

using bandwidth_probe::level_words;

constexpr measure::Words private_words = [] {
  measure::Words words = level_words;
  words.sharing = measure::Sharing::separate;
  return words;
}();

device::DeviceInfo device_with(std::uint32_t units, device::DeviceType type) {
  device::DeviceInfo info;
  info.compute_units = units;
  info.type = type;
  return info;
}

measure::Measurement searched(const measure::Point& point, std::uint32_t groups) {
  measure::Measurement one{.point = point, .unit = "GB/s", .values = {1}, .state = {}};
  one.state.shape = named(workloads::StreamShape{.groups = groups});
  return one;
}

TEST(BandwidthPlan, SearchesFirstAndThenSweepsWithTheNearestShape) {
  using measure::Pattern;
  const auto info = device_with(2, device::DeviceType::cpu);
  const measure::Request request{.look = measure::Look::first};
  std::vector<measure::Measurement> known;
  std::uint32_t number = 0;
  std::map<Pattern, std::map<double, std::uint32_t>> groups;  // of the searches for private parts
  std::set<double> shared;
  for (const measure::Point& point : bandwidth.next(info, request, known)) {
    EXPECT_TRUE(point.shape.empty());
    known.push_back(searched(point, ++number));
    if (point.words.sharing == measure::Sharing::shared) {
      shared.insert(point.x.bytes.value());
    } else {
      groups[point.words.pattern.value()][point.x.bytes.value()] = number;
    }
  }
  EXPECT_EQ(shared, (std::set<double>{16 << 10, 256 << 10, 4 << 20, 64 << 20}));
  EXPECT_EQ(groups.size(), 1u) << "other patterns take over reading's shapes";
  const auto points = bandwidth.next(info, request, known);
  ASSERT_FALSE(points.empty());
  std::map<Pattern, std::set<double>> swept;
  std::set<measure::Path> paths;  // whose shapes are searched for at their own points
  for (const measure::Point& point : points) {
    if (point.curve == &bandwidth_probe::empty_dispatch) continue;
    if (point.words.path != measure::Path::buffer) {
      EXPECT_TRUE(point.shape.empty());
      paths.insert(point.words.path.value());
      continue;
    }
    const workloads::StreamShape shape = workloads::shape_of(point.shape);
    const double bytes = point.x.bytes.value();
    if (point.words.sharing == measure::Sharing::shared) {
      EXPECT_LE(shape.groups, info.compute_units);  // as none follows another in one unit
      EXPECT_FALSE(shared.contains(bytes)) << "asked for again: " << bytes;
      continue;
    }
    const auto pattern = point.words.pattern.value();
    const std::map<double, std::uint32_t>& of_reading = groups[Pattern::read];
    ASSERT_EQ(of_reading.size(), 2u);
    EXPECT_FALSE(pattern == Pattern::read && of_reading.contains(bytes)) << "asked for again: " << bytes;
    const bool near = bytes * bytes < of_reading.begin()->first * of_reading.rbegin()->first;
    EXPECT_EQ(shape.groups, near ? of_reading.begin()->second : of_reading.rbegin()->second)
        << measure::name_of(bandwidth, point);
    EXPECT_TRUE(swept[pattern].insert(bytes).second) << measure::name_of(bandwidth, point);
  }
  for (const Pattern pattern : {Pattern::write, Pattern::copy, Pattern::add, Pattern::triad}) {
    EXPECT_GE(swept[pattern].size(), 4u);
    EXPECT_GE(*swept[pattern].rbegin(), 63 << 20) << "memory";
  }
  EXPECT_EQ(paths, (std::set{measure::Path::local, measure::Path::image}));
}

/// A measurement on the curve that tells levels.
measure::Measurement at(double bytes, double gbps, std::uint32_t groups) {
  measure::Measurement one{
      .point = {.curve = &bandwidth_probe::stream,
                .words = level_words,
                .x = {.bytes = bytes},
                .shape = named(workloads::StreamShape{.group_size = 64, .groups = groups, .vector_words = 4})},
      .unit = "GB/s",
      .values = {gbps, gbps, gbps},
      .state = {}};
  one.state.shape = one.point.shape;
  return one;
}

TEST(BandwidthCurve, HasEachSizeOnceInItsFastestShape) {
  const std::vector<measure::Measurement> known{at(65536, 80, 1), at(66048, 50, 1),  at(65536, 90, 2),
                                                at(65536, 70, 4), at(131072, 60, 2), at(66048, 40, 2)};
  std::vector<std::pair<double, double>> found;
  for (const measure::Measurement* one : best_points(known, level_words)) {
    found.emplace_back(one->point.x.bytes.value(), one->values.front());
  }
  EXPECT_EQ(found, (std::vector<std::pair<double, double>>{{65536, 90}, {66048, 50}, {131072, 60}}));
}

TEST(BandwidthCurve, WhereItStepsBetweenTwoShapesTheSlowerSizeIsMeasuredInTheOtherToo) {
  const auto info = device_with(2, device::DeviceType::discrete);
  const measure::Request quick{.look = measure::Look::first};
  std::vector<measure::Measurement> known{at(32768, 100, 1), at(65536, 100, 1), at(131072, 60, 2), at(262144, 60, 2)};
  const std::vector<measure::Point> points = closer_points(info, quick, known);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].words, level_words);
  EXPECT_EQ(points[0].x, known[2].point.x);
  EXPECT_EQ(points[0].shape, known[0].point.shape);
  // Each way once only.
  known.push_back(at(131072, 55, 1));
  for (const measure::Point& point : closer_points(info, quick, known)) EXPECT_NE(point.x, known[2].point.x);
}

/// The largest working set of the curve of levels that is asked for where a cache of so many bytes stands before
/// memory.
double largest_asked_for(const device::DeviceInfo& info, const measure::Request& request, double cache_bytes) {
  std::vector<measure::Measurement> known;
  double largest = 0;
  for (auto points = bandwidth.next(info, request, known); !points.empty();
       points = bandwidth.next(info, request, known)) {
    for (const measure::Point& point : points) {
      known.push_back(searched(point, 1));
      if (!point.x.bytes) continue;
      const double bytes = point.x.bytes.value();
      const double missed = std::max(0.0, 1 - cache_bytes / bytes);
      known.back().values = std::vector<double>(3, 1000 / (1 + 9 * missed));
      if (point.words == level_words) largest = std::max(largest, bytes);
    }
    if (is_scaling(points.front())) break;
  }
  return largest;
}

TEST(BandwidthPlan, ASweepThatEndsOnAFallGoesOn) {
  constexpr double mib = 1 << 20;
  const measure::Request quick{.look = measure::Look::first};
  auto gpu = device_with(8, device::DeviceType::discrete);
  gpu.largest_buffer_bytes = 8ull << 30;
  EXPECT_EQ(largest_asked_for(gpu, quick, mib), 128 * mib);
  EXPECT_EQ(largest_asked_for(gpu, quick, 96 * mib), 512 * mib);
  gpu.largest_buffer_bytes = 300 << 20;
  EXPECT_EQ(largest_asked_for(gpu, quick, 96 * mib), 256 * mib);
  measure::Request asked = quick;
  asked.largest_bytes = 128 << 20;
  EXPECT_EQ(largest_asked_for(gpu, asked, 96 * mib), 128 * mib);
  auto cpu = device_with(2, device::DeviceType::cpu);
  cpu.bound_bytes = 1 << 30;
  cpu.largest_buffer_bytes = 8ull << 30;
  EXPECT_EQ(largest_asked_for(cpu, quick, 48 * mib), 256 * mib);
  cpu.bound_bytes = 64 << 20;  // beyond it a driver may need other instructions
  EXPECT_EQ(largest_asked_for(cpu, quick, 48 * mib), 64 * mib);
}

TEST(BandwidthPlan, WorkingSetsHaveRoomInTheLargestBufferButForOneThatSaysWhyNoneIsLarger) {
  auto gpu = device_with(8, device::DeviceType::discrete);
  gpu.largest_buffer_bytes = 200'000'000;
  measure::Request asked{.look = measure::Look::first, .smallest_bytes = 16 << 20, .largest_bytes = 1 << 30};
  for (const measure::Look look : {measure::Look::first, measure::Look::closer}) {
    asked.look = look;
    std::vector<double> largest(4);  // by the number of arrays
    std::vector<double> beyond;
    for (const Point& point : bandwidth.next(gpu, asked, {})) {
      const unsigned arrays = workloads::facts_of(point.words).arrays;
      const double bytes = *point.x.bytes;
      if (bytes / arrays > 2e8) {
        beyond.push_back(bytes);
      } else {
        largest.at(arrays) = std::max(largest.at(arrays), bytes);
      }
    }
    EXPECT_EQ(beyond, std::vector<double>{1 << 30});
    EXPECT_GT(largest[1], 0.9 * 2e8);
    if (look == measure::Look::closer) {
      EXPECT_GT(largest[3], 0.9 * 3 * 2e8);
    }
  }
}

FoundLevel level_of(int number, std::optional<double> bytes) {
  FoundLevel level{.level = number};
  if (!bytes) return level;
  level.found.bytes = analysis::Bracket{*bytes / 1.02, *bytes, *bytes * 1.02};
  level.found.onset_bytes = *bytes * 1.01;
  level.found.end_bytes = *bytes * 1.1;
  level.found.latency_ns = {9, 10, 11};
  return level;
}

TEST(BandwidthLevelsByLatency, AreThoseWithASampleWithinThem) {
  std::vector<measure::Measurement> known;
  for (double bytes = 65536; bytes <= 64 << 20; bytes *= 2) known.push_back(at(bytes, bytes <= 1 << 20 ? 500 : 50, 2));
  known.push_back(at(3 << 20, 70, 2));  // between two caches; the first visit was another's
  known.back().values = {20, 49, 50, 51};
  known.back().visits = {0, 1, 3};
  const measure::Request request{.levels_by_latency = {level_of(2, 16384), level_of(3, 1.2 * (1 << 20)),
                                                       level_of(4, 4.2 * (1 << 20)), level_of(5, {})}};
  const measure::Conclusion conclusion = bandwidth.conclude(request, known);
  ASSERT_EQ(conclusion.levels.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const FoundLevel& one = conclusion.levels[static_cast<std::size_t>(i)];
    EXPECT_EQ(one.level, 3 + i);
    EXPECT_EQ(one.matches, 3 + i);
    EXPECT_EQ(one.words, level_words);
    EXPECT_NEAR(one.gbps.value().value, i == 0 ? 500 : 50, 1);
    EXPECT_EQ(one.found.latency_ns.value, 0) << "it is of another curve";
  }
  EXPECT_EQ(conclusion.levels[0].found.bytes->high, request.levels_by_latency[1].found.bytes->high);
  EXPECT_TRUE(conclusion.without_levels.empty());
}

TEST(BandwidthLevelsByLatency, WithoutAnyTheReasonIsTold) {
  const auto why = [](const std::vector<std::pair<double, double>>& sizes_and_gbps, const measure::Request& request) {
    std::vector<measure::Measurement> known;
    for (const auto& [bytes, gbps] : sizes_and_gbps) known.push_back(at(bytes, gbps, 2));
    const measure::Conclusion conclusion = bandwidth.conclude(request, known);
    EXPECT_TRUE(conclusion.levels.empty());
    return conclusion.without_levels.empty() ? "" : conclusion.without_levels.front().reason;
  };
  EXPECT_EQ(why({{4096, 9}, {8192, 9}}, {}), "") << "so few sizes were asked for";
  EXPECT_NE(why({{4096, 9}, {8192, 9}, {16384, 9}, {32768, 9}}, {}).find("has no fall"), std::string::npos);
  EXPECT_NE(why({{1 << 20, 9}}, {.levels_by_latency = {level_of(1, 1 << 20), level_of(2, 3 << 19)}}), "");
  std::vector<std::pair<double, double>> rising;
  for (double bytes = 4096; bytes < 1 << 26; bytes *= 2) rising.emplace_back(bytes, bytes < 1 << 20 ? 100 : 300);
  rising.emplace_back(2048, 300);
  EXPECT_NE(why(rising, {}).find("rises again"), std::string::npos);
}

TEST(BandwidthLevelsByLatency, AreReadAtTwoSizesWellWithinEachBeforeTheSweep) {
  const auto info = device_with(2, device::DeviceType::discrete);
  constexpr double largest = 128 << 20;
  measure::Request request{.look = measure::Look::first,
                           .levels_by_latency = {level_of(1, 16384), level_of(2, 1 << 20), level_of(3, {})}};
  std::vector<measure::Measurement> known;
  for (const measure::Point& point : bandwidth.next(info, {.look = measure::Look::first}, {}))
    known.push_back(searched(point, static_cast<std::uint32_t>(known.size())));
  const auto shape_near = [searches = known](double bytes) {
    const auto distance = [bytes](const measure::Measurement& one) {
      return one.point.words == level_words ? std::abs(std::log(bytes_of(one) / bytes)) : 1e9;
    };
    return std::ranges::min_element(searches, {}, distance)->state.shape;
  };
  const std::vector<measure::Point> points = bandwidth.next(info, request, known);
  for (const measure::Point& point : points) {
    const double bytes = point.x.bytes.value();
    EXPECT_EQ(point.words, level_words);
    EXPECT_EQ(point.shape, shape_near(bytes));
    const double end = bytes < 16384 ? 16384 : bytes < 1 << 20 ? 1 << 20 : largest;
    EXPECT_LE(bytes, end);
    EXPECT_GT(bytes, 0.55 * end);
    known.push_back(searched(point, 1));
  }
  EXPECT_EQ(points.size(), 5u) << "the largest was searched";
  EXPECT_TRUE(points_within_levels(info, request, known).empty());
  EXPECT_TRUE(closer_points(info, request, known).empty()) << "latency tells the edges";
  request.levels_by_latency.clear();
  EXPECT_TRUE(points_within_levels(info, request, known).empty());
}

/// Findings for reading at 4 KiB, 16 KiB and so on, each four times the size before.
std::vector<measure::Finding> concluded(const std::vector<double>& gbps) {
  std::vector<measure::Measurement> curve;
  double bytes = 4096;
  for (const double value : gbps) {
    curve.push_back({.point = {.words = private_words, .x = {.bytes = bytes}},
                     .unit = "GB/s",
                     .values = {value, value, value},
                     .state = {}});
    bytes *= 4;
  }
  return bandwidth.conclude({}, curve).findings;
}

TEST(BandwidthFindings, MoreFromFarAwayThanFromNearIsSuspicious) {
  const std::vector<measure::Finding> found = concluded({160, 155, 100, 50, 200, 26});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, &bandwidth_probe::suspicious);
  EXPECT_EQ(found[0].value, 200);
  EXPECT_EQ(found[0].unit, "GB/s");
  EXPECT_EQ(found[0].words, private_words);
  EXPECT_NE(found[0].evidence.find("At 1 MiB the pattern read got 200 GB/s"), std::string::npos) << found[0].evidence;
  EXPECT_NE(found[0].evidence.find("more than 160"), std::string::npos) << found[0].evidence;
}

/// Reading shared, 500 GB/s from a cache of 1 MiB, then `memory_gbps`, by a driver that says what memory moves at most.
std::vector<measure::Measurement> cache_and_memory(double memory_gbps, std::optional<double> peak_gbps) {
  std::vector<measure::Measurement> curve;
  for (double bytes = 65536; bytes <= 64 << 20; bytes *= std::sqrt(2)) {
    const double gbps = bytes <= 1.001 * (1 << 20) ? 500 : memory_gbps;
    curve.push_back({.point = {.words = level_words, .x = {.bytes = bytes}},
                     .unit = "GB/s",
                     .values = {gbps, gbps, gbps},
                     .state = {}});
    curve.back().state.device_state.memory_peak_gbps = peak_gbps;
  }
  return curve;
}

TEST(BandwidthFindings, MoreThanMemoryMovesIsSuspicious) {
  const auto found = [](double memory_gbps, std::optional<double> peak_gbps) {
    std::vector<measure::Finding> findings = bandwidth.conclude({}, cache_and_memory(memory_gbps, peak_gbps)).findings;
    std::erase_if(findings, [](const measure::Finding& one) { return one.kind == &bandwidth_probe::launch; });
    return findings;
  };
  EXPECT_TRUE(found(52, 50).empty());  // a little is still in the cache
  EXPECT_TRUE(found(60, std::nullopt).empty());
  const std::vector<measure::Finding> above = found(60, 50);
  ASSERT_EQ(above.size(), 1u);
  EXPECT_EQ(above[0].kind, &bandwidth_probe::suspicious);
  EXPECT_EQ(above[0].value, 60);
  EXPECT_NE(above[0].evidence.find("got 60 GB/s, but memory moves at most 50"), std::string::npos) << above[0].evidence;
}

TEST(BandwidthFindings, MoreThanComputeUnitsTakeIsSuspicious) {
  device::DeviceInfo info = device_with(4, device::DeviceType::discrete);
  info.clock_mhz = 480;  // 4 x 0.48 x 256 is 491.5
  const auto curve = cache_and_memory(50, std::nullopt);
  const std::vector<measure::Finding> found = bandwidth.stated(info, curve);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, &bandwidth_probe::suspicious);
  EXPECT_EQ(found[0].value, 500);
  EXPECT_NE(found[0].evidence.find("4 compute units at 480 MHz take 491.5"), std::string::npos) << found[0].evidence;
  info.clock_mhz = 490;
  EXPECT_TRUE(bandwidth.stated(info, curve).empty());
  info.clock_mhz = 0;
  EXPECT_TRUE(bandwidth.stated(info, curve).empty());
  // A driver's word for a CPU's clock may be that without a boost.
  EXPECT_TRUE(bandwidth.stated(device_with(4, device::DeviceType::cpu), curve).empty());
  auto measured = curve;
  for (measure::Measurement& one : measured)
    one.state.core_clock = measure::CoreClock{.mhz = 480, .source = "arithmetic-chain"};
  EXPECT_EQ(bandwidth.stated(device_with(4, device::DeviceType::cpu), measured).size(), 1u);
}

/// A point of the curve that tells levels, of a dispatch whose launch takes so long.
measure::Measurement launched(double bytes, double gbps, double launch_ns) {
  measure::Measurement one{
      .point = {.words = level_words, .x = {.bytes = bytes}}, .unit = "GB/s", .values = {gbps, gbps}, .state = {}};
  one.state.launch_ns = launch_ns;
  return one;
}

measure::Measurement empty_kernel(double us) {
  measure::Measurement one = launched(0, us, 0);
  one.unit = "us";
  one.point.x = {.groups = 2};
  return one;
}

TEST(BandwidthFindings, ALaunchIsFittedFromSmallWorkingSets) {
  measure::Measurement fewer_groups = launched(4096, 1, 500e3);
  fewer_groups.point.x.groups = 1;
  measure::Measurement other = launched(4096, 1, 500e3);
  other.point.words = private_words;
  const std::vector<measure::Measurement> known{launched(4096, 80, 11e3),
                                                launched(8192, 100, 12e3),
                                                launched(256 << 10, 90, 13e3),
                                                launched(1 << 30, 9, 90e3),
                                                fewer_groups,
                                                other,
                                                empty_kernel(12.5)};
  const std::vector<measure::Finding> found = bandwidth.conclude({}, known).findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, &bandwidth_probe::launch);
  EXPECT_EQ(found[0].words, level_words);
  EXPECT_EQ(found[0].value, 12);
  // The launches' logarithms have a mean of 2.48258 and a standard deviation of 0.08355, and three of one run tell of
  // another by eight thirds of the variance.
  const double half = 4.303 * 0.08355 * std::sqrt(8.0 / 3);
  EXPECT_NEAR(found[0].low.value(), std::exp(2.48258 - half), 1e-2) << "what another run finds, not quartiles";
  EXPECT_NEAR(found[0].high.value(), std::exp(2.48258 + half), 1e-2);
  EXPECT_EQ(found[0].unit, "us");
  EXPECT_EQ(
      found[0].evidence,
      "An empty kernel takes 12.5 us by the device's clock; a dispatch over n bytes, up to 256 KiB, takes a + n / b: "
      "a is 12 us (6.66 to 21.5 in another run), b is 90 GB/s.");
}

TEST(BandwidthFindings, ALaunchIsToldAsFarAsItIsKnown) {
  const auto found = [](const std::vector<measure::Measurement>& known) {
    return bandwidth.conclude({}, known).findings;
  };
  const auto without_empty = found({launched(4096, 80, 11e3), launched(8192, 100, 12e3), launched(16384, 90, 13e3)});
  ASSERT_EQ(without_empty.size(), 1u);
  EXPECT_EQ(without_empty[0].value, 12);
  EXPECT_TRUE(without_empty[0].evidence.starts_with("A dispatch over n bytes, up to")) << without_empty[0].evidence;
  const auto scattered = found({launched(4096, 80, 1e3), launched(8192, 100, 12e3), launched(16384, 90, 63e3)});
  ASSERT_EQ(scattered.size(), 1u);
  EXPECT_GT(scattered[0].low, 0) << "no launch takes less than no time";
  EXPECT_LT(scattered[0].low, 0.1);
  const auto unseen = found({launched(4096, 80, 0), launched(8192, 100, 2e3), launched(16384, 90, 0)});
  ASSERT_EQ(unseen.size(), 1u);
  EXPECT_EQ(unseen[0].value, 0);
  EXPECT_EQ(unseen[0].low, 0);
  EXPECT_GT(unseen[0].high, 1) << "a launch that the clock does not see may be seen by another run";
  const auto without_fit = found({launched(4096, 80, 11e3), launched(1 << 30, 9, 13e3), empty_kernel(12.5)});
  ASSERT_EQ(without_fit.size(), 1u);
  EXPECT_FALSE(without_fit[0].value || without_fit[0].low || without_fit[0].high);
  EXPECT_EQ(without_fit[0].evidence, "An empty kernel takes 12.5 us by the device's clock.");
  EXPECT_TRUE(found({launched(4096, 80, 11e3), launched(8192, 100, 12e3)}).empty());
}

TEST(BandwidthFindings, ACurveThatClimbsWhileGroupsGetWorkIsNot) {
  EXPECT_TRUE(concluded({2, 8, 32, 128, 500, 480, 90}).empty());
  // Noise on a plateau, and a second level that is nearly as fast.
  EXPECT_TRUE(concluded({160, 150, 120, 170, 50, 60, 26}).empty());
  EXPECT_TRUE(concluded({}).empty());
}

TEST(BandwidthPlan, WorkingSetsAreWhatShapesCanBeCutInto) {
  for (const auto& [units, type] :
       {std::pair{2u, device::DeviceType::cpu}, std::pair{132u, device::DeviceType::discrete}}) {
    const auto info = device_with(units, type);
    std::vector<measure::Measurement> known;
    for (const measure::Point& point : search_points(info, {})) known.push_back(searched(point, units));
    std::set<std::pair<measure::Words, double>> seen;
    for (const measure::Point& point : sweep_points(info, {}, known)) {
      if (!point.x.bytes) continue;
      const double bytes = point.x.bytes.value();
      const measure::Sharing sharing = point.words.sharing.value();
      const auto array_bytes = static_cast<std::uint64_t>(bytes) / workloads::facts_of(point.words).arrays;
      const workloads::StreamShape wish{.group_size = 256, .groups = 4 * units, .vector_words = 4, .in_flight = 4};
      const workloads::StreamWalk walk(workloads::fitted(wish, sharing, array_bytes), sharing, array_bytes);
      EXPECT_GE(static_cast<double>(walk.array_bytes()), 0.99 * static_cast<double>(array_bytes)) << bytes;
      if (sharing == measure::Sharing::separate) {
        EXPECT_GE(walk.shape.groups, units) << bytes;  // none stands still
      }
      EXPECT_TRUE(seen.insert({point.words, bytes}).second) << bytes;
    }
  }
}

TEST(BandwidthPlan, AllComputeUnitsReadASharedSetWhateverItsSize) {
  device::model::Description model{.compute_units = 96, .saturated_by = 96};
  model.levels = {{.name = "memory", .latency_ns = 100, .read_gbps = 96, .write_gbps = 96}};
  const auto device = device::model::open(model);
  const measure::Request request{.look = measure::Look::first, .largest_bytes = 4 << 20};
  int searches = 0;
  for (const measure::Point& point : search_points(device->info(), request)) {
    if (point.words != level_words) continue;
    const measure::Workload workload = bandwidth_probe::prepare_stream(*device, point, request);
    EXPECT_EQ(workload.shape.at("groups"), 96) << point.x.bytes.value();
    ++searches;
  }
  EXPECT_GE(searches, 3);
}

TEST(BandwidthPlan, PrivatePartsOfAGpuHaveRoomForTheShapeThatWasFound) {
  // An H100's, where a quick run measured 7,400 GB/s between two sizes at which it measured 17,700.
  const auto info = device_with(132, device::DeviceType::discrete);
  const measure::Shape found = workloads::named({.group_size = 256, .groups = 264, .vector_words = 4, .in_flight = 1});
  std::vector<measure::Measurement> known;
  std::map<measure::Pattern, int> points;
  const auto count = [&points](const measure::Point& point) {
    if (point.words.sharing != measure::Sharing::separate || point.shape.empty()) return;
    EXPECT_TRUE(keeps_its_shape(point)) << measure::name_of(bandwidth, point);
    ++points[point.words.pattern.value()];
  };
  for (measure::Point point : search_points(info, {.look = measure::Look::first})) {
    known.push_back({.point = point, .unit = "GB/s", .values = {1}, .state = {}});
    known.back().state.shape = found;
    point.shape = found;
    if (point.x.bytes > 8e6) count(point);
  }
  for (const measure::Point& point : sweep_points(info, {.look = measure::Look::first}, known)) count(point);
  using measure::Pattern;
  for (const Pattern pattern : {Pattern::read, Pattern::write, Pattern::copy, Pattern::add})
    EXPECT_GE(points[pattern], 2) << measure::word_of(pattern);
}

TEST(BandwidthProbe, FindsAModelsRatesAndTheSameEveryTime) {
  device::model::Description model;
  model.name = "two levels";
  model.compute_units = 4;
  model.saturated_by = 4;
  model.timer_step_ns = 1;
  model.memory_bytes = 1ull << 30;
  model.noise.relative = 0.01;
  model.launch_ns = 8000;
  model.levels.resize(2);
  model.levels[0] = {
      .bytes = 1 << 20, .line_bytes = 128, .ways = 16, .latency_ns = 40, .read_gbps = 500, .write_gbps = 200};
  model.levels[1] = {.latency_ns = 300, .read_gbps = 50, .write_gbps = 40};
  const measure::RunnerOptions options{
      .request = {.look = measure::Look::first, .smallest_bytes = 64 << 10, .largest_bytes = 8 << 20},
      .host_time = [] { return counters::HostTime{}; }};
  const auto run = [&] {
    test::RecordingObserver observer;
    measure::run_probe(*device::model::open(model), bandwidth, options, observer);
    return observer;
  };
  const auto [first, levels] = [&] {
    const test::RecordingObserver observer = run();
    EXPECT_FALSE(std::ranges::count(observer.findings, &bandwidth_probe::suspicious, &measure::Finding::kind));
    EXPECT_TRUE(observer.failures.empty());
    return std::pair(observer.measurements, observer.levels);
  }();
  const auto again = run().measurements;
  ASSERT_FALSE(first.empty());
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].values, again[i].values);
  for (const measure::Measurement& one : first) {
    if (one.point.words != private_words || is_scaling(one.point)) continue;
    const double bytes = one.point.x.bytes.value();
    const double median = analysis::summarize(one.values).median;
    if (bytes < 600e3) {
      EXPECT_NEAR(median, 500, 10) << bytes;
    }
    if (bytes > 4e6) {
      EXPECT_NEAR(median, 50, 1) << bytes;
    }
  }
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].words, level_words);
  EXPECT_NEAR(levels[0].gbps->value, 500, 10);
  EXPECT_NEAR(levels[0].found.bytes->value, 1 << 20, 0.05 * (1 << 20));
  EXPECT_LE(levels[0].found.bytes->low, 1 << 20);
  EXPECT_GE(levels[0].found.bytes->high, 1 << 20);
  EXPECT_NEAR(levels[1].gbps->value, 50, 1);
  const auto empty = std::ranges::find(first, "us", &measure::Measurement::unit);
  ASSERT_NE(empty, first.end());
  EXPECT_NEAR(analysis::summarize(empty->values).median, 8, 0.16);
}

/// Runs the probe on a model of one level over the sizes from `smallest` to `largest`.
test::RecordingObserver asked_for(std::uint64_t smallest, std::uint64_t largest) {
  device::model::Description model;
  model.compute_units = 2;
  model.timer_step_ns = 1;
  model.memory_bytes = 1ull << 28;
  model.levels.resize(1);
  model.levels[0] = {.latency_ns = 300, .read_gbps = 50, .write_gbps = 40};
  const measure::RunnerOptions options{
      .request = {.look = measure::Look::first, .smallest_bytes = smallest, .largest_bytes = largest},
      .host_time = [] { return counters::HostTime{}; }};
  test::RecordingObserver observer;
  measure::run_probe(*device::model::open(model), bandwidth, options, observer);
  return observer;
}

TEST(BandwidthPlan, APatternWithoutASizeThatWasAskedForSaysWhichWouldBeOne) {
  const test::RecordingObserver some = asked_for(2048, 2560);
  EXPECT_FALSE(some.measurements.empty());
  ASSERT_EQ(some.skips.size(), 2u);  // triad as well
  EXPECT_EQ(some.skips[0].point->words.pattern, measure::Pattern::add);
  EXPECT_NE(some.skips[0].text.find("add's 3 arrays; 3 KiB would be one"), std::string::npos) << some.skips[0].text;
  const test::RecordingObserver none = asked_for(100, 300);
  EXPECT_TRUE(none.measurements.empty());
  EXPECT_EQ(none.skips.size(), 6u);
}

}  // namespace
}  // namespace sonde::probes
