#pragma once

#include <hwloc.h>

#include <memory>

#include "device/error.hpp"

// What the files of this folder that ask hwloc share.
namespace sonde::cpu {

using Handle = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

inline Bitmap new_bitmap() { return {hwloc_bitmap_alloc(), hwloc_bitmap_free}; }

/// A topology that `prepare` has said the source of. Throws device::Unsupported where hwloc cannot read it.
template <typename Prepare>
Handle loaded(Prepare prepare) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw device::Unsupported("hwloc cannot describe this machine");
  Handle topology(raw, hwloc_topology_destroy);
  if (!prepare(raw) || hwloc_topology_load(raw) != 0) throw device::Unsupported("hwloc cannot describe this machine");
  return topology;
}

/// This machine, for those who bind as well as look.
inline Handle loaded_machine() {
  return loaded(
      [](hwloc_topology_t raw) { return hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM) == 0; });
}

}  // namespace sonde::cpu
