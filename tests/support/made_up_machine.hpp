#pragma once

#include <gtest/gtest.h>
#include <hwloc.h>

#include <string>
#include <vector>

namespace sonde::test {

/// hwloc's XML of a machine that it makes up; kinds as numbers of threads from the slowest on. Of the CPUs that `mask`
/// leaves, where it leaves some.
inline std::string machine_xml(const char* synthetic, const std::vector<std::vector<int>>& kinds = {},
                               bool ranked = true, const std::vector<int>& mask = {}) {
  hwloc_topology_t topology = nullptr;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, synthetic), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    for (const int cpu : kinds[kind]) hwloc_bitmap_set(cpus, static_cast<unsigned>(cpu));
    EXPECT_EQ(hwloc_cpukinds_register(topology, cpus, ranked ? static_cast<int>(kind) : -1, 0, nullptr, 0), 0);
    hwloc_bitmap_free(cpus);
  }
  if (!mask.empty()) {
    hwloc_bitmap_t left = hwloc_bitmap_alloc();
    for (const int cpu : mask) hwloc_bitmap_set(left, static_cast<unsigned>(cpu));
    EXPECT_EQ(hwloc_topology_restrict(topology, left, 0), 0);
    hwloc_bitmap_free(left);
  }
  char* buffer = nullptr;
  int length = 0;
  EXPECT_EQ(hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0), 0);
  std::string xml(buffer);
  hwloc_free_xmlbuffer(topology, buffer);
  hwloc_topology_destroy(topology);
  return xml;
}

}  // namespace sonde::test
