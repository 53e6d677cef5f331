// A person reads here what a run found. Whole summaries are compared with files in tests/data/summary: where one has
// to change, SONDE_WRITE_SUMMARIES=1 sonde_unit_tests --gtest_filter='*Summaries*' writes them anew, and the diff is
// read.

#include "summary/summary.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "measure/level_findings.hpp"
#include "probes/bandwidth/bandwidth.hpp"
#include "records/lines.hpp"
#include "summary/layout.hpp"
#include "support/golden.hpp"
#include "support/seen_devices.hpp"
#include "support/walk_workload.hpp"

namespace sonde::summary {
namespace {

using records::LevelLine;
using records::Line;
using records::SampleLine;
using test::cpu_device;

std::string path_of(const std::string& name) { return std::string(TEST_DATA) + "/summary/" + name; }

std::string summary_of_record(const std::string& model, int columns) {
  std::string note;
  const std::vector<Line> lines = records::read_file(path_of(model + ".jsonl"), note);
  EXPECT_EQ(note, "");
  std::vector<records::DeviceRecord> devices;
  for (const Line& line : lines) {
    const auto* seen = std::get_if<records::DeviceRecord>(&line);
    if (seen == nullptr) continue;
    devices.push_back(*seen);
    devices.back().type = device::DeviceType::model;
  }
  return summary(devices, lines, {.columns = columns});
}

class Summaries : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Summaries, AreThoseOfTheFiles) {
  const auto& [model, columns] = GetParam();
  const std::string text = summary_of_record(model, columns);
  test::expect_text_of_file(text, path_of(std::string(model) + "-" + std::to_string(columns) + ".txt"));
}

TEST_P(Summaries, HaveNoLineWiderThanTheTerminal) {
  const auto& [model, columns] = GetParam();
  std::istringstream lines(summary_of_record(model, columns));
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(width_of(line), static_cast<std::size_t>(columns)) << line;
}

// strix-halo is a record of all probes; each of the others has those in which it differs most.
INSTANTIATE_TEST_SUITE_P(OfModels, Summaries,
                         testing::Combine(testing::Values("strix-halo", "rx-7900-xtx", "rtx-4090", "h200"),
                                          testing::Values(80, 120)),
                         [](const auto& tested) {
                           std::string name = std::get<0>(tested.param);
                           std::erase(name, '-');
                           return name + "_" + std::to_string(std::get<1>(tested.param));
                         });

SampleLine sample(const std::string& api, double bytes, std::vector<double> values, bool disturbed = false) {
  SampleLine line{.origin = {"cpu", api, "latency"},
                  .measurement = {.point = test::point_of(bytes), .unit = "ns", .values = std::move(values)}};
  line.measurement.state.disturbed = disturbed;
  return line;
}

/// The lines as a run records them: levels have names, and those of bandwidth the numbers of latency that they match.
std::vector<Line> concluded(std::vector<Line> lines) {
  std::vector<measure::FoundLevel> latency;
  std::vector<measure::FoundLevel> bandwidth;
  for (Line& line : lines) {
    auto* found = std::get_if<records::LevelLine>(&line);
    if (found == nullptr) continue;
    measure::name_levels(std::span(&found->level, 1));
    (found->level.gbps ? bandwidth : latency).push_back(found->level);
  }
  measure::match(latency, bandwidth);
  for (Line& line : lines) {
    auto* found = std::get_if<records::LevelLine>(&line);
    if (found != nullptr && found->level.gbps)
      found->level = bandwidth.at(static_cast<std::size_t>(found->level.level) - 1);
  }
  return lines;
}

std::string text_of(const std::vector<Line>& lines, const records::DeviceRecord& device = cpu_device(),
                    bool colour = false) {
  return summary(std::vector{device}, concluded(lines), {.columns = 100, .colour = colour});
}

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

/// The first line of a table that begins so; empty where none does.
std::string row_of(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find("\n  " + name + " ");
  return begin == std::string::npos ? "" : text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

TEST(LevelTable, ALevelBehindAnUnfinishedClimbTakesMoreThanItsLastPoint) {
  measure::FoundLevel last;
  last.name = "beyond";
  last.found = {.bytes = {}, .latency_ns = {44, 45, 60}, .disagreement = {}, .is_unfinished = true};
  EXPECT_NE(level_table(std::vector{last}, {}, 80).find("> 45"), std::string::npos);
  last.gbps = analysis::Bracket{90, 100, 110};
  const std::string of_bandwidth = level_table({}, std::vector{last}, 80);
  EXPECT_NE(of_bandwidth.find("100"), std::string::npos);
  EXPECT_EQ(of_bandwidth.find('>'), std::string::npos) << "its bandwidth was measured";
}

TEST(Summary, NamesTheDeviceAndItsDrivers) {
  const std::string text = text_of({sample("opencl", 4096, {1, 2, 3})});
  EXPECT_TRUE(has(text, "Some CPU (cpu)"));
  EXPECT_TRUE(has(text, "OpenCL: platform of pocl, 3.1"));
  EXPECT_TRUE(has(text, "Vulkan: platform of llvmpipe, 22.3"));
}

TEST(Summary, ShowsTheMedianAndHalfTheQuartileRange) {
  EXPECT_TRUE(has(text_of({sample("opencl", 4096, {10, 11, 12, 13, 14})}), "12.00 ± 1.00"));
  EXPECT_TRUE(has(text_of({sample("opencl", 4096, {110, 111, 112, 113, 114})}), "112.0 ± 1.0"));
}

TEST(Summary, EachApiHasItsColumn) {
  const std::string text = text_of({sample("opencl", 4096, {11, 11}), sample("vulkan", 4096, {17, 17})});
  const auto opencl = text.find("11.00 ± 0.00");
  const auto vulkan = text.find("17.00 ± 0.00");
  ASSERT_NE(opencl, std::string::npos) << text;
  ASSERT_NE(vulkan, std::string::npos) << text;
  EXPECT_LT(opencl, vulkan);
  EXPECT_EQ(text.substr(opencl, vulkan - opencl).find('\n'), std::string::npos) << "not in one row:\n" << text;
}

TEST(Summary, TheLargestSizeIsShownThoughNoRoundOne) {
  EXPECT_TRUE(has(text_of({sample("opencl", 4096, {1, 1}), sample("opencl", 48.0 * 1024 * 1024, {77, 77})}), "48 MiB"));
}

TEST(Summary, WhereFewSizesWereMeasuredEachIsShown) {
  std::vector<Line> lines{sample("opencl", 741440, {5, 5}), sample("vulkan", 9975808, {43, 43})};
  EXPECT_TRUE(has(text_of(lines), "724 KiB"));
  EXPECT_TRUE(has(text_of(lines), "9.51 MiB"));
  for (int size = 0; size < 12; ++size) lines.push_back(sample("opencl", 4096 << size, {5, 5}));
  EXPECT_FALSE(has(text_of(lines), "724 KiB"));
}

TEST(Summary, ADisturbedPointHasAStarThatIsExplained) {
  const std::string quiet = text_of({sample("opencl", 4096, {10, 10})});
  EXPECT_FALSE(has(quiet, "*"));
  const std::string disturbed = text_of({sample("opencl", 4096, {10, 10}, true)});
  EXPECT_TRUE(has(disturbed, "10.00 ± 0.00 *"));
  EXPECT_TRUE(has(disturbed, "\n* 1 point was measured"));
}

SampleLine sample_around(double bytes, const counters::DeviceState& around) {
  SampleLine line = sample("opencl", bytes, {10, 10});
  line.measurement.state.device_state = around;
  return line;
}

TEST(Summary, PointsThatWereThrottledAreCountedWithTheirReasons) {
  using Reasons = std::set<std::string>;
  std::vector<Line> lines{sample_around(4096, {.throttle_reasons = Reasons{}}), sample_around(8192, {})};
  EXPECT_FALSE(has(text_of(lines), "throttled"));
  lines.push_back(sample_around(16384, {.throttle_reasons = Reasons{"temperature"}}));
  lines.push_back(sample_around(32768, {.throttle_reasons = Reasons{"power", "temperature"}}));
  EXPECT_TRUE(has(text_of(lines), "2 of 4 points were measured while the GPU was throttled (power, temperature)"));
  std::get<SampleLine>(lines.back()).origin.device = "another";
  EXPECT_TRUE(has(text_of(lines), "1 of 3 points were measured while the GPU was throttled (temperature)"));
}

TEST(Summary, PointsClearlyBelowTheHighestClockAreCounted) {
  std::vector<Line> lines{sample_around(4096, {.gpu_clock_mhz = 2500}), sample_around(8192, {.gpu_clock_mhz = 2300}),
                          sample_around(16384, {})};
  EXPECT_FALSE(has(text_of(lines), "MHz"));
  lines.push_back(sample_around(32768, {.gpu_clock_mhz = 2200}));
  EXPECT_TRUE(
      has(text_of(lines), "1 of 4 points were measured at a clock more than 10 % below the highest, 2500 MHz."));
}

SampleLine in_cycles(SampleLine line) {
  line.measurement.unit = "cycles";
  for (double& value : line.measurement.values) value *= 7;
  return line;
}

TEST(Summary, TheSameInCyclesIsNoFurtherPoint) {
  SampleLine throttled =
      sample_around(8192, {.gpu_clock_mhz = 1000, .throttle_reasons = std::set<std::string>{"power"}});
  throttled.measurement.state.disturbed = true;
  throttled.measurement.state.laps_settling = 0.1;
  const SampleLine quiet = sample_around(4096, {.gpu_clock_mhz = 2500});
  const std::string text = text_of({quiet, in_cycles(quiet), throttled, in_cycles(throttled)});
  EXPECT_TRUE(has(text, "* 1 point"));
  EXPECT_TRUE(has(text, "At 1 point the caches"));
  EXPECT_TRUE(has(text, "1 of 2 points were measured while"));
  EXPECT_TRUE(has(text, "1 of 2 points were measured at a clock"));
  EXPECT_FALSE(has(text, "70.0"));
}

LevelLine level(int number, double latency_ns, std::optional<double> cycles) {
  LevelLine line{.origin = {"cpu", "opencl", "latency"}, .level = {}};
  line.level.level = number;
  line.level.found.latency_ns = {latency_ns, latency_ns, latency_ns};
  if (cycles) line.level.cycles = analysis::Bracket{*cycles, *cycles, *cycles};
  return line;
}

TEST(Summary, LevelsAreToldInCyclesWhereTheyAreKnownWithTheirClock) {
  const std::string without = text_of({sample("opencl", 4096, {10, 10}), level(1, 200, std::nullopt)});
  EXPECT_FALSE(has(without, "cycles"));
  EXPECT_TRUE(has(without, "200  200–200\n"));
  const std::string with = text_of({sample("opencl", 4096, {10, 10}), level(1, 200, 499.4)});
  EXPECT_TRUE(has(with, " cycles\n"));
  EXPECT_TRUE(has(with, "Cycles are those of a clock of 2497 MHz.\n"));
  EXPECT_TRUE(has(with, " 499\n"));
}

LevelLine bandwidth_level(int number, std::optional<double> bytes, double gbps) {
  LevelLine line = level(number, 0, std::nullopt);
  line.origin.probe = "bandwidth";
  if (bytes) line.level.found.bytes = analysis::Bracket{*bytes, *bytes, *bytes};
  line.level.gbps = analysis::Bracket{gbps, gbps, gbps};
  return line;
}

TEST(Summary, ALevelHasSizeLatencyAndBandwidthInOneRow) {
  LevelLine cache = level(1, 5, std::nullopt);
  cache.level.found.bytes = analysis::Bracket{32768, 32768, 32768};
  const std::string text = text_of({sample("opencl", 4096, {10, 10}), cache, level(2, 200, std::nullopt),
                                    bandwidth_level(1, 33792, 1000), bandwidth_level(2, std::nullopt, 60)});
  for (const char* cell : {"32 KiB", "5.00–5.00", "1000–1000"}) EXPECT_TRUE(has(row_of(text, "1"), cell));
  for (const char* cell : {"200–200", "60.0–60.0"}) EXPECT_TRUE(has(row_of(text, "memory"), cell));
}

// Two rows of one name would be two values of one thing.
TEST(Summary, WhatBandwidthSeesAsOneBeyondALevelIsNoSecondMemory) {
  LevelLine near = level(1, 5, std::nullopt);
  near.level.found.bytes = analysis::Bracket{32768, 32768, 32768};
  LevelLine far = level(2, 40, std::nullopt);
  far.level.found.bytes = analysis::Bracket{8 << 20, 8 << 20, 8 << 20};
  const LevelLine memory = level(3, 200, std::nullopt);
  const std::string text = text_of({sample("opencl", 4096, {10, 10}), near, far, memory,
                                    bandwidth_level(1, 33792, 1000), bandwidth_level(2, std::nullopt, 60)});
  EXPECT_TRUE(has(text, "\n  memory "));
  EXPECT_TRUE(has(text, "\n  beyond 33 KiB "));
  const std::string unmatched = text_of({sample("opencl", 4096, {10, 10}), near, memory,
                                         bandwidth_level(1, 64 << 20, 1000), bandwidth_level(2, std::nullopt, 60)});
  EXPECT_EQ(unmatched.find("\n  memory "), unmatched.rfind("\n  memory "));
}

TEST(Summary, ALevelThatBandwidthAloneShowsHasNoNumberAmongThoseOfLatency) {
  const std::string text = text_of({sample("opencl", 4096, {10, 10}), level(1, 200, std::nullopt),
                                    bandwidth_level(1, 33792, 1000), bandwidth_level(2, std::nullopt, 60)});
  EXPECT_TRUE(has(row_of(text, "-"), "33 KiB"));
  EXPECT_TRUE(has(text, "\n  beyond 33 KiB "));
  const std::string alone = text_of({bandwidth_level(1, 33792, 1000), bandwidth_level(2, std::nullopt, 60)});
  EXPECT_TRUE(has(row_of(alone, "1"), "33 KiB"));
}

SampleLine bandwidth_sample(double bytes, double gbps) {
  SampleLine line = sample("opencl", bytes, {gbps, gbps});
  line.origin.probe = "bandwidth";
  line.measurement.unit = "GB/s";
  line.measurement.point =
      point_on(probes::bandwidth_probe::stream, {.bytes = bytes}, probes::bandwidth_probe::level_words);
  return line;
}

TEST(Summary, ALaunchIsSaidOnceUnderItsProbe) {
  const records::FindingLine launch{.origin = {"cpu", "opencl", "bandwidth"},
                                    .name = "launch",
                                    .finding = {.value = 12, .unit = "us", .evidence = "A dispatch takes 12 us."}};
  const std::string text = text_of({bandwidth_sample(4096, 80), launch, bandwidth_level(1, std::nullopt, 60)});
  EXPECT_TRUE(has(text, "  A dispatch takes 12 µs.\n"));
  EXPECT_EQ(text.find("A dispatch"), text.rfind("A dispatch")) << text;
}

TEST(Summary, SkipsAndErrorsAreSaidWithTheirReasonAndSize) {
  const std::string text =
      text_of({records::SkipLine{{"cpu", "vulkan", "latency"}, test::point_of(1073741824), "the reason of the skip"},
               records::ErrorLine{{{"cpu", "opencl", "latency"}, std::nullopt, "the reason of the error"}}});
  EXPECT_TRUE(has(text, "\n  Not measured\n  latency through Vulkan (1 GiB): the reason of the skip\n"));
  EXPECT_TRUE(has(text, "\n  Failed\n  latency through OpenCL: the reason of the error\n"));
}

TEST(Summary, FindingsAreToldUnderTheirProbeAndDevice) {
  records::FindingLine line{.origin = {"cpu", "vulkan", "loaded-latency"},
                            .name = "full-load-latency",
                            .finding = {.value = 200, .unit = "ns", .evidence = "In 64 MiB it takes twice as long."}};
  EXPECT_TRUE(has(text_of({line}), "oaded latency through Vulkan\n  In 64 MiB it takes twice as long.\n"));
  line.origin.device = "another";
  EXPECT_FALSE(has(text_of({line}), "twice as long"));
}

TEST(Summary, WhatALaterVersionMeasuredIsNoError) {
  SampleLine later = sample("opencl", 4096, {10, 10});
  later.origin.probe = "of-tomorrow";
  later.measurement.point.words.unknown = "colour=red";
  const records::FindingLine finding{
      .origin = later.origin, .name = "unheard-of", .finding = {.evidence = "It is red."}};
  EXPECT_TRUE(has(text_of({later, finding}), "Some CPU (cpu)"));
}

TEST(Summary, WhatOneReasonKeptFromBeingMeasuredIsCountedUnderItsDevice) {
  const auto skip = [](const std::string& device, double bytes) {
    return records::SkipLine{{device, "opencl", "latency"}, test::point_of(bytes), "why"};
  };
  const std::string text = text_of({skip("cpu", 4096), skip("cpu", 8192), skip("cpu", 16384), skip("other", 64)});
  EXPECT_TRUE(has(text, "  latency through OpenCL (4 KiB), and 2 more: why\n"));
  EXPECT_FALSE(has(text, "64 B"));
}

TEST(Summary, ASimulatedDeviceIsCalledSimulatedAtItsNameAndAtItsNumbers) {
  records::DeviceRecord target;
  target.id = "cpu";
  target.name = "h200";
  target.type = device::DeviceType::model;
  const std::string text = text_of({sample("model", 4096, {10, 10})}, target);
  EXPECT_TRUE(has(text, "h200 (simulated)"));
  EXPECT_TRUE(has(text, "Simulated latency"));
}

TEST(Summary, OnACpuItSaysWhatVulkansCodeAdds) {
  const std::vector<Line> lines{sample("opencl", 4096, {2, 2}), sample("vulkan", 4096, {7.5, 7.5})};
  EXPECT_TRUE(has(text_of(lines), "Vulkan reads 5.5 ns more than OpenCL"));
  records::DeviceRecord gpu = cpu_device();
  gpu.type = device::DeviceType::discrete;
  EXPECT_FALSE(has(text_of(lines, gpu), "more than OpenCL"));
}

TEST(Summary, OtherDevicesAndOtherUnitsAreNotInTheTable) {
  SampleLine other = sample("opencl", 4096, {99, 99});
  other.origin.device = "gpu-x";
  SampleLine bandwidth = sample("opencl", 4096, {88, 88});
  bandwidth.measurement.unit = "GB/s";
  const std::string text = text_of({sample("opencl", 4096, {10, 10}), other, bandwidth});
  EXPECT_TRUE(has(text, "10.00 ± 0.00"));
  EXPECT_FALSE(has(text, "99.00"));
  EXPECT_FALSE(has(text, "88.00"));
}

TEST(Summary, ColourIsThereOnlyWhenAskedFor) {
  const std::vector<Line> lines{sample("opencl", 4096, {2, 2})};
  EXPECT_FALSE(has(text_of(lines), "\033"));
  EXPECT_TRUE(has(text_of(lines, cpu_device(), true), "\033[36m●"));
}

}  // namespace
}  // namespace sonde::summary
