// AMD's GPUs as the kernel shows them: a discrete card, an APU, an accelerator, the caches of all, and
// broken trees.

#include "counters/state/sources.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/fake_tree.hpp"

namespace sonde::counters {
namespace {

using Reasons = std::set<std::string>;

constexpr const char* pci = "0000:03:00.0";

/// A table of gpu_metrics that begins with its header; the rest is ones, as where the driver knows nothing.
std::string table(std::uint16_t size, int format, int revision) {
  std::string bytes(size, '\xFF');
  bytes.replace(0, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
  bytes[2] = static_cast<char>(format);
  bytes[3] = static_cast<char>(revision);
  return bytes;
}

template <typename Number>
std::string with(std::string bytes, std::size_t offset, Number number) {
  return bytes.replace(offset, sizeof number, reinterpret_cast<const char*>(&number), sizeof number);
}

class AmdgpuTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& file, const std::string& text) {
    return tree.write(std::filesystem::path("sys/bus/pci/devices") / pci / file, text);
  }
  DeviceState read() { return reader_of(tree.root(), pci)(); }
  /// The reasons that are read first from a table of gpu_metrics.
  std::optional<Reasons> reasons(const std::string& table) {
    write("gpu_metrics", table);
    return read().throttle_reasons;
  }

  test::FakeTree tree;
};

TEST_F(AmdgpuTest, ADiscreteCardSaysAll) {
  write("pp_dpm_sclk", "0: 500Mhz\n1: 2371Mhz *\n2: 2800Mhz\n");
  write("pp_dpm_mclk", "0: 96Mhz *\n1: 1249Mhz\n");
  write("hwmon/hwmon4/freq1_input", "2401000000\n");
  write("hwmon/hwmon4/freq2_input", "1249000000\n");
  write("hwmon/hwmon4/temp1_input", "61000\n");
  write("hwmon/hwmon4/temp2_input", "83000\n");
  write("hwmon/hwmon4/power1_average", "211000000\n");
  write("gpu_metrics", with<std::uint64_t>(table(120, 1, 3), 112, 1ull << 0 | 1ull << 36));
  const DeviceState reading = read();
  EXPECT_EQ(reading.gpu_clock_mhz, 2401);
  EXPECT_EQ(reading.memory_clock_mhz, 1249);
  EXPECT_EQ(reading.temperature_celsius, 61);
  EXPECT_EQ(reading.power_watts, 211);
  EXPECT_EQ(reading.throttle_reasons, (Reasons{"power", "temperature"}));
}

TEST_F(AmdgpuTest, AnApuWithoutPowerAndMemoryClockSensorSaysTheRest) {
  write("pp_dpm_sclk", "0: 600Mhz\n1: 1100Mhz\n2: 2900Mhz *\n");
  write("pp_dpm_mclk", "0: 400Mhz\n1: 1000Mhz *\n");
  write("hwmon/hwmon0/freq1_input", "2897000000\n");
  write("hwmon/hwmon0/temp1_input", "48000\n");
  const DeviceState reading = read();
  EXPECT_EQ(reading.gpu_clock_mhz, 2897);
  EXPECT_EQ(reading.memory_clock_mhz, 1000);
  EXPECT_EQ(reading.temperature_celsius, 48);
  EXPECT_FALSE(reading.power_watts);
  EXPECT_FALSE(reading.throttle_reasons);
}

TEST_F(AmdgpuTest, ClocksComeFromTheLevelsWhereThereIsNoSensor) {
  write("pp_dpm_sclk", "S: 19Mhz *\n0: 615Mhz\n1: 2700Mhz\n");
  EXPECT_EQ(read().gpu_clock_mhz, 19);
}

TEST_F(AmdgpuTest, AnAcceleratorWithoutEdgeSensorSaysItsJunction) {
  write("pp_dpm_sclk", "0: 2100Mhz *\n");
  write("hwmon/hwmon1/temp2_input", "55000\n");
  write("hwmon/hwmon1/power1_input", "402000000\n");
  EXPECT_EQ(read().temperature_celsius, 55);
  EXPECT_EQ(read().power_watts, 402);
}

TEST_F(AmdgpuTest, GarbageAndWhatCannotBeReadIsNothing) {
  write("pp_dpm_sclk", "0: fastMhz *\n1 2371Mhz *\nMhz: 5*\n\n: *");
  write("pp_dpm_mclk", "0: 96Mhz\n1: 1249Mhz\n");  // no level is marked
  write("hwmon/hwmon0/freq1_input", "0\n");
  write("hwmon/hwmon0/freq2_input", "much");
  write("hwmon/hwmon0/temp1_input/folder", "");
  write("hwmon/hwmon0/power1_average", "N/A\n");
  write("gpu_metrics", "\x78");
  const DeviceState reading = read();
  EXPECT_FALSE(reading.gpu_clock_mhz || reading.memory_clock_mhz || reading.temperature_celsius || reading.power_watts);
  EXPECT_FALSE(reading.throttle_reasons);
}

TEST_F(AmdgpuTest, ValuesAreReadAnewEachTime) {
  write("pp_dpm_sclk", "0: 500Mhz *\n1: 2371Mhz\n");
  const auto reader = reader_of(tree.root(), pci);
  EXPECT_EQ(reader().gpu_clock_mhz, 500);
  write("pp_dpm_sclk", "0: 500Mhz\n1: 2371Mhz *\n");
  EXPECT_EQ(reader().gpu_clock_mhz, 2371);
  tree.remove("sys");
  EXPECT_FALSE(reader().gpu_clock_mhz);
}

TEST_F(AmdgpuTest, BitsOfDiscreteCardsAndApusAreTheSame) {
  for (const auto& [revision, at] : {std::pair{3, 112}, std::pair{2, 120}}) {
    const std::string zeros = table(static_cast<std::uint16_t>(at + 8), revision == 3 ? 1 : 2, revision);
    const auto reasons_of = [&](std::uint64_t bits) {
      return reasons(with(zeros, static_cast<std::size_t>(at), bits));
    };
    EXPECT_EQ(reasons_of(0), Reasons{});
    EXPECT_EQ(reasons_of(1ull << 6), Reasons{"power"});
    EXPECT_EQ(reasons_of(1ull << 16 | 1ull << 23), Reasons{"current"});
    EXPECT_EQ(reasons_of(1ull << 47), Reasons{"temperature"});
    EXPECT_EQ(reasons_of(1ull << 57), Reasons{"other"});
    EXPECT_EQ(reasons_of(~0ull), std::nullopt);  // the driver wrote nothing there
  }
}

TEST_F(AmdgpuTest, CountersTellOnlyFromTheSecondReadingOn) {
  std::string first = table(264, 3, 0);
  for (std::size_t index = 0; index < 7; ++index) first = with<std::uint32_t>(first, 228 + 4 * index, 1000);
  write("gpu_metrics", first);
  const auto reader = reader_of(tree.root(), pci);
  const auto reasons_of = [&](const std::string& next) {
    write("gpu_metrics", next);
    return reader().throttle_reasons;
  };
  EXPECT_EQ(reasons_of(first), std::nullopt);
  EXPECT_EQ(reasons_of(first), Reasons{});
  // In the order of kgd_pp_interface.h: PROCHOT; three limits on power; core, graphics and SoC too hot; none behind.
  const std::vector<std::string> expected{"temperature", "power",       "power",      "power",
                                          "temperature", "temperature", "temperature"};
  for (std::size_t index = 0; index < expected.size(); ++index) {
    const std::string next = with<std::uint32_t>(first, 228 + 4 * index, 1001);
    EXPECT_EQ(reasons_of(next), Reasons{expected[index]}) << index;
    EXPECT_EQ(reasons_of(next), Reasons{}) << index;
    reasons_of(first);
  }
  EXPECT_EQ(reasons_of(with<std::uint32_t>(first, 256, 7)), Reasons{});
}

TEST_F(AmdgpuTest, TablesThatDoNotTellOrEndEarlyAreNothing) {
  for (const auto& [format, revision] : {std::pair{1, 0}, {1, 2}, {1, 4}, {2, 1}, {2, 5}, {3, 1}, {9, 9}}) {
    EXPECT_FALSE(reasons(with<std::uint64_t>(table(300, format, revision), 112, 1))) << format;
  }
  const std::string whole = with<std::uint64_t>(table(120, 1, 3), 112, 1);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(reasons(whole.substr(0, length))) << length;
  }
  EXPECT_FALSE(reasons(with<std::uint16_t>(whole, 0, 116)));
  EXPECT_FALSE(reasons(with<std::uint16_t>(whole, 0, 2)));
}

