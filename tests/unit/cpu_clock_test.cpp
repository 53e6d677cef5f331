#include "counters/state/sources.hpp"

#include <gtest/gtest.h>

#include "support/fake_tree.hpp"

namespace sonde::counters {
namespace {

constexpr const char* cpuinfo =
    "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\ncpu MHz\t\t: 1800.500\n\n"
    "processor\t: 1\nmodel name\t: Some CPU @ 2.00GHz\ncpu MHz\t\t: 4100.250\n";

std::optional<double> clock_of(const test::FakeTree& tree, std::optional<int> cpu) {
  DeviceState reading;
  cpu_clock_source(tree.root(), [cpu] { return cpu; })(reading);
  return reading.cpu_clock_mhz;
}

TEST(CpuClock, IsThatOfTheCpuThatWorks) {
  const test::FakeTree tree;
  tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "5000000\n");
  tree.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2750000\n");
  tree.write("proc/cpuinfo", cpuinfo);
  EXPECT_EQ(clock_of(tree, 0), 5000);
  EXPECT_EQ(clock_of(tree, 1), 2750);
}

TEST(CpuClock, IsTheFastestWhereThatCpuIsNotThere) {
  const test::FakeTree tree;
  tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "5000000\n");
  tree.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "<unknown>\n");
  tree.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(clock_of(tree, 1), 5000);
  EXPECT_EQ(clock_of(tree, 77), 5000);
  EXPECT_EQ(clock_of(tree, std::nullopt), 5000);
}

TEST(CpuClock, ComesFromCpuinfoWithoutCpufreq) {
  const test::FakeTree tree;
  tree.write("proc/cpuinfo", cpuinfo);
  EXPECT_EQ(clock_of(tree, 0), 1800.5);
  EXPECT_EQ(clock_of(tree, 1), 4100.25);
  EXPECT_EQ(clock_of(tree, 5), 4100.25);
}

TEST(CpuClock, ComesFromTheDeviceTreeWhereCpuinfoHasNone) {
  using namespace std::string_literals;
  const test::FakeTree tree;
  tree.write("proc/cpuinfo", "processor : 0\nBogoMIPS : 50.00\n\nprocessor : 1\nBogoMIPS : 50.00\n");
  tree.write("sys/devices/system/cpu/cpu0/of_node/clock-frequency", "\x6b\x49\xd2\0"s);
  tree.write("sys/devices/system/cpu/cpu1/of_node/clock-frequency", "\0\0\0\0\x77\x35\x94\0"s);
  EXPECT_EQ(clock_of(tree, 0), 1800);
  EXPECT_EQ(clock_of(tree, 1), 2000);
  EXPECT_FALSE(clock_of(tree, 2));
}

TEST(CpuClock, IsNotKnownWhereNobodySays) {
  const test::FakeTree tree;
  EXPECT_FALSE(clock_of(tree, 0));
  tree.write("proc/cpuinfo", "processor : 0\ncpu MHz : quick\ncpu MHz\n: 5\nBogoMIPS : 50\n");
  EXPECT_FALSE(clock_of(tree, 0));
}

TEST(CpuClock, TheLastCpuIsBehindTheNameWhateverThatIs) {
  // The CPU is the 39th field of proc(5) and the name the 2nd.
  std::string stat = "17 (a ) b) R";
  for (int field = 4; field <= 52; ++field) stat += " " + std::to_string(1000 + field);
  EXPECT_EQ(last_cpu_in(stat + "\n"), 1039);
  EXPECT_FALSE(last_cpu_in(stat.substr(0, stat.find(" 1039"))));
  EXPECT_FALSE(last_cpu_in("17 no name"));
  EXPECT_FALSE(last_cpu_in(""));
}

TEST(CpuClock, ThisThreadsCpuIsFound) {
  const test::FakeTree tree;
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    tree.write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq",
               std::to_string(1000000 + 1000 * cpu) + "\n");
  }
  const auto reader = reader_of(tree.root(), "");
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(reader().cpu_clock_mhz, 1000 + static_cast<double>(cpu));
  }
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace sonde::counters
