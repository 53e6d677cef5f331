#include "cpu/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>

#include "device/device.hpp"
#include "os/machine.hpp"
#include "os/this_process.hpp"
#include "os/threads.hpp"

// Source: hwloc 2, hwloc.h and hwloc/cpukinds.h, which ranks kinds from the least to the most performant; its
// topology-linux.c: without HWLOC_MEMBIND_STRICT the policy of an area that is bound to one node is the kernel's
// MPOL_PREFERRED, with it MPOL_BIND; move_pages(2) tells where pages are.
namespace sonde::cpu {
namespace {

using TopologyHandle = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

Bitmap new_bitmap() { return {hwloc_bitmap_alloc(), hwloc_bitmap_free}; }

/// A topology from the source that `prepare` sets. Throws device::Unsupported where hwloc cannot read it.
template <typename Prepare>
TopologyHandle loaded(Prepare prepare) {
  // What it cannot read is told in words of this program.
  os::set_environment_unless_set("HWLOC_HIDE_ERRORS", "2");
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw device::Unsupported("hwloc cannot describe this machine");
  TopologyHandle topology(raw, hwloc_topology_destroy);
  if (!prepare(raw) || hwloc_topology_load(raw) != 0) throw device::Unsupported("hwloc cannot describe this machine");
  return topology;
}

/// This machine, so that threads and memory can be bound too.
TopologyHandle loaded_machine() {
  return loaded(
      [](hwloc_topology_t raw) { return hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM) == 0; });
}

/// Kinds that the system does not rank count as one, as it would be a guess which is the fast one.
int ranked_kinds(hwloc_topology_t topology) {
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  for (int kind = 0; kind < count; ++kind) {
    int efficiency = -1;
    hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, nullptr, nullptr, 0);
    if (efficiency < 0) return 1;
  }
  return std::max(count, 1);
}

Topology read(hwloc_topology_t topology) {
  Topology read;
  const int kinds = ranked_kinds(topology);
  constexpr const char* names[] = {"performance", "efficiency", "low-power"};
  for (int rank = 0; rank < kinds; ++rank) read.kinds.emplace_back(names[std::min(rank, 2)]);
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  hwloc_obj_t last_core = nullptr;
  for (int index = 0; index < count; ++index) {
    hwloc_obj_t const thread = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, static_cast<unsigned>(index));
    hwloc_obj_t const core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, thread);
    if (core != nullptr && core == last_core) {
      read.cores.back().siblings.push_back(static_cast<int>(thread->os_index));
      continue;
    }
    last_core = core;
    Core one{.cpu = static_cast<int>(thread->os_index)};
    hwloc_obj_t furthest_cache = nullptr;
    for (hwloc_obj_t object = thread; object != nullptr; object = object->parent) {
      if (hwloc_obj_type_is_dcache(object->type) == 0) continue;
      furthest_cache = object;
      std::uint64_t& bytes = read.caches[static_cast<int>(object->attr->cache.depth)];
      bytes = std::max<std::uint64_t>(bytes, object->attr->cache.size);
    }
    if (furthest_cache != nullptr) {
      one.cluster = static_cast<int>(furthest_cache->gp_index);
      read.furthest_cache_bytes = std::max<std::uint64_t>(read.furthest_cache_bytes, furthest_cache->attr->cache.size);
    }
    if (thread->nodeset != nullptr) one.node = std::max(0, hwloc_bitmap_first(thread->nodeset));
    if (kinds > 1) {
      const int kind = hwloc_cpukinds_get_by_cpuset(topology, thread->cpuset, 0);
      one.kind = kind < 0 ? 0 : kinds - 1 - kind;
    }
    read.cores.push_back(one);
  }
  if (read.cores.empty()) throw device::Unsupported("the system tells of no CPU that this process may use");
  // Nodes without memory are left out; where the system states no sizes, all count.
  const bool sizes_stated = hwloc_get_root_obj(topology)->total_memory > 0;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (!sizes_stated || node->attr->numanode.local_memory > 0) read.nodes.push_back(static_cast<int>(node->os_index));
  }
  std::ranges::sort(read.nodes);
  // Clusters are numbered from 0 in the order of their cores.
  std::map<int, int> numbers;
  for (Core& core : read.cores)
    core.cluster = numbers.try_emplace(core.cluster, static_cast<int>(numbers.size())).first->second;
  // Kinds without an allowed core are dropped.
  for (int kind = static_cast<int>(read.kinds.size()) - 1; kind >= 0; --kind) {
    if (std::ranges::any_of(read.cores, [kind](const Core& core) { return core.kind == kind; })) continue;
    read.kinds.erase(read.kinds.begin() + kind);
    for (Core& core : read.cores) core.kind -= core.kind > kind ? 1 : 0;
  }
  return read;
}

