#include "records/lines.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "measure/level_findings.hpp"
#include "support/seen_devices.hpp"
#include "support/walk_workload.hpp"

namespace sonde::records {
namespace {

const Origin origin{"gpu-0000:c5:00.0", "vulkan", "latency"};

measure::Measurement measurement() {
  return {.point = test::point_of(4096),
          .unit = "ns",
          .values = {1.25, 1.5, 3e6},
          .state = {.foreign_cpu = 0.25,
                    .steal = 0.125,
                    .smt_interference = 0.125,
                    .disturbed = true,
                    .clock_settled = true,
                    .laps_settling = 0.125,
                    .steps = 4096000,
                    .launch_ns = 8000.5,
                    .involuntary_switches = 12,
                    .instruction = "global_load_b32",
                    .core_clock = measure::CoreClock{.mhz = 2487.5, .source = "arithmetic-chain"},
                    .device_state = {.gpu_clock_mhz = 2400.5,
                                     .memory_clock_mhz = 1249,
                                     .memory_peak_gbps = 960,
                                     .temperature_celsius = 61,
                                     .power_watts = 211.25,
                                     .throttle_reasons = std::set<std::string>{"power", "temperature"},
                                     .cpu_clock_mhz = 5100}}};
}

/// A line that must be of this kind; an empty one where it is not.
template <typename Kind>
Kind parsed(const std::string& text) {
  const auto line = parse_line(text);
  EXPECT_TRUE(line && std::holds_alternative<Kind>(*line)) << text;
  return line && std::holds_alternative<Kind>(*line) ? std::get<Kind>(*line) : Kind{};
}

template <typename Kind>
bool is(const std::string& text) {
  const auto line = parse_line(text);
  return line && std::holds_alternative<Kind>(*line);
}

TEST(Lines, ASampleComesBackAsItWas) {
  const auto sent = measurement();
  const auto line = parsed<SampleLine>(text_of(SampleLine{origin, sent, 1.5}));
  EXPECT_EQ(line.origin.device, origin.device);
  EXPECT_EQ(line.origin.api, "vulkan");
  EXPECT_EQ(line.origin.probe, "latency");
  EXPECT_EQ(line.measurement.point.words, sent.point.words);
  EXPECT_EQ(line.measurement.point.x, sent.point.x);
  EXPECT_EQ(line.measurement.unit, "ns");
  EXPECT_EQ(line.measurement.values, sent.values);
  const measure::State& state = line.measurement.state;
  EXPECT_EQ(state.foreign_cpu, 0.25);
  EXPECT_EQ(state.steal, 0.125);
  EXPECT_EQ(state.smt_interference, 0.125);
  EXPECT_TRUE(state.disturbed);
  EXPECT_TRUE(state.clock_settled);
  EXPECT_EQ(state.laps_settling, 0.125);
  EXPECT_EQ(state.steps, 4096000u);
  EXPECT_EQ(state.launch_ns, 8000.5);
  EXPECT_EQ(state.involuntary_switches, 12u);
  EXPECT_EQ(state.instruction, "global_load_b32");
  EXPECT_EQ(state.core_clock.value().mhz, 2487.5);
  EXPECT_EQ(state.core_clock.value().source, "arithmetic-chain");
  EXPECT_EQ(state.device_state.gpu_clock_mhz, 2400.5);
  EXPECT_EQ(state.device_state.memory_clock_mhz, 1249);
  EXPECT_EQ(state.device_state.memory_peak_gbps, 960);
  EXPECT_EQ(state.device_state.temperature_celsius, 61);
  EXPECT_EQ(state.device_state.power_watts, 211.25);
  EXPECT_EQ(state.device_state.throttle_reasons, (std::set<std::string>{"power", "temperature"}));
  EXPECT_EQ(state.device_state.cpu_clock_mhz, 5100);
}

TEST(Lines, WhatNobodySaysOfTheSurroundingsIsAbsent) {
  auto sent = measurement();
  sent.state.device_state = {};
  sent.state.core_clock.reset();
  const std::string text = text_of(SampleLine{origin, sent, 1.5});
  for (const char* word : {"_mhz", "celsius", "watts", "throttle", "clock_source"}) {
    EXPECT_EQ(text.find(word), text.npos) << text;
  }
  EXPECT_FALSE(parsed<SampleLine>(text).measurement.state.core_clock);
  const counters::DeviceState around = parsed<SampleLine>(text).measurement.state.device_state;
  EXPECT_FALSE(around.gpu_clock_mhz || around.cpu_clock_mhz || around.power_watts || around.throttle_reasons);
}

TEST(Lines, NotThrottledIsAnEmptyList) {
  auto sent = measurement();
  sent.state.device_state = {.throttle_reasons = std::set<std::string>{}};
  const std::string text = text_of(SampleLine{origin, sent, 1.5});
  EXPECT_NE(text.find("\"throttle_reasons\":[]"), text.npos) << text;
  EXPECT_EQ(parsed<SampleLine>(text).measurement.state.device_state.throttle_reasons, std::set<std::string>{});
}

// A reader of the file sees a process for each visit, though a line that a run appends is of one visit.
TEST(Lines, ASampleSaysWhichProcessMeasuredItAndHowManyValuesEachVisitHas) {
  auto sent = measurement();
  const std::string alone = text_of(SampleLine{origin, sent, 1.5, 4});
  EXPECT_NE(alone.find(R"("process":[4])"), std::string::npos) << alone;
  EXPECT_EQ(alone.find("visits"), std::string::npos) << alone;
  EXPECT_TRUE(parsed<SampleLine>(alone).measurement.visits.empty());
  sent.visits = {2, 0, 1};
  const std::string thrice = text_of(SampleLine{origin, sent, 1.5, 4});
  EXPECT_NE(thrice.find(R"("process":[4,4,4])"), std::string::npos) << thrice;
  EXPECT_EQ(parsed<SampleLine>(thrice).measurement.visits, sent.visits);
}

TEST(Lines, ASampleOfAnyOriginMayKnowNothingOfItsState) {
  const auto line = parsed<SampleLine>(
      R"({"record":"sample","device":"d","api":"cuda","probe":"latency","series":{},"x":{"bytes":64},"unit":"ns",)"
      R"("values":[5,6],"state":{},"t":0})");
  EXPECT_EQ(line.measurement.values, (std::vector<double>{5, 6}));
}

TEST(Lines, SkipsAndErrorsKeepTheirReasonAndTheirPoint) {
  const measure::Point point = test::point_of(64);
  const auto expect_both = [](const auto& with, const auto& without) {
    EXPECT_EQ(with.origin.device, origin.device);
    EXPECT_EQ(with.reason, "why");
    ASSERT_TRUE(with.point);
    EXPECT_EQ(with.point->x.bytes, 64);
    EXPECT_FALSE(without.point);
    EXPECT_EQ(without.reason, "why");
  };
  expect_both(parsed<SkipLine>(text_of(SkipLine{origin, point, "why"})),
              parsed<SkipLine>(text_of(SkipLine{origin, std::nullopt, "why"})));
  expect_both(parsed<ErrorLine>(text_of(ErrorLine{{origin, point, "why"}})),
              parsed<ErrorLine>(text_of(ErrorLine{{origin, std::nullopt, "why"}})));
}

TEST(Lines, AFindingComesBackWithAndWithoutAValue) {
  measure::Finding sent{.kind = &measure::finding_kinds::translation,
                        .words = {.path = measure::Path::vector},
                        .value = 65536,
                        .unit = "bytes",
                        .evidence = "because"};
  const auto with = parsed<FindingLine>(text_of(FindingLine{origin, "translation", sent}));
  EXPECT_EQ(with.finding.words, sent.words);
  EXPECT_EQ(with.name, "translation");
  EXPECT_EQ(with.finding.value, 65536);
  EXPECT_EQ(with.finding.unit, "bytes");
  EXPECT_EQ(with.finding.evidence, "because");
  EXPECT_FALSE(with.finding.low || with.finding.high);
  sent.low = 60000;
  sent.high = 70000.5;
  const auto between = parsed<FindingLine>(text_of(FindingLine{origin, "translation", sent}));
  EXPECT_EQ(between.finding.low, 60000);
  EXPECT_EQ(between.finding.high, 70000.5);
  sent.value.reset();
  EXPECT_FALSE(parsed<FindingLine>(text_of(FindingLine{origin, "translation", sent})).finding.value);
}

TEST(Lines, ALevelComesBackWithAndWithoutASize) {
  measure::FoundLevel sent{.words = {.path = measure::Path::vector}, .level = 2};
  sent.name = "beyond";
  sent.found.latency_ns = {95.5, 96, 97};
  const auto last = parsed<LevelLine>(text_of(LevelLine{origin, sent}));
  EXPECT_EQ(last.level.words, sent.words);
  EXPECT_EQ(last.level.level, 2);
  EXPECT_EQ(last.level.name, "beyond");
  EXPECT_FALSE(last.level.found.bytes);
  EXPECT_FALSE(last.level.found.may_be_translation);
  EXPECT_EQ(last.level.found.latency_ns.low, 95.5);
  EXPECT_EQ(last.level.found.latency_ns.value, 96);
  EXPECT_EQ(last.level.found.latency_ns.high, 97);
  EXPECT_FALSE(last.level.cycles);
  sent.found.may_be_translation = true;
  EXPECT_TRUE(parsed<LevelLine>(text_of(LevelLine{origin, sent})).level.found.may_be_translation);
  sent.found.bytes = analysis::Bracket{30000, 32768, 33000};
  sent.found.onset_bytes = 31000;
  sent.found.end_bytes = 40000;
  sent.cycles = analysis::Bracket{229, 230.5, 233};
  const auto cache = parsed<LevelLine>(text_of(LevelLine{origin, sent}));
  ASSERT_TRUE(cache.level.found.bytes);
  EXPECT_EQ(cache.level.found.bytes->low, 30000);
  EXPECT_EQ(cache.level.found.bytes->value, 32768);
  EXPECT_EQ(cache.level.found.bytes->high, 33000);
  EXPECT_EQ(cache.level.found.onset_bytes, 31000);
  EXPECT_EQ(cache.level.found.end_bytes, 40000);
  ASSERT_TRUE(cache.level.cycles);
  EXPECT_EQ(cache.level.cycles->low, 229);
  EXPECT_EQ(cache.level.cycles->value, 230.5);
  EXPECT_EQ(cache.level.cycles->high, 233);
  EXPECT_FALSE(cache.level.gbps);
}

TEST(Lines, ALevelOfABandwidthCurveHasItsBandwidthInstead) {
  measure::FoundLevel sent{.words = {.pattern = measure::Pattern::read}};
  sent.gbps = analysis::Bracket{990, 1000, 1010};
  sent.matches = 3;
  const std::string line = text_of(LevelLine{origin, sent});
  EXPECT_EQ(line.find("latency_ns"), std::string::npos) << line;
  const auto found = parsed<LevelLine>(line);
  ASSERT_TRUE(found.level.gbps);
  EXPECT_EQ(found.level.matches, 3);
  EXPECT_EQ(found.level.gbps->low, 990);
  EXPECT_EQ(found.level.gbps->value, 1000);
  EXPECT_EQ(found.level.gbps->high, 1010);
}

TEST(Lines, ABandwidthLevelThatMatchesNoneSaysSoAndALatencyLevelNothing) {
  measure::FoundLevel sent;
  EXPECT_EQ(text_of(LevelLine{origin, sent}).find("matches"), std::string::npos);
  sent.gbps = analysis::Bracket{990, 1000, 1010};
  EXPECT_NE(text_of(LevelLine{origin, sent}).find(R"("matches":null)"), std::string::npos);
  EXPECT_FALSE(parsed<LevelLine>(text_of(LevelLine{origin, sent})).level.matches);
}

TEST(Lines, ALevelOfAnOldFileIsCalledByItsNumberOrMemory) {
  const std::string start = R"({"record":"level","device":"d","api":"opencl","probe":"latency","series":{},"level":2,)";
  const std::string end = R"("latency_ns":{"low":1,"value":2,"high":9}})";
  EXPECT_EQ(parsed<LevelLine>(start + R"("bytes":{"low":1,"value":2,"high":3},"transition":{"onset":2,"end":3},)" + end)
                .level.name,
            "level 2");
  EXPECT_EQ(parsed<LevelLine>(start + R"("bytes":null,)" + end).level.name, "memory");
  EXPECT_FALSE(parsed<LevelLine>(start + R"("bytes":null,)" + end).level.matches);
}

TEST(Lines, TheSameInCyclesIsNoPointOfItsOwn) {
  auto sent = measurement();
  EXPECT_TRUE(is_point(parsed<SampleLine>(text_of(SampleLine{origin, sent, 1.5}))));
  sent.unit = "cycles";
  EXPECT_FALSE(is_point(parsed<SampleLine>(text_of(SampleLine{origin, sent, 1.5}))));
  EXPECT_FALSE(is<SampleLine>(text_of(SkipLine{origin, std::nullopt, "why"})));
}

/// Of every field another value than the one that it has by itself.
device::DeviceInfo info_with_every_field() {
  return {.api = device::Api::vulkan,
          .type = device::DeviceType::integrated,
          .name = "name",
          .platform = "platform",
          .driver = "radv",
          .driver_version = "25.1",
          .api_version = "1.3.2",
          .uuid = "aa",
          .pci = "0000:01:00.0",
          .compute_units = 40,
          .memory_bytes = 1ull << 37,
          .largest_buffer_bytes = 1ull << 32,
          .largest_buffer_reason = "a limit",
          .unified_memory = true,
          .line_bytes = 128,
          .largest_group_size = 1024,
          .constant_bytes = 65536,
          .texel_bytes = 1ull << 29,
          .local_bytes = 32768,
          .bound_bytes = 1ull << 30,
          .most_trips = 1u << 31,
          .widest_load_bytes = 8,
          .timer_step_ns = 10.123456789,
          .clock_mhz = 2900.123456789,
          .missing_types = {{"fp16", {.reason = "no cl_khr_fp16", .worth_a_try = true}}, {"dot4", {.reason = "why"}}},
          .emulated_types = {"fp64", "int8"},
          .core_clock = true,
          .stated_caches = {{.level = 0, .bytes = 4096, .source = "a driver"},
                            {.level = 2, .bytes = 1 << 20, .source = "b"}},
          .memory_kinds = {{.name = "device-local", .missing = "", .seen_by_cpu = false},
                           {.name = "svm-fine", .missing = "why", .maps_freely = true}}};
}

// The parent plans by it and draws conclusions from it as if it had opened the device itself.
TEST(Lines, AnOpenedDevicesInfoComesOverWhole) {
  const device::DeviceInfo info = info_with_every_field();
  const auto line = parsed<InfoLine>(text_of(InfoLine{info, true}));
  const device::DeviceInfo& got = line.info;
  EXPECT_TRUE(line.counts_traffic);
  EXPECT_EQ(got.api, info.api);
  EXPECT_EQ(got.type, info.type);
  EXPECT_EQ(got.name, info.name);
  EXPECT_EQ(got.platform, info.platform);
  EXPECT_EQ(got.driver, info.driver);
  EXPECT_EQ(got.driver_version, info.driver_version);
  EXPECT_EQ(got.api_version, info.api_version);
  EXPECT_EQ(got.uuid, info.uuid);
  EXPECT_EQ(got.pci, info.pci);
  EXPECT_EQ(got.compute_units, info.compute_units);
  EXPECT_EQ(got.memory_bytes, info.memory_bytes);
  EXPECT_EQ(got.largest_buffer_bytes, info.largest_buffer_bytes);
  EXPECT_EQ(got.largest_buffer_reason, info.largest_buffer_reason);
  EXPECT_EQ(got.unified_memory, info.unified_memory);
  EXPECT_EQ(got.line_bytes, info.line_bytes);
  EXPECT_EQ(got.largest_group_size, info.largest_group_size);
  EXPECT_EQ(got.constant_bytes, info.constant_bytes);
  EXPECT_EQ(got.texel_bytes, info.texel_bytes);
  EXPECT_EQ(got.local_bytes, info.local_bytes);
  EXPECT_EQ(got.bound_bytes, info.bound_bytes);
  EXPECT_EQ(got.most_trips, info.most_trips);
  EXPECT_EQ(got.widest_load_bytes, info.widest_load_bytes);
  EXPECT_EQ(got.timer_step_ns, info.timer_step_ns);
  EXPECT_EQ(got.clock_mhz, info.clock_mhz);
  EXPECT_EQ(got.missing_types, info.missing_types);
  EXPECT_EQ(got.emulated_types, info.emulated_types);
  EXPECT_EQ(got.core_clock, info.core_clock);
  EXPECT_EQ(got.stated_caches, info.stated_caches);
  EXPECT_EQ(got.memory_kinds, info.memory_kinds);
  // A driver that says nothing says it there too.
  EXPECT_EQ(parsed<InfoLine>(text_of(InfoLine{})).info.bound_bytes, device::DeviceInfo{}.bound_bytes);
}

TEST(Lines, AVisitIsAskedForWithAllThatItsPointHas) {
  measure::Point point = test::point_of(12345678, measure::Path::scalar);
  point.x.load = 0.25;
  point.expected_seconds = 0.123456789;
  point.replicates = 4;
  point.visits = 5;
  point.shape = {{"groups", 96}, {"unroll", 8}};
  const auto got = parsed<VisitLine>(text_of(VisitLine{
      .origin = origin, .curve = "cycle", .visit = {.point = point, .number = 7, .look = measure::Look::closest}}));
  EXPECT_EQ(got.origin, origin);
  EXPECT_EQ(got.curve, "cycle");
  EXPECT_EQ(got.visit.number, 7);
  EXPECT_EQ(got.visit.look, measure::Look::closest);
  EXPECT_EQ(measure::key_of(got.visit.point), measure::key_of(point));
  EXPECT_EQ(got.visit.point.expected_seconds, point.expected_seconds);
  EXPECT_EQ(got.visit.point.replicates, 4);
  EXPECT_EQ(got.visit.point.visits, 5);
  EXPECT_EQ(got.visit.point.curve, nullptr) << "who reads it looks it up";
}

TEST(Lines, AnAnswerKeepsItsEndItsReasonAndTheSimulatedTime) {
  using End = measure::Answer::End;
  for (const End end : {End::measured, End::too_short, End::unsupported, End::failed, End::lost}) {
    const auto got = parsed<AnswerLine>(text_of(AnswerLine{.end = end, .reason = "why"}));
    EXPECT_EQ(got.end, end);
    EXPECT_EQ(got.reason, "why");
    EXPECT_FALSE(got.simulated_seconds);
  }
  EXPECT_EQ(parsed<AnswerLine>(text_of(AnswerLine{.simulated_seconds = 0.125})).simulated_seconds, 0.125);
  EXPECT_EQ(parsed<AnswerLine>(text_of(AnswerLine{.simulated_seconds = 0.0})).simulated_seconds, 0.0);
}

TEST(Lines, OfAWorkerThatHasNothingMoreToSay) { EXPECT_TRUE(is<AliveLine>(text_of(AliveLine{}))); }

TEST(Lines, NumbersHaveSixDigitsAndSizesAreWhole) {
  auto sent = measurement();
  sent.point.x.bytes = 1073741824;
  sent.point.x.load = 1.0 / 3;
  sent.values = {1.0 / 3, 123456789};
  const std::string text = text_of(SampleLine{origin, sent, 2.0 / 3});
  EXPECT_NE(text.find("\"bytes\":1073741824,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"load\":0.333333}"), std::string::npos) << text;
  EXPECT_NE(text.find("\"values\":[0.333333,123457000.0]"), std::string::npos) << text;
  EXPECT_NE(text.find("\"t\":0.666667"), std::string::npos) << text;
}

TEST(Lines, AFractionThatIsWholeInSixDigitsIsWrittenAsIfItHadBeenWhole) {
  const measure::Point point{.x = {.bytes = 10737418.4, .delay = 1e300, .load = 0.1234567}};
  const std::string line = text_of(SkipLine{{"gpu-1", "opencl", "latency"}, point, "why"});
  EXPECT_NE(line.find(R"("bytes":10737400,)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("load":0.123457)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("delay":1e+300)"), std::string::npos) << line;
}

TEST(Lines, AreOneLineEachWhateverADriverSays) {
  const std::string broken = "bad \xFF\xC3 name\nwith a line feed and \"quotes\"";
  DeviceRecord device;
  device.name = broken;
  const device::DeviceInfo info = test::seen(device::Api::opencl, broken, {}).info;
  device.drivers[device::Api::opencl].info = info;
  for (const std::string& text :
       {text_of(device), text_of(InfoLine{info}), text_of(ErrorLine{{origin, std::nullopt, broken}}),
        listed_device_json(device, {{"latency", "opencl", broken}})}) {
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(text.find('\xFF'), std::string::npos);
    EXPECT_TRUE(parse_line(text)) << text;
  }
  EXPECT_EQ(parsed<InfoLine>(text_of(InfoLine{info})).info.name,
            "bad \xEF\xBF\xBD\xEF\xBF\xBD name\nwith a line feed and \"quotes\"");
}

TEST(Lines, EveryKindNamesItself) {
  const auto run = parsed<RunLine>(text_of(RunLine{.run = "u", .command = {"sonde", "run"}, .seed = 7}));
  EXPECT_EQ(run.schema, schema_version);
  EXPECT_EQ(run.seed, 7u);
  DeviceRecord device;
  device.id = "cpu";
  device.line_bytes = 64;
  device.stated_caches = {{.level = 0, .bytes = 4096, .source = "a driver"}};
  EXPECT_EQ(parsed<DeviceRecord>(text_of(device)).id, "cpu");
  EXPECT_EQ(parsed<DeviceRecord>(text_of(device)).line_bytes, 64u);
  EXPECT_EQ(parsed<DeviceRecord>(text_of(device)).stated_caches, device.stated_caches);
  EXPECT_NE(text_of(device).find(R"("stated_caches":[{"level":null,"bytes":4096,)"), std::string::npos);
  EXPECT_TRUE(is<EndLine>(text_of(EndLine{.status = "complete"})));
}

TEST(Lines, ACurveIsDeclaredWithWhatItsTablesAndComparisonsNeed) {
  static constexpr measure::Table table{.title = "Copies", .rows = "bytes", .columns = "direction, engine"};
  static constexpr measure::Curve curve{.name = "copy",
                                        .words = {.direction = measure::Direction::to_host},
                                        .varies = "engine",
                                        .title = "Rate of a copy",
                                        .unit = "GB/s",
                                        .better = measure::Better::higher,
                                        .per_clock = -1,
                                        .table = &table};
  const measure::Words words{.direction = measure::Direction::to_host, .engine = measure::Engine::transfer};
  EXPECT_EQ(curve_line("copy", curve, words, "GB/s"),
            R"({"record":"curve","curve":"copy","probe":"copy","series":{"direction":"to-host","engine":"transfer"},)"
            R"("unit":"GB/s","title":"Rate of a copy","x":"bytes","better":"higher","per_clock":-1,)"
            R"("table":{"title":"Copies","rows":"bytes","columns":"direction, engine"}})");
}

TEST(Lines, CyclesDoNotFollowTheClock) {
  const measure::Curve& walk = *test::point_of(4096).curve;
  EXPECT_NE(curve_line("latency", walk, walk.words, "ns").find(R"("per_clock":1,)"), std::string::npos);
  EXPECT_NE(curve_line("latency", walk, walk.words, "cycles").find(R"("per_clock":0,)"), std::string::npos);
}

TEST(Lines, AKindOfFindingIsDeclaredWithHowItIsCompared) {
  measure::FindingKind kind{
      .name = "copy-latency", .heading = "Latency of a copy", .meaning = "Why.", .named_by = "direction, engine"};
  const std::string alone = R"({"record":"finding-kind","probe":"copy","finding":"copy-latency",)"
                            R"("heading":"Latency of a copy","meaning":"Why.","better":null,)"
                            R"("named_by":["direction","engine"])";
  EXPECT_EQ(finding_kind_line("copy", kind), alone + "}");
  kind.compared = measure::Comparison::by_difference;
  kind.feature = "copy latency";
  kind.per_clock = 1;
  EXPECT_EQ(finding_kind_line("copy", kind),
            alone + R"(,"feature":"copy latency","compared":"difference","per_clock":1})");
}

TEST(ParseLine, GarbageIsNoRecord) {
  for (const char* text :
       {"", " ", "{", "null", "[]", "3", "\"sample\"", "{\"record\":\"sample\"", "{\"record\":\"sample\",\"x\":5}",
        "{\"record\":\"sample\",\"values\":[1,\"two\"]}", "{\"record\":\"sample\",\"x\":{\"bytes\":null}}",
        "{\"record\":5}", "{\"record\":\"info\",\"api\":\"vulkan\"}", "{\"record\":\"skip\",\"reason\":[]}",
        "{\"record\":\"sample\"}{\"record\":\"sample\"}", "\xFF\xFE"}) {
    EXPECT_FALSE(parse_line(text)) << text;
  }
  const std::string sample = text_of(SampleLine{origin, measurement(), 1});
  for (std::size_t length = 0; length < sample.size(); ++length) {
    EXPECT_FALSE(parse_line(std::string_view(sample).substr(0, length))) << length;
  }
}

TEST(ParseLine, UnknownKindsAndFieldsAreNoError) {
  EXPECT_EQ(parsed<UnknownLine>("{\"record\":\"of tomorrow\",\"more\":[1]}").kind, "of tomorrow");
  EXPECT_EQ(parsed<SkipLine>("{\"record\":\"skip\",\"reason\":\"why\",\"more\":{}}").reason, "why");
}

}  // namespace
}  // namespace sonde::records
