#include "cpu/node_memory.hpp"

#include "cpu/hwloc_handle.hpp"

// Source: hwloc 2, hwloc.h, and its topology-linux.c: without HWLOC_MEMBIND_STRICT the policy of an area that is bound
// to one node is the kernel's MPOL_PREFERRED, with it MPOL_BIND; the location is asked by move_pages(2).
namespace sonde::cpu {
namespace {

hwloc_topology_t machine_of_binding() {
  static const Handle once = loaded_machine();
  return once.get();
}

}  // namespace

bool prefer_node(void* begin, std::uint64_t bytes, int node) {
  const Bitmap wanted = new_bitmap();
  hwloc_bitmap_only(wanted.get(), static_cast<unsigned>(node));
  return hwloc_set_area_membind(machine_of_binding(), begin, bytes, wanted.get(), HWLOC_MEMBIND_BIND,
                                HWLOC_MEMBIND_BYNODESET) == 0;
}

std::set<int> nodes_of(const void* begin, std::uint64_t bytes) {
  std::set<int> nodes;
  const Bitmap found = new_bitmap();
  if (hwloc_get_area_memlocation(machine_of_binding(), begin, bytes, found.get(), HWLOC_MEMBIND_BYNODESET) != 0)
    return nodes;
  for (int node = hwloc_bitmap_first(found.get()); node >= 0; node = hwloc_bitmap_next(found.get(), node))
    nodes.insert(node);
  return nodes;
}

}  // namespace sonde::cpu
