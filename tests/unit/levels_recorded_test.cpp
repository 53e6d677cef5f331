// The analysis against curves of machines that it was not made from: published ones, and ones with nasty
// features. What must come out was read off by a person and stands in tests/data/NAME.expected.json, with the
// reason.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "analysis/statistics.hpp"
#include "support/recorded_curve.hpp"

namespace sonde::analysis {
namespace {

using test::ExpectedLevel;
using test::NotLevel;
using test::RecordedMachine;

std::string described(const Hierarchy& hierarchy) {
  std::string text;
  for (const Level& level : hierarchy.levels) {
    text += "  " + std::to_string(level.latency_ns.value) + " ns";
    if (level.bytes) text += " up to " + std::to_string(level.bytes->value / 1024) + " KiB";
    text += "\n";
  }
  for (const TranslationEdge& edge : hierarchy.translation) {
    text += "  translation at " + std::to_string(edge.bytes / 1024) + " KiB adds " + std::to_string(edge.added_ns) +
            " ns\n";
  }
  return "found:\n" + text;
}

const NotLevel* forbids(const RecordedMachine& machine, double bytes, double latency_ns) {
  const auto found = std::find_if(machine.not_levels.begin(), machine.not_levels.end(), [&](const NotLevel& range) {
    return range.bytes.holds(bytes) && range.latency_ns.holds(latency_ns);
  });
  return found == machine.not_levels.end() ? nullptr : &*found;
}

void expect_no_false_level(const RecordedMachine& machine, const Hierarchy& found) {
  for (const Level& level : found.levels) {
    if (!level.bytes) continue;
    const NotLevel* range = forbids(machine, level.bytes->value, level.latency_ns.value);
    EXPECT_EQ(range, nullptr) << level.latency_ns.value << " ns up to " << level.bytes->value / 1024
                              << " KiB is no level: " << (range ? range->why : "");
  }
}

LatencyCurves every_other(LatencyCurves curves, std::size_t first) {
  std::vector<CurvePoint> kept;
  for (std::size_t i = first; i < curves.cycle.size(); i += 2) kept.push_back(curves.cycle[i]);
  curves.cycle = std::move(kept);
  return curves;
}

LatencyCurves in_other_units(LatencyCurves curves, double factor) {
  for (auto* curve : {&curves.cycle, &curves.independent, &curves.page}) {
    for (CurvePoint& point : *curve) {
      for (double& value : point.values) value *= factor;
    }
  }
  return curves;
}

// The search takes seconds, so the tests of one machine, which run in one process, share what it found.
const Hierarchy& found_in(const std::string& name, const LatencyCurves& curves) {
  static std::map<std::string, Hierarchy> found;
  const auto known = found.find(name);
  return known != found.end() ? known->second : found.emplace(name, find_levels(curves)).first->second;
}

class RecordedMachines : public testing::TestWithParam<std::string> {
 protected:
  const RecordedMachine machine = test::recorded_machine(GetParam());
  [[nodiscard]] const Hierarchy& found_levels() const { return found_in(GetParam(), machine.curves); }
};

TEST_P(RecordedMachines, HasPointsOnEveryLevelThatIsExpectedAndContradictsItselfNowhere) {
  ASSERT_FALSE(machine.levels.empty());
  for (std::size_t i = 0; i + 1 < machine.levels.size(); ++i) EXPECT_TRUE(machine.levels[i].bytes) << i + 1;
  EXPECT_FALSE(machine.levels.back().bytes);
  for (const ExpectedLevel& level : machine.levels) {
    const auto on_it =
        std::count_if(machine.curves.cycle.begin(), machine.curves.cycle.end(),
                      [&](const CurvePoint& p) { return level.latency_ns.holds(quantile(p.values, 0.5)); });
    EXPECT_GE(on_it, level.is_unfinished ? 1 : 4) << "at " << level.latency_ns.low << " ns";
    if (!level.bytes) continue;
    for (const NotLevel& range : machine.not_levels) {
      EXPECT_FALSE(range.bytes.overlaps(level.bytes->low, level.bytes->high) &&
                   range.latency_ns.overlaps(level.latency_ns.low, level.latency_ns.high))
          << range.why;
    }
  }
}

TEST_P(RecordedMachines, HaveExactlyTheLevelsThatACarefulReaderSees) {
  const Hierarchy& found = found_levels();
  SCOPED_TRACE(described(found) + "a careful reader: " + machine.why);
  expect_no_false_level(machine, found);
  ASSERT_EQ(found.levels.size(), machine.levels.size());
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    SCOPED_TRACE("level " + std::to_string(i + 1));
    const Level& level = found.levels[i];
    const ExpectedLevel& expected = machine.levels[i];
    EXPECT_GE(level.latency_ns.value, expected.latency_ns.low * (1 - test::as_read));
    EXPECT_LE(level.latency_ns.value, expected.latency_ns.high * (1 + test::as_read));
    EXPECT_LE(level.latency_ns.low, level.latency_ns.value);
    EXPECT_LE(level.latency_ns.value, level.latency_ns.high);
    EXPECT_EQ(level.is_unfinished, expected.is_unfinished);
    if (!expected.bytes) continue;
    ASSERT_TRUE(level.bytes);
    EXPECT_GE(level.bytes->value, expected.bytes->low * (1 - test::as_read));
    EXPECT_LE(level.bytes->value, expected.bytes->high * (1 + test::as_read));
    EXPECT_LE(level.bytes->low, level.bytes->value);
    EXPECT_LE(level.bytes->value, level.bytes->high);
    EXPECT_LE(level.onset_bytes, level.end_bytes);
    EXPECT_LE(level.bytes->high, 2 * std::max(level.end_bytes, level.bytes->value)) << "nearly all misses there";
  }
}

TEST_P(RecordedMachines, HaveTheTranslationEdgesThatThePageWalkShowsAndNoOthers) {
  const Hierarchy& found = found_levels();
  SCOPED_TRACE(described(found) + "a careful reader: " + machine.why);
  ASSERT_EQ(found.translation.size(), machine.translation.size());
  for (std::size_t i = 0; i < found.translation.size(); ++i) {
    EXPECT_TRUE(machine.translation[i].bytes.holds(found.translation[i].bytes)) << found.translation[i].bytes;
    EXPECT_TRUE(machine.translation[i].added_ns.holds(found.translation[i].added_ns)) << found.translation[i].added_ns;
  }
}

// The bracket says how sure a size is: it may be wide where only the cycle is known, but never beside the
// truth.
TEST_P(RecordedMachines, BracketsOverlapTheAcceptedSizesWithTheCycleAlone) {
  if (!machine.translation.empty()) GTEST_SKIP() << "only the page walk tells its edge from a level";
  LatencyCurves curves = machine.curves;
  curves.independent.clear();
  curves.page.clear();
  const Hierarchy found = find_levels(curves);
  SCOPED_TRACE(described(found));
  ASSERT_EQ(found.levels.size(), machine.levels.size());
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    if (!machine.levels[i].bytes) continue;
    ASSERT_TRUE(found.levels[i].bytes) << "level " << i + 1;
    EXPECT_TRUE(machine.levels[i].bytes->overlaps(found.levels[i].bytes->low, found.levels[i].bytes->high))
        << "level " << i + 1 << ": " << found.levels[i].bytes->low << " to " << found.levels[i].bytes->high;
  }
}

