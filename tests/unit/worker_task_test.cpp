// A worker's whole task on a simulated device: what it sends, without a process of its own.

#include "cli/worker_task.hpp"

#include <gtest/gtest.h>

#include "probes/catalog.hpp"
#include "records/reader.hpp"
#include "support/fake_tree.hpp"

namespace sonde::cli {
namespace {

constexpr const char* pci = "0000:03:00.0";

/// Measures 4 KiB of a simulated GPU that claims to sit at a PCI address.
std::vector<measure::State> states_of_samples(const std::filesystem::path& sysfs_root) {
  WorkerTask task{.target = {},
                  .api = gpu::Api::model,
                  .probes = {&probes::latency},
                  .request = {.effort = measure::Effort::quick, .smallest_bytes = 4096, .largest_bytes = 4096},
                  .run_start = std::chrono::steady_clock::now(),
                  .sysfs_root = sysfs_root};
  task.target.record.id = "gpu";
  task.target.record.pci = pci;
  gpu::model::Description description;
  description.name = "little";
  description.memory_bytes = 1 << 24;
  description.levels = {{.name = "L1", .bytes = 16384, .latency_ns = 40}, {.name = "DRAM", .latency_ns = 300}};
  task.target.description = description;
  std::vector<measure::State> states;
  do_task(task, [&states](const std::string& text) {
    const auto line = records::parse_line(text);
    ASSERT_TRUE(line) << text;
    EXPECT_NE(line->kind, "error") << text;
    if (line->kind == "sample") states.push_back(line->measurement.state);
  });
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
    EXPECT_EQ(state.surroundings.gpu_clock_mhz, 2371);
    EXPECT_EQ(state.surroundings.memory_clock_mhz, 1249);
    EXPECT_EQ(state.surroundings.temperature_celsius, 61);
    EXPECT_EQ(state.surroundings.power_watts, 211);
    EXPECT_EQ(state.surroundings.cpu_clock_mhz, 4321);
    EXPECT_FALSE(state.surroundings.throttle_reasons);
  }
}

TEST(WorkerTask, AnEmptyTreeSaysNothing) {
  const test::FakeTree tree;
  const auto states = states_of_samples(tree.root());
  ASSERT_FALSE(states.empty());
  for (const measure::State& state : states) {
    EXPECT_FALSE(state.surroundings.gpu_clock_mhz || state.surroundings.temperature_celsius);
    EXPECT_FALSE(state.surroundings.power_watts || state.surroundings.cpu_clock_mhz);
  }
}

}  // namespace
}  // namespace sonde::cli
