// A worker's whole task on a simulated device: what it sends, without a process of its own.

#include "session/worker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "records/lines.hpp"
#include "support/fake_tree.hpp"

namespace sonde::session {
namespace {

constexpr const char* pci = "0000:03:00.0";

/// A simulated device's text, with more keys, each followed by a comma.
std::string little_model(const std::string& more = "") {
  return R"({"name": "little", "memory_bytes": 16777216, )" + more +
         R"("levels": [{"name": "L1", "bytes": 16384, "latency_ns": 40}, {"name": "DRAM", "latency_ns": 300}]})";
}

/// The lines that a worker sends of a simulated GPU that claims a PCI address, for sizes from 4 KiB to so many bytes.
std::vector<records::Line> lines_of(const std::string& model, std::uint64_t largest_bytes,
                                    const std::filesystem::path& sysfs_root) {
  const records::MeasureTask task{
      .api = device::Api::model,
      .device = "gpu",
      .pci = pci,
      .model = model,
      .probes = {"latency"},
      .request = {.look = measure::Look::first, .smallest_bytes = 4096, .largest_bytes = largest_bytes},
      .run_start = std::chrono::steady_clock::now(),
      .sysfs_root = sysfs_root.string()};
  std::vector<records::Line> lines;
  do_task(task, [&lines](const std::string& text) {
    const auto line = records::parse_line(text);
    ASSERT_TRUE(line) << text;
    EXPECT_FALSE(std::holds_alternative<records::ErrorLine>(*line)) << text;
    lines.push_back(*line);
  });
  return lines;
}

std::vector<measure::State> states_of_samples(const std::filesystem::path& sysfs_root) {
  std::vector<measure::State> states;
  for (const records::Line& line : lines_of(little_model(), 4096, sysfs_root)) {
    if (const auto* sample = std::get_if<records::SampleLine>(&line)) states.push_back(sample->measurement.state);
  }
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
  ASSERT_FALSE(states.empty());
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
  ASSERT_FALSE(states.empty());
  for (const measure::State& state : states) {
    EXPECT_FALSE(state.device_state.gpu_clock_mhz || state.device_state.temperature_celsius);
    EXPECT_FALSE(state.device_state.power_watts || state.device_state.cpu_clock_mhz);
  }
}

TEST(WorkerTask, APlansTimeIsThatOfItsPoints) {
  double planned = 0;
  double begun = 0;
  for (const records::Line& line : lines_of(little_model(), 4096, test::FakeTree().root())) {
    if (const auto* plan = std::get_if<records::PlanLine>(&line)) planned += plan->expected_seconds;
    if (const auto* point = std::get_if<records::PointLine>(&line)) begun += point->point.expected_seconds;
  }
  EXPECT_GT(planned, 0);
  EXPECT_NEAR(planned, begun, 1e-4 * planned);
}

double median(const std::vector<double>& values) { return analysis::summarize(values).median; }

TEST(WorkerTask, CyclesOfALevelAreItsLatencyTimesTheClockWhateverTheRampAndTheNoise) {
  const std::string model = little_model(
      R"("clock_mhz": 2345, "launch_ns": 8000, "timer_step_ns": 10, "first_launch_ms": 5, "noise":
         {"relative": 0.005, "outlier_share": 0.01, "outlier_factor": 2, "ramp_seconds": 0.3}, )");
  const test::FakeTree tree;
  std::map<double, std::vector<double>> nanoseconds;
  std::map<double, std::vector<double>> cycles;
  std::vector<measure::FoundLevel> levels;
  for (const records::Line& line : lines_of(model, 1 << 20, tree.root())) {
    const auto* found = std::get_if<records::LevelLine>(&line);
    if (found != nullptr && found->level.words.path == measure::Path::vector) levels.push_back(found->level);
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || sample->measurement.point.words.order) continue;
    const auto& [point, unit, values, state, visits, interval] = sample->measurement;
    if (point.words.path != measure::Path::vector) continue;
    const double bytes = point.x.bytes.value();
    // Well within the first level, and where it holds next to nothing.
    const double latency_ns = bytes <= 12288 ? 40 : bytes >= 131072 ? 300 : 0;
    if (latency_ns == 0) continue;
    auto& of_level = unit == "ns" ? nanoseconds[latency_ns] : cycles[latency_ns];
    of_level.insert(of_level.end(), values.begin(), values.end());
    EXPECT_EQ(state.core_clock.value().source, "shader-clock");
  }
  ASSERT_EQ(cycles.size(), 2u);
  for (const auto& [latency_ns, values] : cycles) {
    EXPECT_EQ(values.size(), nanoseconds[latency_ns].size());
    EXPECT_NEAR(median(values), latency_ns * 2.345, 0.01 * latency_ns * 2.345);
  }
  ASSERT_EQ(levels.size(), 2u);
  for (const measure::FoundLevel& level : levels) {
    const double clock_ghz = level.cycles.value().value / level.found.latency_ns.value;
    EXPECT_NEAR(clock_ghz, 2.345, 0.01 * 2.345);
  }
}

}  // namespace
}  // namespace sonde::session