hwloc_topology_t machine_of_binding() {
  static const TopologyHandle once = loaded_machine();
  return once.get();
}

}  // namespace

Topology detect_topology() {
  const TopologyHandle topology = loaded_machine();
  // hwloc's own restriction looks at all threads of the process and does nothing where a driver's threads have another
  // mask; on Windows it knows one group of 64 CPUs only.
  const Bitmap mask = new_bitmap();
  for (const int cpu : os::allowed_cpus()) hwloc_bitmap_set(mask.get(), static_cast<unsigned>(cpu));
  if (hwloc_bitmap_iszero(mask.get()) == 0) hwloc_topology_restrict(topology.get(), mask.get(), 0);
  Topology here = read(topology.get());
  here.quota = os::cpu_quota();
  return here;
}

const Topology& machine() {
  static const Topology once = detect_topology();
  return once;
}

Topology read(std::string_view xml) {
  const std::string text(xml);  // hwloc wants it to end with a zero
  const TopologyHandle topology = loaded([&text](hwloc_topology_t raw) {
    return hwloc_topology_set_xmlbuffer(raw, text.c_str(), static_cast<int>(text.size() + 1)) == 0;
  });
  return read(topology.get());
}

std::string why_not_at_once(const Topology& topology, bool by_siblings) {
  const bool has_siblings =
      by_siblings && std::ranges::any_of(topology.cores, [](const Core& core) { return !core.siblings.empty(); });
  if (topology.cores.size() < 2 && !has_siblings) {
    return fmt::format(
        "this process may use one {} only, so nothing can run beside its work: give the machine or "
        "container two or more",
        by_siblings ? "CPU" : "core");
  }
  if (topology.quota && *topology.quota < 2) {
    return fmt::format(
        "the control group of this process allows it {:.3g} CPUs' worth of time, so that two threads run "
        "in turn and not at once: allow it two or more",
        *topology.quota);
  }
  return "";
}

std::uint64_t furthest_caches_bytes(const Topology& topology) {
  std::set<int> clusters;
  for (const Core& core : topology.cores) clusters.insert(core.cluster);
  return clusters.size() * topology.furthest_cache_bytes;
}

std::vector<const Core*> cores_of_node(const Topology& topology, int node) {
  std::vector<const Core*> cores;
  for (const Core& core : topology.cores) {
    if (core.node == node) cores.push_back(&core);
  }
  return cores;
}

const Core& quiet_core(const Topology& topology, int kind) {
  const auto last = std::find_if(topology.cores.rbegin(), topology.cores.rend(),
                                 [kind](const Core& core) { return core.kind == kind; });
  return last == topology.cores.rend() ? topology.cores.back() : *last;
}

std::vector<Core> other_cores(const Topology& topology, const Core& taken) {
  std::vector<Core> others;
  for (const bool same_cluster : {true, false}) {
    for (const Core& core : topology.cores) {
      if (core.cpu != taken.cpu && (core.cluster == taken.cluster) == same_cluster) others.push_back(core);
    }
  }
  return others;
}

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