// A level that hides in a wide transition makes the one before it look larger than it is; the bracket has to know.
TEST(RecordedMachine, ABracketReachesDownToWhereTheWalkBeginsToMiss) {
  const Hierarchy found = find_levels(test::recorded_machine("cpu-third-level-taken").curves);
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_LE(found.levels[1].bytes->low, 2 << 20);
  EXPECT_GE(found.levels[1].bytes->low, 1 << 20);
  EXPECT_GE(found.levels[1].bytes->high, 2 << 20);
}

TEST_P(RecordedMachines, ShowNoFurtherLevelWhenEveryOtherPointIsMissing) {
  for (const std::size_t first : {0u, 1u}) {
    const Hierarchy found = find_levels(every_other(machine.curves, first));
    SCOPED_TRACE(described(found));
    EXPECT_LE(found.levels.size(), machine.most_levels);
    expect_no_false_level(machine, found);
  }
}

// Cycles or nanoseconds, a slow clock or a fast one: the shape alone tells.
TEST_P(RecordedMachines, HaveTheSameLevelsWhateverTheUnitOfTheirLatencies) {
  const Hierarchy& found = found_levels();
  const Hierarchy larger = find_levels(in_other_units(machine.curves, 8));
  ASSERT_EQ(larger.levels.size(), found.levels.size());
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const double ns = found.levels[i].latency_ns.value;
    EXPECT_NEAR(larger.levels[i].latency_ns.value, ns * 8, ns * 8 * 0.01);
    ASSERT_EQ(larger.levels[i].bytes.has_value(), found.levels[i].bytes.has_value());
    if (!found.levels[i].bytes) continue;
    const double bytes = found.levels[i].bytes->value;
    EXPECT_NEAR(larger.levels[i].bytes->value, bytes, bytes * 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, RecordedMachines, testing::ValuesIn(test::recorded_machines()),
                         [](const auto& machine) {
                           std::string name = machine.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RecordedCurves, ABusyMachineCostsCertaintyButNoLevel) {
  const Hierarchy quiet = find_levels(test::recorded_machine("quiet").curves);
  const Hierarchy busy = find_levels(test::recorded_machine("busy").curves);
  ASSERT_EQ(busy.levels.size(), quiet.levels.size());
  const auto width = [](const Hierarchy& hierarchy) {
    double sum = 0;
    for (const Level& level : hierarchy.levels) {
      if (level.bytes) sum += (level.bytes->high - level.bytes->low) / level.bytes->value;
      sum += (level.latency_ns.high - level.latency_ns.low) / level.latency_ns.value;
    }
    return sum;
  };
  EXPECT_GT(width(busy), width(quiet));
}

TEST(RecordedCurves, ReadTwiceGiveTheSameBrackets) {
  const LatencyCurves curves = test::recorded_machine("a100").curves;
  const Hierarchy one = find_levels(curves);
  const Hierarchy two = find_levels(curves);
  ASSERT_EQ(one.levels.size(), two.levels.size());
  for (std::size_t i = 0; i < one.levels.size(); ++i) {
    EXPECT_EQ(one.levels[i].latency_ns.low, two.levels[i].latency_ns.low);
    EXPECT_EQ(one.levels[i].latency_ns.high, two.levels[i].latency_ns.high);
    ASSERT_EQ(one.levels[i].bytes.has_value(), two.levels[i].bytes.has_value());
    if (!one.levels[i].bytes) continue;
    EXPECT_EQ(one.levels[i].bytes->low, two.levels[i].bytes->low);
    EXPECT_EQ(one.levels[i].bytes->high, two.levels[i].bytes->high);
  }
}

}  // namespace
}  // namespace sonde::analysis
