// The whole latency probe on a device whose hierarchy is known: it has to rediscover it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

#include "analysis/levels/cache_shapes.hpp"
#include "analysis/statistics.hpp"
#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/latency/latency.hpp"
#include "support/answered_plan.hpp"
#include "support/recording_observer.hpp"
#include "support/scripted_device.hpp"
#include "support/walk_workload.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::probes {
namespace {

using measure::Look;
using measure::Measurement;
using measure::Point;
using measure::Request;
using test::RecordingObserver;
using test::ScriptedDevice;

std::vector<double> sizes_as_asked(const Request& request, const device::DeviceInfo& device = {}) {
  std::vector<double> bytes;
  for (const Point& point : latency.next(device, request, {})) bytes.push_back(*point.x.bytes);
  return bytes;
}

std::vector<double> sizes(const Request& request, const device::DeviceInfo& device = {}) {
  std::vector<double> bytes = sizes_as_asked(request, device);
  std::ranges::sort(bytes);
  return bytes;
}

/// "vector", "atomic".
std::string path_name(const measure::Words& words) {
  return words.pattern ? "atomic" : std::string(word_of(words.path.value_or(measure::Path::vector)));
}

/// Measurements of the sizes that are asked for first, on a device of known latency.
std::vector<Measurement> measured(const Request& request, const std::function<double(double bytes)>& hop_ns,
                                  const device::DeviceInfo& device = {}) {
  std::vector<Measurement> known;
  for (const double bytes : sizes(request, device)) {
    known.push_back(
        {.point = test::point_of(bytes), .unit = "ns", .values = std::vector<double>(7, hop_ns(bytes)), .state = {}});
  }
  return known;
}

using latency_probe::vector_path;
using measure::Order;
using measure::Path;

const workloads::SweptCurves swept{.cycle = latency_probe::cycle,
                                   .independent = latency_probe::independent,
                                   .page = latency_probe::pages,
                                   .varied = vector_path};

bool is_cycle(const Point& point) { return !point.words.order; }
bool is_awake(const measure::Words& words) { return words.fabric == measure::Fabric::loaded; }

TEST(LatencySizes, AreFourPerDoublingDistinctAndWholeLines) {
  for (const std::uint32_t line_bytes : {64u, 128u}) {
    const auto bytes = sizes({.look = Look::closest, .largest_bytes = 512 << 20, .line_bytes = line_bytes});
    EXPECT_EQ(bytes.size(), 19 * 4 + 1u);
    EXPECT_EQ(bytes.front(), 1024);
    EXPECT_EQ(bytes.back(), 512 << 20);
    EXPECT_EQ(std::set<double>(bytes.begin(), bytes.end()).size(), bytes.size());
    for (std::size_t step = 0; step < bytes.size(); ++step) {
      EXPECT_EQ(std::fmod(bytes[step], line_bytes), 0) << bytes[step];
      EXPECT_NEAR(bytes[step], 1024 * std::exp2(static_cast<double>(step) / 4), line_bytes / 2.0) << step;
    }
  }
}

// The first look has to be over after seconds.
TEST(LatencySizes, AreTwoPerDoublingWhereAPointTakesLongAndCloserLooksHaveThemAll) {
  const std::vector<double> first = sizes({.look = Look::first});
  const std::vector<double> closer = sizes({.look = Look::closer});
  const std::vector<double> closest = sizes({.look = Look::closest});
  EXPECT_TRUE(std::ranges::includes(closer, first));
  EXPECT_TRUE(std::ranges::includes(closest, closer));
  EXPECT_EQ(std::ranges::count_if(first, [](double bytes) { return bytes > 4 << 20 && bytes <= 8 << 20; }), 4);
  EXPECT_EQ(std::ranges::count_if(first, [](double bytes) { return bytes > 32 << 20 && bytes <= 64 << 20; }), 2);
  EXPECT_EQ(std::ranges::count_if(closer, [](double bytes) { return bytes > 32 << 20 && bytes <= 64 << 20; }), 4);
  const auto seconds_of = [](device::DeviceType type) {
    device::DeviceInfo device;
    device.type = type;
    double seconds = 0;
    for (const Point& point : latency.next(device, {.look = Look::first}, {})) seconds += point.expected_seconds;
    return seconds;
  };
  EXPECT_LT(seconds_of(device::DeviceType::cpu), 5);
  EXPECT_LT(seconds_of(device::DeviceType::discrete), 10) << "its last cache may have 128 MiB";
}

TEST(LatencySizes, EndWhereTheLookSays) {
  device::DeviceInfo device;
  device.type = device::DeviceType::cpu;
  EXPECT_EQ(sizes({.look = Look::first}, device).back(), 64 << 20);
  EXPECT_EQ(sizes({.look = Look::first}).back(), 256 << 20);
  EXPECT_EQ(sizes({.look = Look::closer}).back(), 256 << 20);
  const auto closest = [&](device::DeviceType type) {
    device.type = type;
    return sizes({.look = Look::closest}, device).back();
  };
  EXPECT_EQ(closest(device::DeviceType::cpu), 0x1p30);
  EXPECT_EQ(closest(device::DeviceType::model), 0x1p30);
  EXPECT_EQ(closest(device::DeviceType::integrated), 0x1p33);
  EXPECT_EQ(closest(device::DeviceType::discrete), 0x1p33);
}

TEST(LatencySizes, WhatLiesWithinThoseAskedForIsMeasuredAtAnyLook) {
  for (const auto& [least, most] :
       {std::pair<double, double>(192 << 20, 512 << 20), {1 << 30, 1 << 30}, {3 << 10, 5 << 10}}) {
    for (const measure::Probe* probe : {&latency, &hit_rate, &cpu_latency}) {
      const device::DeviceInfo device{.api = probe == &cpu_latency ? device::Api::cpu : device::Api::opencl,
                                      .largest_buffer_bytes = 8ull << 30};
      const std::vector<Point> points = probe->next(device,
                                                    {.look = Look::first,
                                                     .smallest_bytes = static_cast<std::uint64_t>(least),
                                                     .largest_bytes = static_cast<std::uint64_t>(most)},
                                                    {});
      EXPECT_FALSE(points.empty()) << probe->id << " from " << least;
      for (const Point& point : points) {
        EXPECT_GE(*point.x.bytes, least) << probe->id;
        EXPECT_LE(*point.x.bytes, most) << probe->id;
      }
    }
  }
  EXPECT_FALSE(sizes({.look = Look::first, .smallest_bytes = 512 << 20}).empty());
}

TEST(LatencySizes, AreThoseAskedFor) {
  const auto bytes = sizes({.smallest_bytes = 4096, .largest_bytes = 16384});
  EXPECT_EQ(bytes.size(), 9u);
  EXPECT_EQ(bytes.front(), 4096);
  EXPECT_EQ(bytes.back(), 16384);
  EXPECT_EQ(sizes({.smallest_bytes = 4096, .largest_bytes = 4096}), std::vector<double>{4096});
}

TEST(LatencySizes, StayDistinctWhereLinesAreCoarserThanTheSteps) {
  const auto bytes = sizes({.smallest_bytes = 128, .largest_bytes = 1024, .line_bytes = 128});
  EXPECT_EQ(std::set<double>(bytes.begin(), bytes.end()).size(), bytes.size());
  EXPECT_EQ(bytes.front(), 128);
  EXPECT_EQ(bytes.back(), 1024);
}

TEST(LatencySizes, ComeInAnOrderThatNoDriftCanImitateACurveWith) {
  const Request request{.look = Look::first};
  EXPECT_FALSE(std::ranges::is_sorted(sizes_as_asked(request)));
  EXPECT_EQ(sizes_as_asked(request), sizes_as_asked(request));
  EXPECT_NE(sizes_as_asked({.look = Look::first, .seed = 1}), sizes_as_asked({.look = Look::first, .seed = 2}));
}

TEST(LatencySizes, AFlatCurveLeavesNothingToAskOnTheVectorPath) {
  const Request request{.look = Look::first};
  const auto points = latency.next(device::DeviceInfo{}, request, measured(request, [](double) { return 40.0; }));
  EXPECT_TRUE(std::ranges::none_of(
      points, [](const Point& point) { return test::is_by_vector_path(point.words) && !is_awake(point.words); }));
}

TEST(LatencySizes, AnEdgeIsLookedAtMoreClosely) {
  const Request request{.look = Look::first};
  const auto known = measured(request, [](double bytes) { return bytes <= 32768 ? 40.0 : 95.0; });
  const auto points = latency.next(device::DeviceInfo{}, request, known);
  ASSERT_FALSE(points.empty());
  for (const Point& point : points) {
    EXPECT_TRUE(is_cycle(point));
    EXPECT_GT(*point.x.bytes, 32768 / 1.5);
    EXPECT_LT(*point.x.bytes, 32768 * 1.5);
  }
}

/// Everything that the probe asks of a device, by the latency of its cycle.
test::AnsweredPlan::Next next_of(const device::DeviceInfo& device) {
  return [device](const Request& request, std::span<const Measurement> known) {
    return latency.next(device, request, known);
  };
}

device::DeviceInfo of_type(device::DeviceType type) {
  device::DeviceInfo device{.memory_bytes = 16ull << 30, .largest_buffer_bytes = 8ull << 30};
  device.type = type;
  device.constant_bytes = 64 << 10;
  device.local_bytes = 32 << 10;
  return device;
}

/// The ratio of the sizes of the vector path's cycle on both sides of an edge.
double narrowed(const test::AnsweredPlan& plan, double edge_bytes) {
  double below = 0;
  double above = 1e300;
  for (const Measurement& one : plan.known()) {
    if (!is_cycle(one.point) || !test::is_by_vector_path(one.point.words) || is_awake(one.point.words)) continue;
    const double bytes = *one.point.x.bytes;
    if (bytes <= edge_bytes) below = std::max(below, bytes);
    if (bytes > edge_bytes) above = std::min(above, bytes);
  }
  return above / below;
}

// Laps over many lines take long.
TEST(LatencySizes, AnEdgeIsLookedAtCloselyWhereAPointDoesNotTakeLong) {
  for (const auto& [end, look, known_within] :
       {std::tuple(20 << 20, Look::first, 1.03), {50 << 20, Look::first, 1.1}, {50 << 20, Look::closer, 1.03}}) {
    const auto answer = [end = static_cast<double>(end)](const Point& point) {
      return std::optional(*point.x.bytes <= end ? 12.0 : 140.0);
    };
    test::AnsweredPlan plan({}, next_of(of_type(device::DeviceType::cpu)), answer);
    plan.go_through(look);
    EXPECT_LE(narrowed(plan, end), known_within) << end;
    EXPECT_GE(narrowed(plan, end), std::sqrt(known_within)) << end;
  }
}

struct TwoCaches {
  double first_bytes = 48 << 10;
  double second_bytes = 3 << 20;
};

/// A device with two caches: at places a point fails.
std::optional<double> two_caches(const Point& point, int fails_every, const TwoCaches& caches = {}) {
  const auto bytes = *point.x.bytes;
  if (fails_every > 0 && static_cast<int>(std::log2(bytes) * 16) % fails_every == 0) return std::nullopt;
  const double line_bytes = 64;
  const bool over_pages = point.words.order == Order::page;
  const double walked = over_pages ? bytes / point.words.stride_bytes.value_or(4096) * line_bytes : bytes;
  const auto missed = [&](double cache) {
    if (point.words.order == Order::independent) return 1 - std::min(1.0, cache / walked);
    return walked <= cache ? 0.0 : 1.0;
  };
  return 20 + 60 * missed(caches.first_bytes) + 200 * missed(caches.second_bytes);
}

TEST(LatencyPlan, EveryLookAddsToTheOneBeforeAndEndsWhateverFails) {
  for (const device::DeviceType type : {device::DeviceType::discrete, device::DeviceType::cpu}) {
    for (const int fails_every : {0, 5}) {
      test::AnsweredPlan plan({}, next_of(of_type(type)),
                              [&](const Point& point) { return two_caches(point, fails_every); });
      for (const Look look : {Look::first, Look::closer, Look::closest}) EXPECT_GT(plan.go_through(look), 10u);
      EXPECT_EQ(plan.go_through(Look::first), 0u);
      std::set<std::string> paths;
      for (const measure::PointKey& key : plan.asked()) paths.insert(path_name(key.words));
      EXPECT_EQ(paths.size(), 6u);
      EXPECT_LE(narrowed(plan, 48 << 10), fails_every == 0 ? 1.03 : 1.1);
    }
  }
}

TEST(LatencyPlan, GoesOnFromAnyPrefix) {
  int sizes = 0;
  int held = 0;
  // How far the truth lies from the sizes on either side of it differs by device and by prefix.
  for (const double factor : {1.0, 0.4, 0.55, 0.63, 0.77, 0.86}) {
    const TwoCaches caches{std::round(factor * 768) * 64, std::round(49152 / factor) * 64};
    const auto answer = [&](const Point& point) { return two_caches(point, 0, caches); };
    test::AnsweredPlan at_once({}, next_of(of_type(device::DeviceType::cpu)), answer);
    test::AnsweredPlan little_by_little({}, next_of(of_type(device::DeviceType::cpu)), answer);
    at_once.go_through(Look::first);
    little_by_little.go_through(Look::first, 7);
    EXPECT_NEAR(static_cast<double>(at_once.asked().size()), static_cast<double>(little_by_little.asked().size()), 4);
    for (std::size_t count = 1; count <= at_once.known().size(); count += 9) {
      const measure::Conclusion conclusion = latency.conclude({}, std::span(at_once.known()).first(count));
      const auto levels = std::ranges::count_if(
          conclusion.levels, [](const measure::FoundLevel& level) { return test::is_by_vector_path(level.words); });
      EXPECT_LE(levels, 3) << count;
      for (const measure::FoundLevel& level : conclusion.levels) {
        if (!level.found.bytes || !test::is_by_vector_path(level.words)) continue;
        const double cache = level.found.bytes->value < 400e3 ? caches.first_bytes : caches.second_bytes;
        ++sizes;
        held += level.found.bytes->low <= cache && cache <= level.found.bytes->high ? 1 : 0;
      }
    }
  }
  EXPECT_GE(held, 0.95 * sizes) << "of " << sizes << " intervals for 95 %";
}

/// The independent accesses that are asked for.
std::vector<Point> hits_asked(const analysis::LatencyCurves& curves, Look look) {
  std::vector<Point> points =
      workloads::capacity_points(swept, curves, of_type(device::DeviceType::discrete), {.look = look}, {});
  std::erase_if(points, [&](const Point& point) { return point.words.order != Order::independent; });
  return points;
}

TEST(LatencySizes, HitsAreAskedAboutEveryEdgeAndMoreOfThemAtCloserLooks) {
  analysis::LatencyCurves curves;
  for (double bytes = 4 << 10; bytes <= 64 << 20; bytes *= std::exp2(0.25))
    curves.cycle.push_back({bytes, std::vector<double>(7, bytes <= 48 << 10  ? 2
                                                          : bytes <= 1 << 20 ? 6
                                                          : bytes <= 6 << 20 ? 35
                                                                             : 140)});
  const auto between = [&](Look look, double from, double to) {
    return std::ranges::count_if(hits_asked(curves, look),
                                 [&](const Point& point) { return *point.x.bytes > from && *point.x.bytes < to; });
  };
  for (const auto& [from, to] : {std::pair(45e3, 0.9e6), {0.95e6, 6e6}, {5.8e6, 1e9}}) {
    EXPECT_GE(between(Look::first, from, to), 5) << from;
    EXPECT_GT(between(Look::closest, from, to), between(Look::first, from, to)) << from;
  }
}

// A larger working set is not served faster: who was slow between two that are as fast was disturbed.
TEST(LatencySizes, APeakIsLeftOutAndNotLookedAtMoreClosely) {
  const Request request{.look = Look::closer};
  std::vector<Measurement> known = measured(request, [](double bytes) { return bytes < 200e3 ? 10.0 : 30.0; });
  const std::size_t without =
      workloads::edge_points(swept, workloads::curves_of(known, vector_path, request), request).size();
  ASSERT_GT(without, 0u);
  const auto peak = std::ranges::find_if(
      known, [](const Measurement& one) { return *one.point.x.bytes > 30e3 && *one.point.x.bytes < 40e3; });
  ASSERT_NE(peak, known.end());
  peak->values.assign(7, 15);
  const analysis::LatencyCurves curves = workloads::curves_of(known, vector_path, request);
  EXPECT_EQ(curves.left_out_bytes, std::vector<double>{*peak->point.x.bytes});
  EXPECT_EQ(workloads::edge_points(swept, curves, request).size(), without);
}

// What others leave of a cache differs by the moment, and both sides of its end may have met the same one.
TEST(LatencySizes, AboutACachesEndAreSeenAtASecondMomentFirstAmongOthers) {
  const Request request{.look = Look::first};
  std::vector<Measurement> known = measured(request, [](double bytes) { return bytes < 200e3 ? 10.0 : 30.0; });
  const auto asked = [&] {
    std::vector<Point> first_seen;
    for (const Measurement& one : known) first_seen.push_back(one.point);
    const std::vector<Point> points =
        workloads::edge_points(swept, workloads::curves_of(known, vector_path, request), request, true, first_seen);
    return measure::new_points(request, known, points);
  };
  for (const Point& point : asked()) EXPECT_EQ(point.visits_at_once, 1) << "nobody else is there";
  for (Measurement& one : known) one.state.steal = 0.01;
  const std::vector<Point> before = asked();
  ASSERT_GE(before.size(), 3u);
  std::vector<double> again;
  for (const Point& point : before) {
    if (point.visits_at_once == 2) again.push_back(*point.x.bytes);
  }
  ASSERT_EQ(again.size(), 2u);
  EXPECT_LT(again[0], 200e3);
  EXPECT_GT(again[1], 200e3);
  EXPECT_LT(again[1], 1.3 * again[0]) << "the nearest on either side";
  EXPECT_EQ(before.front().visits_at_once, 2) << "before any closer size";
  for (Measurement& one : known) {
    if (std::ranges::find(again, *one.point.x.bytes) != again.end()) measure::add_visit(one, Measurement(one));
  }
  for (const Point& point : asked()) EXPECT_EQ(point.visits_at_once, 1);
}

// Others only slow a walk down.
TEST(LatencyLevels, AreReadFromAPointsUndisturbedVisitsAndSizesFromAllOfThem) {
  const Request request{.look = Look::closer};
  std::vector<Measurement> known = measured(request, [](double bytes) { return bytes < 200e3 ? 10.0 : 30.0; });
  const auto below = std::ranges::find_if(known, [](const Measurement& one) { return *one.point.x.bytes > 100e3; });
  Measurement slow = *below;
  slow.values.assign(7, 30);
  measure::add_visit(*below, slow);
  const analysis::LatencyCurves curves = workloads::curves_of(known, vector_path, request);
  const double bytes = *below->point.x.bytes;
  const auto point = std::ranges::find(curves.cycle, bytes, &analysis::CurvePoint::bytes);
  ASSERT_NE(point, curves.cycle.end());
  EXPECT_EQ(point->values, std::vector<double>(7, 10));
  EXPECT_EQ(std::ranges::count(curves.visits, bytes, &analysis::CurvePoint::bytes), 2);
  const std::vector<analysis::Level> levels = analysis::find_levels(curves).levels;
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_LE(levels[0].bytes->low, bytes);
  EXPECT_GE(levels[0].bytes->high, 190e3);
}

// The cycle misses a hashed cache long before its size, and what lies between two such caches is seen by hits alone.
TEST(LatencySizes, HitsGoOnWhereTheNextCacheFadesInSlowly) {
  analysis::LatencyCurves curves;
  constexpr double size = 58 << 10;
  const auto& second =
      analysis::shape_of(analysis::CacheShape::Index::hashed, analysis::CacheShape::Replacement::least_recent, 4);
  for (double bytes = 1 << 10; bytes <= 1 << 20; bytes *= std::exp2(0.25)) {
    const double ns = bytes <= 8 << 10 ? 28 : 104 + 306 * second.cyclic_miss(std::log2(bytes / size));
    curves.cycle.push_back({bytes, std::vector<double>(7, ns)});
  }
  int between = 0;
  for (const Point& point : hits_asked(curves, Look::first)) {
    const double bytes = *point.x.bytes;
    if (bytes > 0.4 * size && bytes < 0.7 * size) ++between;
    // Of few lines, where placement is all, a visit has many placements.
    EXPECT_EQ(point.replicates, bytes < 32 << 10 ? 4 : 1) << bytes;
  }
  EXPECT_GE(between, 2);
}

// Where the core had neighbours a value says what they left of its caches.
TEST(LatencySizes, APointBesideNeighboursIsLeftOutAndAskedForNearby) {
  const Request request{.look = Look::closer};
  std::vector<Measurement> known = measured(request, [](double bytes) { return bytes < 200e3 ? 10.0 : 30.0; });
  const auto with_smt_interference = [&](double bytes, double ns) {
    known.push_back({.point = test::point_of(bytes), .unit = "ns", .values = std::vector<double>(7, ns), .state = {}});
    known.back().state.smt_interference = 0.9;
  };
  const auto has = [](const std::vector<double>& all, double bytes) {
    return std::ranges::find(all, bytes) != all.end();
  };
  std::vector<double> asked;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const analysis::LatencyCurves curves = workloads::curves_of(known, vector_path, request);
    const std::vector<Point> points = workloads::edge_points(swept, curves, request);
    // The interval in which the step is, 185,344 to 220,416 bytes.
    const auto within = std::ranges::find_if(
        points, [](const Point& point) { return *point.x.bytes > 186e3 && *point.x.bytes < 220e3; });
    if (within == points.end()) break;
    const double bytes = *within->x.bytes;
    EXPECT_FALSE(has(asked, bytes)) << "the same size again would be the same point";
    asked.push_back(bytes);
    with_smt_interference(bytes, 60);
    EXPECT_TRUE(has(workloads::curves_of(known, vector_path, request).left_out_bytes, bytes));
  }
  EXPECT_EQ(asked.size(), 3u) << "a machine that is never quiet is not asked for ever";
  for (const analysis::CurvePoint& point : workloads::curves_of(known, vector_path, request).cycle)
    EXPECT_LT(point.values.front(), 60) << point.bytes;
  // At the end of a curve there is no other to speak for it.
  with_smt_interference(512, 11);
  EXPECT_EQ(workloads::curves_of(known, vector_path, request).cycle.front().bytes, 512);
}

