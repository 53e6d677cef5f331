// The caches of AMD's GPUs as the kernel lists them, in a tree like that of a desktop with a CPU and two cards.

#include "counters/state/sources.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/fake_tree.hpp"

namespace sonde::counters {
namespace {

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
