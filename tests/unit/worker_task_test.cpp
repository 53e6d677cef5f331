// A worker's task on a simulated device: what it sends for what it is sent, without a process of its own.

#include "session/worker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "measure/cycles.hpp"
#include "records/lines.hpp"
#include "support/fake_tree.hpp"
#include "support/walk_workload.hpp"

namespace sonde::session {
namespace {

constexpr const char* pci = "0000:03:00.0";

/// A simulated device's text, with more keys, each followed by a comma.
std::string little_model(const std::string& more = "") {
  return R"({"name": "little", "memory_bytes": 16777216, )" + more +
         R"("levels": [{"name": "L1", "bytes": 16384, "latency_ns": 40}, {"name": "DRAM", "latency_ns": 300}]})";
}

records::MeasureTask task_of(const std::string& model, const std::filesystem::path& sysfs_root = "/nowhere") {
  return {.api = device::Api::model,
          .device = "gpu",
          .pci = pci,
          .model = model,
          .request = {.look = measure::Look::first, .smallest_bytes = 4096},
          .run_start = std::chrono::steady_clock::now(),
          .sysfs_root = sysfs_root.string()};
}

/// The answer to each line that a worker is sent, and all lines that it sends.
std::vector<records::Line> lines_of(const records::MeasureTask& task, std::vector<std::string> visits) {
  std::vector<records::Line> lines;
  std::size_t sent = 0;
  do_task(
      task, [&] { return sent < visits.size() ? std::optional(visits[sent++]) : std::nullopt; },
      [&lines](const std::string& text) {
        const auto line = records::parse_line(text);
        ASSERT_TRUE(line) << text;
        lines.push_back(*line);
      });
  return lines;
}

std::string visit_of(const measure::Point& point, int number = 0, const std::string& probe = "latency") {
  return records::text_of(records::VisitLine{.origin = {"gpu", "model", probe},
                                             .curve = std::string(point.curve->name),
                                             .visit = {.point = point, .number = number}});
}

template <typename Kind>
std::vector<Kind> all_of(const std::vector<records::Line>& lines) {
  std::vector<Kind> found;
  for (const records::Line& line : lines) {
    if (const auto* one = std::get_if<Kind>(&line)) found.push_back(*one);
  }
  return found;
}

std::vector<measure::State> states_of_samples(const std::filesystem::path& sysfs_root) {
  std::vector<measure::State> states;
  for (const auto& sample : all_of<records::SampleLine>(lines_of(
           task_of(little_model(), sysfs_root), {visit_of(test::point_of(4096)), visit_of(test::point_of(8192))})))
    states.push_back(sample.measurement.state);
  return states;
}

TEST(WorkerTask, EverySampleSaysWhatWasAroundIt) {
  const test::FakeTree tree;
  const std::filesystem::path device = std::filesystem::path("sys/bus/pci/devices") / pci;
  tree.write(device / "pp_dpm_sclk", "0: 500Mhz\n1: 2371Mhz *\n");
  tree.write(device / "pp_dpm_mclk", "0: 1249Mhz *\n");
  tree.write(device / "hwmon/hwmon2/temp1_input", "61000\n");
  tree.write(device / "hwmon/hwmon2/power1_average", "211000000\n");
  tree.write("proc/cpuinfo", "processor : 0\ncpu MHz : 4321\n");
  const auto states = states_of_samples(tree.root());
  ASSERT_EQ(states.size(), 2u);
  for (const measure::State& state : states) {
    EXPECT_EQ(state.device_state.gpu_clock_mhz, 2371);
    EXPECT_EQ(state.device_state.memory_clock_mhz, 1249);
    EXPECT_EQ(state.device_state.temperature_celsius, 61);
    EXPECT_EQ(state.device_state.power_watts, 211);
    EXPECT_EQ(state.device_state.cpu_clock_mhz, 4321);
    EXPECT_FALSE(state.device_state.throttle_reasons);
  }
}

TEST(WorkerTask, AnEmptyTreeSaysNothing) {
  const test::FakeTree tree;
  const auto states = states_of_samples(tree.root());
  ASSERT_EQ(states.size(), 2u);
  for (const measure::State& state : states) {
    EXPECT_FALSE(state.device_state.gpu_clock_mhz || state.device_state.temperature_celsius);
    EXPECT_FALSE(state.device_state.power_watts || state.device_state.cpu_clock_mhz);
  }
}

TEST(WorkerTask, SaysWhatItOpenedAndAnswersEachVisit) {
  const auto lines =
      lines_of(task_of(little_model()), {visit_of(test::point_of(4096)), visit_of(test::point_of(8192))});
  const auto first_but_alive =
      std::ranges::find_if(lines, [](const auto& line) { return !std::holds_alternative<records::AliveLine>(line); });
  ASSERT_NE(first_but_alive, lines.end());
  EXPECT_TRUE(std::holds_alternative<records::InfoLine>(*first_but_alive));
  const auto infos = all_of<records::InfoLine>(lines);
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos[0].info.name, "little");
  EXPECT_TRUE(infos[0].counts_traffic) << "a model has simulated counters";
  const auto samples = all_of<records::SampleLine>(lines);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].origin, (records::Origin{"gpu", "model", "latency"}));
  EXPECT_EQ(samples[0].measurement.point.x.bytes, 4096);
  EXPECT_EQ(samples[1].measurement.point.x.bytes, 8192);
  const auto answers = all_of<records::AnswerLine>(lines);
  ASSERT_EQ(answers.size(), 2u);
  for (const records::AnswerLine& answer : answers) {
    EXPECT_EQ(answer.end, measure::Answer::End::measured);
    EXPECT_EQ(answer.reason, "");
    EXPECT_GT(answer.simulated_seconds.value(), 0);
    EXPECT_LT(answer.simulated_seconds.value(), 10);
  }
  EXPECT_TRUE(std::holds_alternative<records::AnswerLine>(lines.back()));
  EXPECT_TRUE(all_of<records::ErrorLine>(lines).empty());
}