// Of most values' neighbours no bracket tells: such a curve has been seen to have one cache where there are two.
TEST(LatencyLevels, AreNotReadFromACurveMostlyMeasuredBesideNeighbours) {
  const Request request{.look = Look::closer};
  std::vector<Measurement> known = measured(request, [](double bytes) { return bytes < 200e3 ? 10.0 : 30.0; });
  const std::size_t half = known.size() / 2;
  for (std::size_t i = 0; i < half - 1; ++i) known[i].state.smt_interference = 1;
  const measure::Conclusion half_of_it = latency.conclude(request, known);
  EXPECT_EQ(half_of_it.levels.size(), 2u);
  EXPECT_TRUE(half_of_it.without_levels.empty());
  for (std::size_t i = half - 1; i < half + 2; ++i) known[i].state.smt_interference = 1;
  const measure::Conclusion most_of_it = latency.conclude(request, known);
  // The sizes that are left are those of memory.
  for (const measure::FoundLevel& level : most_of_it.levels) EXPECT_FALSE(level.found.bytes);
  ASSERT_EQ(most_of_it.without_levels.size(), 1u);
  EXPECT_NE(most_of_it.without_levels[0].reason.find("run again on an idle machine"), std::string::npos);
}

// What lies beyond the last cache is not told from a climb that the sweep cuts off.
TEST(LatencySizes, GoOnWhereTheSweepEndsOnARise) {
  constexpr auto climbs_at_the_end = [](double bytes) { return bytes <= 32 << 20 ? 40.0 : 40.0 + bytes / (1 << 20); };
  const auto largest = [&](device::DeviceType type, const Request& request, double (*hop_ns)(double),
                           std::uint64_t largest_buffer_bytes = 8ull << 30) {
    device::DeviceInfo device;
    device.type = type;
    device.largest_buffer_bytes = largest_buffer_bytes;
    // Points about edges come before those beyond the sweep.
    double bytes = 0;
    Request asking = request;
    std::set<measure::PointKey> asked;
    asking.was_asked = [&asked](const Point& point) { return asked.contains(measure::key_of(point)); };
    for (;;) {
      const std::size_t before = asked.size();
      for (const Point& point : latency.next(device, asking, measured(request, hop_ns, device))) {
        if (test::is_by_vector_path(point.words)) bytes = std::max(bytes, *point.x.bytes);
        asked.insert(measure::key_of(point));
      }
      if (asked.size() == before) return bytes;
    }
  };
  const Request quick{.look = Look::first};
  using enum device::DeviceType;
  // A GPU's last cache is its own, and may have 128 MiB.
  for (const auto& [type, end] : {std::pair(cpu, 64u << 20), std::pair(discrete, 256u << 20)}) {
    EXPECT_EQ(largest(type, quick, climbs_at_the_end), 4.0 * end);
    // As far as there is room.
    EXPECT_EQ(largest(type, quick, climbs_at_the_end, 2ull * end), 2.0 * end);
    EXPECT_LE(largest(type, quick, climbs_at_the_end, end), end);
    // Memory was reached, or this is where it was to end.
    EXPECT_LE(largest(type, quick, [](double bytes) { return bytes <= 16 << 20 ? 40.0 : 90.0; }), end);
    EXPECT_LE(largest(type, {.look = Look::first, .largest_bytes = end}, climbs_at_the_end), end);
  }
  EXPECT_EQ(largest(model, quick, climbs_at_the_end), 0x1p30);
  // Once, not at every look at the edges.
  device::DeviceInfo device;
  device.largest_buffer_bytes = 8ull << 30;
  auto known = measured(quick, climbs_at_the_end);
  std::set<double> asked;
  for (const Point& point : latency.next(device, quick, known)) {
    asked.insert(*point.x.bytes);
    known.push_back({.point = point, .unit = "ns", .values = std::vector<double>(7, 200.0), .state = {}});
  }
  for (const Point& point : latency.next(device, quick, known)) {
    EXPECT_TRUE(point.visits_at_once > 1 || !asked.contains(*point.x.bytes));
  }
}

