#include "os/control_groups.hpp"

#include <gtest/gtest.h>

#include "support/fake_tree.hpp"

namespace sonde::os {
namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

std::string mebibytes(std::uint64_t count) { return std::to_string(count * mebibyte) + "\n"; }

TEST(ControlGroups, WithoutALimitNothingIsSaid) {
  const test::FakeTree tree;
  EXPECT_EQ(memory_left_in_groups(tree.root()), std::nullopt);
  EXPECT_EQ(cpu_quota_of_groups(tree.root()), std::nullopt);
  tree.write("proc/self/cgroup", "no group\n0::/\n");
  tree.write("sys/fs/cgroup/memory.max", "max\n");
  tree.write("sys/fs/cgroup/memory.current", mebibytes(7));
  tree.write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(memory_left_in_groups(tree.root()), std::nullopt);
  EXPECT_EQ(cpu_quota_of_groups(tree.root()), std::nullopt);
}

TEST(ControlGroups, ALimitOfAGroupAboveCountsToo) {
  const test::FakeTree tree;
  tree.write("proc/self/cgroup", "0::/user.slice/job\n");
  for (const auto& [folder, limit] : {std::pair("user.slice/job", 900), std::pair("user.slice", 400)}) {
    const std::filesystem::path group = std::filesystem::path("sys/fs/cgroup") / folder;
    tree.write(group / "memory.max", mebibytes(static_cast<std::uint64_t>(limit)));
    tree.write(group / "memory.current", mebibytes(100));
    tree.write(group / "cpu.max", std::to_string(100 * limit) + " 100000\n");
  }
  EXPECT_EQ(memory_left_in_groups(tree.root()), 300 * mebibyte);
  EXPECT_DOUBLE_EQ(cpu_quota_of_groups(tree.root()).value(), 0.4);
}

TEST(ControlGroups, OfTheFirstVersionEachControllerIsByItself) {
  const test::FakeTree tree;
  tree.write("proc/self/cgroup", "9:memory:/above/own\n4:cpu,cpuacct:/quota\n1:name=systemd:/elsewhere\n0::/\n");
  tree.write("sys/fs/cgroup/memory/above/memory.limit_in_bytes", mebibytes(500));
  tree.write("sys/fs/cgroup/memory/above/memory.usage_in_bytes", mebibytes(450));
  tree.write("sys/fs/cgroup/memory/above/memory.stat",
             "inactive_file 1\ntotal_inactive_file " + mebibytes(200) + "total_active_file " + mebibytes(100));
  tree.write("sys/fs/cgroup/memory/above/own/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write("sys/fs/cgroup/memory/above/own/memory.usage_in_bytes", mebibytes(450));
  tree.write("sys/fs/cgroup/cpu/quota/cpu.cfs_quota_us", "150000\n");
  tree.write("sys/fs/cgroup/cpu/quota/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(memory_left_in_groups(tree.root()), 350 * mebibyte) << "page cache is given back";
  EXPECT_DOUBLE_EQ(cpu_quota_of_groups(tree.root()).value(), 1.5);
}

TEST(ControlGroups, AGroupThatIsOverItsLimitLeavesNothing) {
  const test::FakeTree tree;
  tree.write("proc/self/cgroup", "0::/own\n");
  tree.write("sys/fs/cgroup/own/memory.max", mebibytes(10));
  tree.write("sys/fs/cgroup/own/memory.current", mebibytes(12));
  EXPECT_EQ(memory_left_in_groups(tree.root()), 0);
}

}  // namespace
}  // namespace sonde::os