using Caches = std::map<int, std::uint64_t>;

constexpr const char* nodes = "sys/class/kfd/kfd/topology/nodes/";

void write_node(const test::FakeTree& tree, const std::string& node, const std::string& properties) {
  tree.write(nodes + node + "/properties", properties);
}

void write_cache(const test::FakeTree& tree, const std::string& cache, int level, int kib) {
  tree.write(nodes + cache + "/properties", "processor_id_low 0\nlevel " + std::to_string(level) + "\nsize " +
                                                std::to_string(kib) + "\ncache_line_size 128\n");
}

TEST(AmdgpuCaches, AreThoseOfTheNodeAtThePciAddress) {
  const test::FakeTree tree;
  write_node(tree, "0", "cpu_cores_count 16\nsimd_count 0\nlocation_id 0\ndomain 0\n");
  write_cache(tree, "0/caches/0", 3, 65536);
  write_node(tree, "1", "cpu_cores_count 0\nsimd_count 80\nlocation_id 768\ndomain 0\n");  // 03:00.0
  write_cache(tree, "1/caches/0", 1, 16);
  write_cache(tree, "1/caches/1", 1, 32);
  write_cache(tree, "1/caches/10", 2, 6144);
  write_cache(tree, "1/caches/11", 3, 98304);
  write_node(tree, "2", "simd_count 8\nlocation_id 50432\ndomain 1\n");  // c5:00.0
  write_cache(tree, "2/caches/0", 2, 2048);
  EXPECT_EQ(amdgpu_caches(tree.root(), "0000:03:00.0"), (Caches{{1, 32u << 10}, {2, 6u << 20}, {3, 96u << 20}}));
  EXPECT_EQ(amdgpu_caches(tree.root(), "0001:c5:00.0"), (Caches{{2, 2u << 20}}));
  EXPECT_TRUE(amdgpu_caches(tree.root(), "0000:c5:00.0").empty()) << "another domain";
  EXPECT_TRUE(amdgpu_caches(tree.root(), "0000:00:00.0").empty()) << "the CPU is no GPU";
}

TEST(AmdgpuCaches, AreNoneWhereNothingCanBeRead) {
  const test::FakeTree tree;
  EXPECT_TRUE(amdgpu_caches(tree.root(), "0000:03:00.0").empty());
  EXPECT_TRUE(amdgpu_caches(tree.root(), "").empty());
  write_node(tree, "1", "simd_count 80\nlocation_id 768\ndomain 0\n");
  tree.write(std::string(nodes) + "1/caches/0/properties", "level one\n");
  EXPECT_TRUE(amdgpu_caches(tree.root(), "0000:03:00.0").empty());
}

}  // namespace
}  // namespace sonde::counters