/// Each point's measurement with the values of all visits.
std::vector<Measurement> with_all_visits(const std::vector<Measurement>& measurements) {
  std::map<std::pair<measure::PointKey, std::string>, Measurement> points;
  for (const Measurement& one : measurements) {
    const auto [point, is_new] = points.try_emplace({measure::key_of(one.point), one.unit}, one);
    if (!is_new) measure::add_visit(point->second, one);
  }
  const auto all = std::views::values(points);
  return {all.begin(), all.end()};
}

TEST(LatencyProbe, RediscoversTheHierarchyThatTheDeviceHas) {
  constexpr double l1_bytes = 32 << 10;
  constexpr double l2_bytes = 512 << 10;
  const auto true_ns = [](std::uint64_t bytes) {
    const auto size = static_cast<double>(bytes);
    return size <= l1_bytes ? 40.0 : size <= l2_bytes ? 95.0 : 290.0;
  };
  ScriptedDevice device({.hop_ns = true_ns,
                         .first_launch_ns = 5e6,
                         .noise = 0.01,
                         .interruption_share = 0.05,
                         .most_dispatches = 100'000});
  RecordingObserver observer;
  const Request request{.look = Look::first, .largest_bytes = 2 << 20, .seed = 3, .line_bytes = 128};
  measure::run_probe(device, latency, {.request = request, .host_time = [] { return counters::HostTime{}; }}, observer);
  EXPECT_TRUE(observer.failures.empty());
  EXPECT_TRUE(observer.skips.empty());
  std::set<double> cycle_sizes;
  for (const Measurement& measurement : with_all_visits(observer.measurements)) {
    const double bytes = *measurement.point.x.bytes;
    const double expected = true_ns(static_cast<std::uint64_t>(bytes));
    EXPECT_NEAR(analysis::summarize(measurement.values).median / expected, 1.005, 0.01) << bytes;
    EXPECT_EQ(measurement.unit, "ns");
    EXPECT_GE(measurement.values.size(), 7u);
    if (is_cycle(measurement.point)) cycle_sizes.insert(bytes);
  }
  for (const double bytes : sizes(request)) EXPECT_TRUE(cycle_sizes.contains(bytes)) << bytes;
  // The sizes on either side of an edge are within 3 %, or two lines.
  for (const double edge : {l1_bytes, l2_bytes}) {
    const auto above = cycle_sizes.upper_bound(edge);
    ASSERT_NE(above, cycle_sizes.begin());
    ASSERT_NE(above, cycle_sizes.end());
    const double below = *std::prev(above);
    EXPECT_LE(*above, std::max(below * 1.031, below + 2 * 128)) << edge;
  }
}

measure::SteppedWork walk_of(device::Device& device, const Point& point, std::uint64_t seed = 5) {
  return test::stepped(point.curve->prepare(device, point, {.seed = seed}));
}

TEST(LatencyProbe, ALapVisitsEveryLineOnce) {
  ScriptedDevice device({.cold_word_ns = 1});
  const measure::SteppedWork walk = walk_of(device, test::point_of(64 * 64));
  EXPECT_EQ(walk.lap, 64u);
  for (const double first_visits : {64.0, 0.0}) {
    (void)walk.run(64);
    EXPECT_EQ(walk.proof_failure(), std::nullopt);
    EXPECT_EQ(device.dispatches().back().bytes, 4096u);
    EXPECT_DOUBLE_EQ(device.dispatches().back().work_ns, 64 * 10 + first_visits);
  }
}

TEST(LatencyProbe, ADispatchBeginsWhereTheLastOneEnded) {
  // Together less than a lap, in unequal pieces: had one begun at the start again, it would have met lines
  // that an earlier one had seen.
  ScriptedDevice device({.cold_word_ns = 1});
  const measure::SteppedWork walk = walk_of(device, test::point_of(1000 * 64));
  for (const std::uint64_t hops : {64u, 320u, 384u, 192u}) {
    (void)walk.run(hops);
    EXPECT_EQ(walk.proof_failure(), std::nullopt);
    EXPECT_DOUBLE_EQ(device.dispatches().back().work_ns, static_cast<double>(hops) * (10 + 1)) << hops;
  }
}

TEST(LatencyProbe, EveryPathGoesOnWhereItsLastDispatchEnded) {
  for (const measure::Words& path : latency_probe::further_paths) {
    ScriptedDevice device({.cold_word_ns = 1});
    const measure::Curve& curve = path.pattern ? latency_probe::atomic : latency_probe::cycle;
    const measure::SteppedWork walk = walk_of(device, measure::point_on(curve, {.bytes = 250 * 64}, path));
    for (const std::uint64_t hops : {64u, 128u}) {
      (void)walk.run(hops);
      EXPECT_EQ(walk.proof_failure(), std::nullopt);
      EXPECT_DOUBLE_EQ(device.dispatches().back().work_ns, static_cast<double>(hops) * (10 + 1))
          << device.dispatches().back().kernel;
    }
  }
}

/// The paths by name that were measured at all, and the reasons for those that were not.
struct PathsOfADevice {
  std::set<std::string> measured;
  std::map<std::string, std::string> reasons;
  std::set<double> constant_sizes;
};

PathsOfADevice paths_of(const test::Script& script, const Request& request) {
  ScriptedDevice device(script);
  RecordingObserver observer;
  measure::run_probe(device, latency, {.request = request, .host_time = [] { return counters::HostTime{}; }}, observer);
  EXPECT_TRUE(observer.failures.empty());
  PathsOfADevice paths;
  for (const Measurement& one : observer.measurements) {
    paths.measured.insert(path_name(one.point.words));
    if (one.point.words.path == Path::constant) paths.constant_sizes.insert(*one.point.x.bytes);
  }
  for (const RecordingObserver::Reason& skip : observer.skips)
    paths.reasons[path_name(skip.point.value().words)] = skip.text;
  return paths;
}

TEST(LatencyProbe, MeasuresEveryPathOrSaysWhyNot) {
  const Request request{.look = Look::first, .largest_bytes = 256 << 10};
  const test::Script able{.most_dispatches = 1'000'000};
  EXPECT_TRUE(paths_of(able, request).reasons.empty());
  EXPECT_EQ(paths_of(able, request).measured.size(), 6u);
  EXPECT_EQ(*paths_of(able, request).constant_sizes.rbegin(), 65536);

  test::Script without = able;
  without.constant_bytes = 0;
  without.texel_bytes = 0;
  without.local_bytes = 0;
  const PathsOfADevice found = paths_of(without, request);
  EXPECT_EQ(found.measured, (std::set<std::string>{"vector", "scalar", "atomic"}));
  EXPECT_EQ(found.reasons.at("constant"), "the driver offers no constant memory");
  EXPECT_EQ(found.reasons.at("image"), "the driver offers no linear image");
  EXPECT_EQ(found.reasons.at("local"), "the device has no work-group memory of its own");

  test::Script narrow = able;
  narrow.local_bytes = 8 << 10;
  narrow.constant_bytes = 16 << 10;
  EXPECT_NE(paths_of(narrow, request).reasons.at("local").find("smaller than the walk's 16 KiB"), std::string::npos);
  EXPECT_EQ(*paths_of(narrow, request).constant_sizes.rbegin(), 16384);
}

TEST(LatencyProbe, SizesThatAPathCannotHaveAreNotAskedOfIt) {
  const Request request{.look = Look::first, .smallest_bytes = 128 << 10, .largest_bytes = 256 << 10};
  const PathsOfADevice found = paths_of({.most_dispatches = 1'000'000}, request);
  EXPECT_EQ(found.measured, (std::set<std::string>{"vector", "scalar", "image", "atomic"}));
  EXPECT_TRUE(found.reasons.empty());
}

TEST(LatencyProbe, AStorageRangeOf128MiBEndsEverySweepWithItsReason) {
  const test::Script narrow{.largest_buffer_bytes = 128 << 20, .texel_bytes = 128 << 20, .most_dispatches = 1'000'000};
  // Lines far apart, so that the double walks few of them.
  const Request request{
      .look = Look::first, .smallest_bytes = 96 << 20, .largest_bytes = 192 << 20, .line_bytes = 4096};
  const PathsOfADevice found = paths_of(narrow, request);
  EXPECT_EQ(found.measured, (std::set<std::string>{"vector", "scalar", "image", "atomic"}));
  for (const std::string path : {"vector", "scalar", "atomic"}) {
    EXPECT_NE(found.reasons.at(path).find("the script's limit"), std::string::npos) << found.reasons.at(path);
  }
  // Texels end where the device says so, before anything is refused.
  EXPECT_FALSE(found.reasons.contains("image"));
}

device::model::Description one_cache() {
  device::model::Description description;
  description.name = "known";
  description.memory_bytes = 1ull << 30;
  description.levels = {{.name = "L1", .bytes = 16384, .latency_ns = 40}, {.name = "memory", .latency_ns = 290}};
  description.noise = {.relative = 0.01, .outlier_share = 0.01, .outlier_factor = 3, .ramp_seconds = 0};
  return description;
}

/// What the probe leaves at quick effort, up to 1 MiB.
RecordingObserver observed_on(const device::model::Description& description) {
  const auto device = device::model::open(description);
  RecordingObserver observer;
  const Request request{.look = Look::first, .largest_bytes = 1 << 20};
  measure::run_probe(*device, latency, {.request = request, .host_time = [] { return counters::HostTime{}; }},
                     observer);
  return observer;
}

TEST(LatencyProbe, EveryPathsLatencyComesBackFromTheModel) {
  device::model::Description description = one_cache();
  description.local_latency_ns = 20;
  const RecordingObserver observer = observed_on(description);
  EXPECT_TRUE(observer.skips.empty());
  std::map<Path, std::vector<double>> found;
  for (const measure::FoundLevel& level : observer.levels) {
    found[*level.words.path].push_back(level.found.latency_ns.value);
  }
  for (const Path path : {Path::vector, Path::scalar, Path::constant, Path::image}) {
    ASSERT_EQ(found[path].size(), 2u) << measure::word_of(path);
    EXPECT_NEAR(found[path][0], 40, 0.4) << measure::word_of(path);
    // 64 KiB of constants are four times the cache: some of its lines still hit.
    if (path == Path::constant) continue;
    EXPECT_NEAR(found[path][1], 290, 2.9) << measure::word_of(path);
  }
  ASSERT_EQ(found[Path::local].size(), 1u);
  EXPECT_NEAR(found[Path::local][0], 20, 0.2);
  for (const Measurement& one : with_all_visits(observer.measurements)) {
    if (!one.point.words.pattern) continue;
    const bool near = *one.point.x.bytes <= 16384;
    if (!near && *one.point.x.bytes < 65536) continue;
    EXPECT_NEAR(analysis::summarize(one.values).median, near ? 40 : 290, near ? 0.4 : 2.9) << *one.point.x.bytes;
  }
}

TEST(LatencyProbe, LevelsHaveTheLatencyOfMemoryThatIsKeptAwake) {
  device::model::Description description = one_cache();
  description.idle_factor = 1.5;
  const RecordingObserver observer = observed_on(description);
  std::vector<measure::FoundLevel> levels;
  for (const measure::FoundLevel& level : observer.levels) {
    if (test::is_by_vector_path(level.words)) levels.push_back(level);
  }
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_TRUE(is_awake(levels[0].words));
  EXPECT_NEAR(levels[0].found.latency_ns.value, 40, 0.4);
  EXPECT_NEAR(levels[0].found.bytes->value, 16384, 0.02 * 16384);
  EXPECT_NEAR(levels[1].found.latency_ns.value, 290, 2.9);
  std::map<bool, double> at_1_mib;
  for (const Measurement& one : with_all_visits(observer.measurements)) {
    if (!test::is_by_vector_path(one.point.words) || !is_cycle(one.point) || *one.point.x.bytes != 1 << 20) continue;
    at_1_mib[is_awake(one.point.words)] = analysis::summarize(one.values).median;
  }
  EXPECT_NEAR(at_1_mib.at(false) / at_1_mib.at(true), 1.5, 0.03);
  // About the edge the stream would take room in the cache, and the curve would show an edge where there is none.
  for (const Measurement& one : observer.measurements) {
    const double bytes = *one.point.x.bytes;
    EXPECT_FALSE(is_awake(one.point.words) && bytes > 7800 && bytes < 16384) << bytes;
  }
}

/// What became of the walk beside a stream: its first reason, or "measured", or "not asked".
std::string kept_awake_on(const test::Script& script) {
  ScriptedDevice device(script);
  RecordingObserver observer;
  const Request request{.look = Look::first, .smallest_bytes = 64 << 10, .largest_bytes = 256 << 10};
  measure::run_probe(device, latency, {.request = request, .host_time = [] { return counters::HostTime{}; }}, observer);
  EXPECT_TRUE(observer.failures.empty());
  std::string outcome = "not asked";
  for (const Measurement& one : observer.measurements) {
    if (is_awake(one.point.words)) outcome = "measured";
  }
  for (const RecordingObserver::Reason& skip : observer.skips) {
    if (is_awake(skip.point.value().words)) outcome = skip.text;
  }
  const bool awake = outcome == "measured";
  for (const measure::FoundLevel& level : observer.levels) {
    EXPECT_EQ(is_awake(level.words), awake && test::is_by_vector_path(level.words));
  }
  return outcome;
}

TEST(LatencyProbe, MemoryIsKeptAwakeWhereSomethingCanRunBesideTheWalk) {
  const test::Script able{.most_dispatches = 1'000'000};
  EXPECT_EQ(kept_awake_on(able), "measured");
  test::Script cpu = able;
  cpu.type = device::DeviceType::cpu;
  EXPECT_EQ(kept_awake_on(cpu), "not asked");
  test::Script one_unit = able;
  one_unit.compute_units = 1;
  EXPECT_EQ(kept_awake_on(one_unit), "measured");
  test::Script in_turn = able;
  in_turn.runs_groups_together = false;
  EXPECT_NE(kept_awake_on(in_turn).find("ran nothing beside the walk"), std::string::npos);
}

TEST(LatencyProbe, EverySeedWalksAnotherWay) {
  const auto ends = [](std::uint64_t seed) {
    ScriptedDevice device({});
    const measure::SteppedWork walk = walk_of(device, test::point_of(1 << 16), seed);
    for (int dispatch = 0; dispatch < 4; ++dispatch) (void)walk.run(64);
    std::vector<std::uint32_t> words;
    for (const test::Dispatch& dispatch : device.dispatches()) words.push_back(dispatch.end);
    return words;
  };
  EXPECT_EQ(ends(1), ends(1));
  EXPECT_NE(ends(1), ends(2));
}

TEST(LatencyProbe, LaunchesAGroupWhoseOtherItemsLeaveButOneItemOnACpu) {
  const auto group_size = [](device::DeviceType type) {
    ScriptedDevice device({.type = type});
    (void)walk_of(device, test::point_of(4096));
    return device.last_group_size();
  };
  EXPECT_EQ(group_size(device::DeviceType::cpu), 1u);
  EXPECT_EQ(group_size(device::DeviceType::discrete), 32u);
  EXPECT_EQ(group_size(device::DeviceType::integrated), 32u);
}

TEST(LatencyProbe, AWorkingSetThatIndicesOf32BitsDoNotReachIsUnsupported) {
  // 16 GiB are 2^32 words: beyond them an index would start again at zero, and the walk would be a shorter
  // one.
  ScriptedDevice device({});
  EXPECT_THROW((void)walk_of(device, test::point_of(0x1p35)), device::Unsupported);
}

TEST(Catalog, IdsAreUniqueAndFound) {
  std::set<std::string_view> ids;
  for (const measure::Probe* probe : catalog()) {
    EXPECT_TRUE(ids.insert(probe->id).second) << probe->id;
    EXPECT_EQ(find(probe->id), probe);
    EXPECT_TRUE(probe->question.ends_with("?")) << probe->question;
  }
  EXPECT_EQ(find("no such probe"), nullptr);
}

}  // namespace
}  // namespace sonde::probes