TEST(WorkerTask, AVisitThatCannotBeMadeIsAnsweredWithItsReasonAndTheNextOneIsMade) {
  const auto lines =
      lines_of(task_of(little_model()), {visit_of(test::point_of(1e12)), visit_of(test::point_of(4096))});
  const auto answers = all_of<records::AnswerLine>(lines);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].end, measure::Answer::End::unsupported);
  EXPECT_FALSE(answers[0].reason.empty());
  EXPECT_EQ(answers[1].end, measure::Answer::End::measured);
  EXPECT_EQ(all_of<records::SampleLine>(lines).size(), 1u);
}

TEST(WorkerTask, EachVisitHasAShuffleOfItsOwnAndIsTheSameInAnyProcess) {
  // How many lines of a set that is larger than the cache are hit differs from shuffle to shuffle.
  const measure::Point point =
      measure::point_on(probes::latency_probe::independent, {.bytes = 24576}, probes::latency_probe::vector_path);
  const auto values = [&point](int number) {
    return all_of<records::SampleLine>(lines_of(task_of(little_model()), {visit_of(point, number)}))
        .at(0)
        .measurement.values;
  };
  EXPECT_EQ(values(0), values(0));
  EXPECT_NE(values(0), values(1));
}

TEST(WorkerTask, AVisitThatThisProgramDoesNotKnowIsNoneThatCouldBeAnswered) {
  const measure::Point other = test::point_of(4096);
  for (const std::string& line :
       {std::string("{}"), visit_of(other, 0, "no-such-probe"),
        records::text_of(records::VisitLine{
            .origin = {"gpu", "model", "latency"}, .curve = "no such curve", .visit = {.point = other}})}) {
    EXPECT_THROW(lines_of(task_of(little_model()), {line}), std::runtime_error) << line;
  }
}

TEST(WorkerTask, WhatMovedBesideAVisitIsSentWhereItIsToBeCounted) {
  records::MeasureTask task = task_of(little_model());
  EXPECT_TRUE(all_of<records::CounterLine>(lines_of(task, {visit_of(test::point_of(4096))})).empty());
  task.opens_counters = task.counts_traffic = true;
  const auto lines = lines_of(task, {visit_of(test::point_of(1 << 20))});
  const auto counted = all_of<records::CounterLine>(lines);
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].point.value().point.x.bytes, 1 << 20);
  EXPECT_EQ(counted[0].point->origin.probe, "latency");
  EXPECT_GT(counted[0].point->moved_bytes, 0);
  EXPECT_TRUE(std::holds_alternative<records::AnswerLine>(lines.back())) << "an answer is the last of its visit";
}

TEST(WorkerTask, CyclesAreALatencyTimesTheClockWhateverTheRampAndTheNoise) {
  const std::string model = little_model(
      R"("clock_mhz": 2345, "launch_ns": 8000, "timer_step_ns": 10, "first_launch_ms": 5, "noise":
         {"relative": 0.005, "outlier_share": 0.01, "outlier_factor": 2, "ramp_seconds": 0.3}, )");
  const test::FakeTree tree;
  // Well within the first level, and where it holds next to nothing.
  for (const auto& [bytes, latency_ns] : {std::pair{8192.0, 40.0}, std::pair{1048576.0, 300.0}}) {
    std::vector<double> cycles;
    for (const auto& sample : all_of<records::SampleLine>(lines_of(
             task_of(model, tree.root()), {visit_of(test::point_of(bytes)), visit_of(test::point_of(bytes), 1)}))) {
      const auto in_cycles = measure::in_cycles(sample.measurement);
      ASSERT_TRUE(in_cycles);
      cycles.insert(cycles.end(), in_cycles->values.begin(), in_cycles->values.end());
      EXPECT_EQ(sample.measurement.state.core_clock.value().source, "shader-clock");
    }
    EXPECT_GE(cycles.size(), 14u);
    EXPECT_NEAR(analysis::summarize(cycles).median, latency_ns * 2.345, 0.01 * latency_ns * 2.345);
  }
}

}  // namespace
}  // namespace sonde::session
