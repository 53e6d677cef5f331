#include "summary/summary.hpp"

#include <gtest/gtest.h>

#include "measure/conclude_levels.hpp"
#include "measure/level_agreement.hpp"
#include "probes/bandwidth/curve.hpp"
#include "summary/probe_table.hpp"
#include "support/seen_devices.hpp"
#include "support/walk_workload.hpp"

namespace sonde::summary {
namespace {

using records::Line;
using test::cpu_device;

using records::LevelLine;
using records::SampleLine;

SampleLine sample(const std::string& api, double bytes, std::vector<double> values, bool disturbed = false) {
  SampleLine line{.origin = {"cpu", api, "latency"}, .measurement = {}};
  line.measurement = {.point = test::point_of(bytes), .unit = "ns", .values = std::move(values), .state = {}};
  line.measurement.state.disturbed = disturbed;
  return line;
}

/// As a run records them: levels with their names, and those of bandwidth matched with those of latency.
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

TEST(Summary, AResolutionOfFramesIsARow) {
  std::vector<Line> lines;
  const auto add = [&lines](double width, double height, const std::string& unit, double value) {
    SampleLine line{.origin = {"cpu", "opencl", "frames"}, .measurement = {}};
    line.measurement = {.point = {.series = {}, .x = {{"width", width}, {"height", height}}},
                        .unit = unit,
                        .values = {value, value, value},
                        .state = {}};
    lines.emplace_back(line);
  };
  add(1920, 1080, "ms", 2);
  add(1920, 1080, "bytes", 282e6);
  add(1920, 1080, "GB/s", 141);
  add(1280, 720, "ms", 0.5);
  const std::string text = text_of(lines);
  EXPECT_TRUE(has(text, "Frames through OpenCL"));
  EXPECT_TRUE(has(text, "  1280x720          0.50"));
  EXPECT_TRUE(has(text, "  1920x1080         2.00         282   141"));
  EXPECT_LT(text.find("1280x720"), text.find("1920x1080"));
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
  line.level = {.series = {}, .level = number, .found = {}};
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
  EXPECT_TRUE(has(text, "  1       32 KiB  32–32 KiB  0–0 B  5.00  5.00–5.00  1000  1000–1000\n"));
  EXPECT_TRUE(has(text, "  memory                             200  200–200    60.0  60.0–60.0\n"));
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

TEST(Summary, WhatMayBeSoMuchSlowerThatItHoldsOneMoreLevelIsNotCalledMemory) {
  const auto called_memory = [](LevelLine last, analysis::Bracket latency_ns, analysis::Bracket gbps) {
    if (last.level.gbps) last.level.gbps = gbps;
    last.level.found.latency_ns = latency_ns;
    const std::string text = text_of({sample("opencl", 4096, {10, 10}), last});
    EXPECT_NE(has(text, "\n  memory"), has(text, "\n  beyond"));
    return has(text, "\n  memory");
  };
  EXPECT_TRUE(called_memory(level(1, 52, std::nullopt), {47, 52, 77}, {}));
  EXPECT_FALSE(called_memory(level(1, 52, std::nullopt), {47, 52, 80}, {}));
  EXPECT_TRUE(called_memory(level(1, 52, std::nullopt), {27, 52, 55}, {}));
  EXPECT_FALSE(called_memory(level(1, 52, std::nullopt), {25, 52, 55}, {}));
  EXPECT_TRUE(called_memory(bandwidth_level(1, std::nullopt, 60), {}, {41, 60, 100}));
  EXPECT_FALSE(called_memory(bandwidth_level(1, std::nullopt, 60), {}, {39, 60, 61}));
}

TEST(Summary, ALevelThatBandwidthAloneShowsHasNoNumberAmongThoseOfLatency) {
  const std::string text = text_of({sample("opencl", 4096, {10, 10}), level(1, 200, std::nullopt),
                                    bandwidth_level(1, 33792, 1000), bandwidth_level(2, std::nullopt, 60)});
  EXPECT_TRUE(has(text, "\n  -              33 KiB"));
  EXPECT_TRUE(has(text, "\n  beyond 33 KiB "));
  const std::string alone = text_of({bandwidth_level(1, 33792, 1000), bandwidth_level(2, std::nullopt, 60)});
  EXPECT_TRUE(has(alone, "\n  1       33 KiB"));
}

SampleLine bandwidth_sample(double bytes, double gbps) {
  SampleLine line = sample("opencl", bytes, {gbps, gbps});
  line.origin.probe = "bandwidth";
  line.measurement.unit = "GB/s";
  line.measurement.point.series = probes::series_of_levels();
  return line;
}

TEST(Summary, ALaunchIsSaidOnceBesideTheLevels) {
  const records::FindingLine launch{
      .origin = {"cpu", "opencl", "bandwidth"},
      .finding = {.name = "launch", .value = 12, .unit = "us", .evidence = "A dispatch takes 12 us."}};
  const std::string text = text_of({bandwidth_sample(4096, 80), launch, bandwidth_level(1, std::nullopt, 60)});
  EXPECT_TRUE(has(text, "60.0–60.0\n  A dispatch takes 12 µs.\n"));
  EXPECT_EQ(text.find("A dispatch"), text.rfind("A dispatch")) << text;
}

TEST(Summary, SkipsAndErrorsAreSaidWithTheirReasonAndSize) {
  const std::string text =
      text_of({records::SkipLine{{"cpu", "vulkan", "latency"}, test::point_of(1073741824), "the reason of the skip"},
               records::ErrorLine{{"cpu", "opencl", "latency"}, std::nullopt, "the reason of the error"}});
  EXPECT_TRUE(has(text, "\n  Not measured\n  latency through Vulkan at 1 GiB: the reason of the skip\n"));
  EXPECT_TRUE(has(text, "\n  Failed\n  latency through OpenCL: the reason of the error\n"));
}

TEST(Summary, LatencyUnderLoadIsWhatItsFindingsSay) {
  records::FindingLine line{.origin = {"cpu", "vulkan", "loaded-latency"}, .finding = {}};
  line.finding = {.series = {},
                  .name = "full-load-latency",
                  .value = 200,
                  .unit = "ns",
                  .evidence = "In 64 MiB it takes twice as long."};
  EXPECT_TRUE(has(text_of({line}), "\n  Latency under load through Vulkan\n  In 64 MiB it takes twice as long.\n"));
  line.origin.device = "another";
  EXPECT_FALSE(has(text_of({line}), "under load"));
}

TEST(Summary, HitRatesStandBesideTheirLatencyWithTheirIntervals) {
  const Series timing{{"path", "vector"}, {"memory", "device"}, {"order", "independent"}, {"method", "timing"}};
  SampleLine latency{.origin = {"cpu", "vulkan", "hit-rate"}, .measurement = {}};
  latency.measurement = {
      .point = {.series = timing, .x = {{"bytes", 64 << 20}}}, .unit = "ns", .values = {230}, .state = {}};
  SampleLine share = latency;
  share.measurement.unit = "ratio";
  share.measurement.values = {0.48, 0.49, 0.5};
  share.measurement.interval = {0.46, 0.484, 0.52};
  records::FindingLine finding{.origin = latency.origin, .finding = {}};
  finding.finding = {.series = timing, .name = "effective-capacity", .evidence = "It holds 32 MiB."};
  const std::string text = text_of({latency, share, finding});
  EXPECT_TRUE(has(text,
                  "\n  Hit rate of the last cache through Vulkan\n"
                  "  working set  ns a load  hits, %  between\n"
                  "  64 MiB             230       48    46–52\n"
                  "  It holds 32 MiB.\n"));
  EXPECT_FALSE(has(text_of({latency, share}), "Hit rate of the last cache"));
}

TEST(ProbeTable, ShowsWhateverAProbeWithoutATableMeasuredAndFound) {
  const measure::Measurement one{.point = {.series = {{"memory", "pinned"}}, .x = {{"bytes", 65536}, {"queues", 2}}},
                                 .unit = "us",
                                 .values = {3, 4, 5},
                                 .state = {}};
  measure::Measurement cycles = one;
  cycles.unit = "cycles";
  Results results{.samples = {{one.point.series, {&one, &cycles}}}, .levels = {}, .findings = {}};
  results.findings.push_back({.series = {}, .name = "latency", .evidence = "It takes four."});
  EXPECT_EQ(probe_table("atomic-latency", results, device::Api::vulkan, 80),
            "\n  Atomic latency through Vulkan\n"
            "  what                           median  unit\n"
            "  pinned, 64 KiB, 2 queues  4.00 ± 0.50  us\n"
            "  It takes four.\n");
  EXPECT_EQ(probe_table("atomic-latency", {}, device::Api::vulkan, 80), "");
}

SampleLine scaling_sample(double groups, double gbps) {
  SampleLine line = bandwidth_sample(2 << 20, gbps);
  line.measurement.point.x["groups"] = groups;
  return line;
}

TEST(Summary, HowManyWorkGroupsReadingTakesIsATableInPlaceOfItsFindings) {
  records::FindingLine finding{.origin = {"cpu", "opencl", "bandwidth"}, .finding = {}};
  finding.finding = {.series = probes::series_of_levels(),
                     .name = "saturated-by",
                     .value = 16,
                     .unit = "ratio",
                     .evidence = "At 2 MiB 16 of 128 work-groups get 945 GB/s."};
  const std::string text = text_of({bandwidth_sample(2 << 20, 980), scaling_sample(1, 61), scaling_sample(8, 488),
                                    scaling_sample(16, 945), scaling_sample(128, 980), finding});
  EXPECT_TRUE(has(text,
                  "  working set  one group, GB/s  enough groups   of  GB/s\n"
                  "        2 MiB             61.0             16  128   945\n"));
  EXPECT_FALSE(has(text, "At 2 MiB"));
}

TEST(Summary, ArithmeticIsATableByTypeAndOneByFunction) {
  std::vector<Line> lines;
  const auto add = [&](const std::string& type, const std::string& operation, const std::string& unit, double value,
                       double groups = 0) {
    SampleLine line{.origin = {"cpu", "opencl", "compute"}, .measurement = {}};
    const std::string chain = unit == "ns" ? "dependent" : "parallel";
    line.measurement.point.series = {{"type", type}, {"operation", operation}, {"chain", chain}};
    if (groups > 0) line.measurement.point.x = {{"groups", groups}};
    line.measurement.unit = unit;
    line.measurement.values = {value};
    line.measurement.state.shape = {{"groups", groups > 0 ? groups : 1056}};
    lines.push_back(line);
  };
  add("fp32", "fma", "Gop/s", 65330);
  add("fp32", "fma", "ns", 2.05);
  add("fp32", "fma", "Gop/s", 494, 1);
  add("fp32", "fma", "Gop/s", 63400, 128);
  add("fp64", "fma", "Gop/s", 32600);
  add("int32", "multiply-add", "Gop/s", 33400);
  add("fp32", "sine", "Gop/s", 4170);
  const std::string text = text_of(lines);
  EXPECT_TRUE(has(text, "Arithmetic through OpenCL: medians, Gop/s"));
  EXPECT_TRUE(has(text, "  fp32          65330                  2.05\n"));
  EXPECT_TRUE(has(text, "  int32         33400\n"));
  EXPECT_TRUE(has(text, "  sine      4170\n"));
  EXPECT_TRUE(has(text, "by 1 work-group: 494 Gop/s; of the numbers that were tried 128 get 95 % of"));
  EXPECT_EQ(text.find("dependent"), std::string::npos) << "no table of everything beside it";
}

TEST(Summary, WhatOneReasonKeptFromBeingMeasuredIsCountedUnderItsDevice) {
  const auto skip = [](const std::string& device, double bytes) {
    return records::SkipLine{{device, "opencl", "latency"}, test::point_of(bytes), "why"};
  };
  const std::string text = text_of({skip("cpu", 4096), skip("cpu", 8192), skip("cpu", 16384), skip("other", 64)});
  EXPECT_TRUE(has(text, "  latency through OpenCL at 4 KiB, and 2 more: why\n"));
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
