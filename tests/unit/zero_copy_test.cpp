// The zero-copy probe against a double whose map really copies, against one that loses what was written, and against
// the model's flags.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/model/model.hpp"
#include "measure/visits.hpp"
#include "probes/zero_copy/zero_copy.hpp"
#include "support/answered_plan.hpp"
#include "support/noisy_drivers.hpp"

namespace sonde::probes {
namespace {

using measure::Direction;
using measure::HostMemory;
using namespace zero_copy_probe;

constexpr std::array both_directions{Direction::to_host, Direction::to_device};

test::RecordingObserver measured(device::Device& device) { return test::asked_for_sharing(device, 4 << 20); }

test::RecordingObserver measured(const test::Sharing& sharing, std::uint64_t largest_bytes = 4 << 20) {
  return test::asked_for_sharing(sharing, largest_bytes);
}

/// The finding of a kind in a direction.
measure::Finding found(const test::RecordingObserver& observer, const measure::Name& memory, Direction direction) {
  for (const measure::Finding& finding : observer.findings) {
    if (finding.words.memory == memory && finding.words.direction == direction) return finding;
  }
  return {};
}

TEST(ZeroCopy, AMapThatCopiesIsSeenWithItsRate) {
  for (const double gbps : {8.0, 25.0, 45.0}) {
    const auto observer = measured({.copy_gbps = gbps, .noise = 0.03});
    EXPECT_TRUE(observer.failures.empty());
    for (const Direction direction : both_directions) {
      const measure::Finding finding = found(observer, "alloc-host-ptr", direction);
      EXPECT_EQ(finding.kind, &copies) << measure::word_of(direction) << " at " << gbps << ": " << finding.evidence;
      EXPECT_NEAR(finding.value.value_or(0), gbps, 0.1 * gbps) << measure::word_of(direction);
      EXPECT_EQ(finding.unit, "GB/s");
    }
  }
}

TEST(ZeroCopy, AMapThatCopiesNothingIsZeroCopyAlsoWithNoise) {
  for (const double noise : {0.0, 0.2}) {
    const auto observer = measured({.noise = noise});
    for (const Direction direction : both_directions) {
      EXPECT_EQ(found(observer, "alloc-host-ptr", direction).kind, &shared_without_copy) << noise;
      // The double's other kind copies.
      EXPECT_EQ(found(observer, "device", direction).kind, &copies) << noise;
    }
  }
}

TEST(ZeroCopy, WorkOnEveryLineIsNoCopy) {
  const auto observer = measured({.maintenance_gbps = 150});
  const measure::Finding finding = found(observer, "alloc-host-ptr", Direction::to_host);
  EXPECT_EQ(finding.kind, &cache_maintenance) << finding.evidence;
  EXPECT_NEAR(finding.value.value_or(0), 150, 15);
}

TEST(ZeroCopy, TimeForEveryTouchedPageIsMigration) {
  const auto observer = measured({.page_us = 12});
  for (const Direction direction : both_directions) {
    const measure::Finding finding = found(observer, "alloc-host-ptr", direction);
    EXPECT_EQ(finding.kind, &migrates) << finding.evidence;
    EXPECT_NEAR(finding.value.value_or(0), 12, 1.2) << measure::word_of(direction);
    EXPECT_EQ(finding.unit, "us");
  }
}

/// What a noisy driver does is recognized, or left open; it is never taken for something else.
TEST(ZeroCopy, NoiseAndInterruptionsTurnNoVerdictIntoAnother) {
  for (const auto& [kind, sharing] : test::drivers_by_finding()) {
    int right = 0;
    constexpr int runs = 2;
    for (int run = 0; run < runs; ++run) {
      test::Sharing noisy = sharing;
      noisy.noise = 0.2;
      noisy.interrupted = 0.05;
      noisy.seed = static_cast<std::uint64_t>(run) + 1;
      const auto observer = measured(noisy);
      for (const Direction direction : both_directions) {
        const measure::Finding finding = found(observer, "alloc-host-ptr", direction);
        EXPECT_TRUE(finding.kind == kind || finding.kind == &unclear) << noisy.seed << ": " << finding.evidence;
        right += finding.kind == kind ? 1 : 0;
      }
    }
    EXPECT_GE(right, 2 * runs - 1) << kind->name;
  }
}

TEST(ZeroCopy, AWordThatDoesNotArriveIsAnError) {
  const auto observer = measured({.forgets_writes = true});
  ASSERT_FALSE(observer.failures.empty());
  EXPECT_NE(observer.failures.front().text.find("did not find what the CPU had written"), std::string::npos);
  EXPECT_TRUE(observer.measurements.empty());
}

TEST(ZeroCopy, WhatTheDeviceLacksIsSkippedOnceAndUnsupported) {
  const auto observer = measured(test::Sharing{});
  std::map<measure::Name, int> skipped;
  for (const auto& skip : observer.skips) {
    ASSERT_TRUE(skip.point.has_value());
    ++skipped[skip.point->words.memory];
    EXPECT_FALSE(skip.text.empty());
  }
  EXPECT_EQ(skipped,
            (std::map<measure::Name, int>{{measure::Name("svm-fine"), 1}, {measure::Name("device-local"), 1}}));
  EXPECT_EQ(std::ranges::count(observer.findings, &unsupported, &measure::Finding::kind), 2);
}

TEST(ZeroCopy, TooFewSizesAreUnclearNotAGuess) {
  const auto observer = measured(test::Sharing{}, 256 << 10);
  EXPECT_EQ(found(observer, "alloc-host-ptr", Direction::to_host).kind, &unclear);
}

/// A measurement of three visits, without noise.
Measurement timed(const measure::Curve& curve, measure::Words varied, double bytes, double us) {
  varied.memory = "alloc-host-ptr";
  const Measurement visit{
      .point = measure::point_on(curve, {.bytes = bytes}, varied), .unit = "us", .values = std::vector<double>(7, us)};
  Measurement all = visit;
  measure::add_visit(all, visit);
  measure::add_visit(all, visit);
  return all;
}

/// Rounds of a driver that moves the whole buffer at 55 GB/s, as one does over a bus, and what copies by request take.
std::vector<Measurement> rounds_over_a_bus(const std::map<HostMemory, double>& explicit_gbps) {
  std::vector<Measurement> all;
  for (const double bytes : {0x1p16, 0x1p21, 0x1p25, 0x1p28}) {
    for (const Direction direction : both_directions) {
      all.push_back(
          timed(round, {.direction = direction, .order = measure::Order::independent}, bytes, 30 + bytes / 55e3));
      if (bytes > 0x1p26) continue;
      for (const auto& [host, gbps] : explicit_gbps)
        all.push_back(timed(explicit_copy, {.direction = direction, .host = host}, bytes, 10 + bytes / gbps / 1e3));
    }
  }
  return all;
}

TEST(ZeroCopy, AFirstVisitHasAVerdictAndAnInterval) {
  std::vector<Measurement> all = rounds_over_a_bus({{HostMemory::pinned, 55}});
  for (Measurement& one : all) {
    one.visits.clear();
    one.values.resize(7);
    one.values.front() *= 1.01;
  }
  for (const SharingVerdict& verdict : sharing_verdicts(all)) {
    EXPECT_EQ(verdict.finding.kind, &copies) << verdict.finding.evidence;
    EXPECT_LT(verdict.finding.low.value(), verdict.finding.value.value());
    EXPECT_GT(verdict.finding.high.value(), verdict.finding.value.value());
  }
  // Where values scatter as much as a copy takes, a visit alone leaves it open.
  for (Measurement& one : all) {
    for (std::size_t i = 0; i < one.values.size(); ++i) one.values[i] *= i < 3 ? 1 : 40;
  }
  for (const SharingVerdict& verdict : sharing_verdicts(all)) {
    EXPECT_EQ(verdict.finding.kind, &unclear) << verdict.finding.evidence;
    EXPECT_NE(verdict.finding.evidence.find("--time"), std::string::npos) << verdict.finding.evidence;
  }
}

device::DeviceInfo with_two_kinds() {
  device::DeviceInfo device;
  device.memory_kinds = {{.name = "device", .seen_by_cpu = true}, {.name = "other", .seen_by_cpu = true}};
  return device;
}

/// The sizes that are asked for at each look; the one of `failing_bytes` has no answer.
std::vector<std::vector<double>> sizes_by_look(const Probe& probe, measure::Request request, double failing_bytes = 0) {
  std::vector<double> sizes;
  test::AnsweredPlan plan(
      std::move(request),
      [&probe, device = with_two_kinds()](const measure::Request& now, std::span<const Measurement> known) {
        return probe.next(device, now, known);
      },
      [&](const measure::Point& point) -> std::optional<double> {
        sizes.push_back(point.x.bytes.value());
        if (sizes.back() == failing_bytes) return std::nullopt;
        return 100;
      });
  std::vector<std::vector<double>> all;
  for (const measure::Look look : {measure::Look::first, measure::Look::closer, measure::Look::closest}) {
    sizes.clear();
    plan.go_through(look, 20);
    all.push_back(sizes);
  }
  (void)probe.conclude({}, plan.known());
  return all;
}

TEST(MemoryPlans, LooksOnlyAddWhateverFails) {
  for (const Probe* probe : {&zero_copy, &host_memory, &copying}) {
    for (const double failing : {0x1p25, 0x1p23, 0x1p24, 0.0}) {
      std::set<double> seen;
      for (const std::vector<double>& sizes : sizes_by_look(*probe, {}, failing)) {
        EXPECT_FALSE(sizes.empty()) << probe->name << failing;
        seen.insert(sizes.begin(), sizes.end());
      }
      EXPECT_EQ(*seen.rbegin(), 0x1p30) << probe->name << failing;
    }
  }
}

TEST(MemoryPlans, SizesThatTheUserAskedForAlwaysWin) {
  constexpr double mebibyte = 1 << 20;
  for (const Probe* probe : {&zero_copy, &host_memory, &copying}) {
    for (const auto& [least, most] :
         {std::pair(192 * mebibyte, 512 * mebibyte), std::pair(0x1p30, 0x1p30), std::pair(3.0 * 1024, 5.0 * 1024)}) {
      const auto all = sizes_by_look(*probe, {.smallest_bytes = static_cast<std::uint64_t>(least),
                                              .largest_bytes = static_cast<std::uint64_t>(most)});
      EXPECT_FALSE(all.front().empty()) << probe->name << least;
      for (const double bytes : all.front()) EXPECT_TRUE(bytes >= least && bytes <= most) << probe->name << bytes;
      if (least == 192 * mebibyte) {
        EXPECT_NE(std::ranges::find(all.front(), 256 * mebibyte), all.front().end()) << probe->name;
      }
    }
  }
}

TEST(MemoryPlans, AFirstLookBeginsWithWhatIsPrintedFirst) {
  const auto first = [](const Probe& probe) {
    return probe.next(with_two_kinds(), {.look = measure::Look::first}, {});
  };
  std::set<std::pair<double, Direction>> ends;
  for (const measure::Point& point : first(copying)) ends.emplace(*point.x.bytes, *point.words.direction);
  EXPECT_EQ(ends.size(), 4u) << "a large and a small copy, both ways";
  for (const Probe* probe : {&zero_copy, &host_memory}) {
    std::map<double, std::set<measure::Name>> kinds;
    double seconds = 0;
    for (const measure::Point& point : first(*probe)) {
      if (!point.words.memory.empty()) kinds[*point.x.bytes].insert(point.words.memory);
      seconds += point.expected_seconds;
    }
    EXPECT_FALSE(kinds.empty());
    for (const auto& [bytes, of_size] : kinds) EXPECT_EQ(of_size.size(), 2u) << probe->name << bytes;
    EXPECT_LT(seconds, 1) << probe->name;
  }
}

TEST(ZeroCopy, AHiddenCopyIsNoLessACopyForBeingFasterThanPageableMemory) {
  for (const SharingVerdict& verdict :
       sharing_verdicts(rounds_over_a_bus({{HostMemory::pageable, 9}, {HostMemory::pinned, 55}}))) {
    EXPECT_EQ(verdict.finding.kind, &copies) << verdict.finding.evidence;
    EXPECT_NEAR(verdict.finding.value.value_or(0), 55, 1);
  }
  for (const SharingVerdict& verdict :
       sharing_verdicts(rounds_over_a_bus({{HostMemory::pageable, 9}, {HostMemory::pinned, 12}})))
    EXPECT_EQ(verdict.finding.kind, &cache_maintenance) << verdict.finding.evidence;
}

TEST(ZeroCopy, TheModelsListAndItsCopyRatesComeBack) {
  device::model::Description model = test::model_behind_a_driver();
  model.noise = {.relative = 0.01, .outlier_share = 0.01, .outlier_factor = 3, .ramp_seconds = 0.01};
  model.host_memory = {
      .latency_ns = 500, .bypasses_memory_side_cache = false, .zero_copy = {"alloc-host-ptr", "svm-fine"}};
  model.copy = {.to_device_gbps = 84, .to_host_gbps = 45, .latency_us = 12, .engines = 1};
  const auto device = device::model::open(model);
  const auto observer = measured(*device);
  EXPECT_TRUE(observer.failures.empty());
  for (const measure::Name kind : {measure::Name("alloc-host-ptr"), measure::Name("svm-fine")}) {
    for (const Direction direction : both_directions) {
      EXPECT_EQ(found(observer, kind, direction).kind, &shared_without_copy)
          << kind.text() << found(observer, kind, direction).evidence;
    }
  }
  for (const measure::Name kind :
       {measure::Name("device"), measure::Name("use-host-ptr"), measure::Name("svm-coarse")}) {
    EXPECT_EQ(found(observer, kind, Direction::to_host).kind, &copies) << kind.text();
    EXPECT_NEAR(found(observer, kind, Direction::to_host).value.value_or(0), 45, 4.5) << kind.text();
    EXPECT_NEAR(found(observer, kind, Direction::to_device).value.value_or(0), 84, 8.4) << kind.text();
  }
  EXPECT_TRUE(std::ranges::any_of(
      observer.skips, [](const auto& skip) { return skip.point->words.memory == measure::Name("svm-system"); }));
}

TEST(ZeroCopy, ASmallDeviceIsMeasuredAsFarAsItGoes) {
  device::model::Description model = test::model_behind_a_driver();
  model.memory_bytes = 800 << 10;
  model.copy = {.to_device_gbps = 84, .to_host_gbps = 45, .latency_us = 12, .engines = 1};
  const auto device = device::model::open(model);
  const auto observer = measured(*device);
  EXPECT_EQ(found(observer, "alloc-host-ptr", Direction::to_host).kind, &unclear) << "two sizes are too few";
  EXPECT_TRUE(std::ranges::any_of(observer.skips, [](const auto& skip) { return skip.point->x.bytes > 8e5; }));
}

}  // namespace
}  // namespace sonde::probes
