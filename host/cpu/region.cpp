#include "cpu/region.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/topology.hpp"
#include "device/device.hpp"
#include "os/machine.hpp"

namespace sonde::cpu {
namespace {

/// The size on x86 and on Arm with 4 KiB pages; where huge pages are larger, aligning to it does no harm and
/// `huge_bytes_of` finds out.
constexpr std::uint64_t huge_page_bytes = 2 << 20;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

Region::Region(std::uint64_t bytes, PageKind pages, std::optional<int> node) : bytes_(bytes) {
  const bool huge = pages == PageKind::huge;
  const std::uint64_t unit = huge ? huge_page_bytes : os::page_bytes();
  const std::uint64_t used = rounded_up(bytes, unit);
  if (used > os::available_memory_bytes() / 5 * 4) {
    throw device::Unsupported("a working set of " + std::to_string(bytes >> 20) +
                              " MiB would leave others too little memory");
  }
  try {
    pages_.emplace(used + (huge ? unit : 0), pages);
  } catch (const std::bad_alloc&) {
    throw device::Unsupported("the system refused memory for the working set");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(pages_->data());
  data_ = pages_->data() + (rounded_up(address, unit) - address);
  os::prefer(pages, data_, used);
  if (node && !prefer_node(data_, used, *node)) {
    throw device::Unsupported("the system does not let this process choose the node of its memory, node " +
                              std::to_string(*node) +
                              " here: a container has to allow mbind (CAP_SYS_NICE), and its cpuset the node");
  }
  std::memset(data_, 1, used);
  if (node && nodes_of(data_, used) != std::set{*node}) {
    throw device::Unsupported("the system does not say that all of " + std::to_string(bytes >> 20) +
                              " MiB stand on node " + std::to_string(*node) +
                              ": free memory of that node, or let the container use move_pages (CAP_SYS_NICE)");
  }
  if (!huge) return;
  if (os::huge_bytes_of(data_, used) < used / 100 * 95) throw device::Unsupported(os::why_no_huge_pages());
}

bool has_huge_pages() {
  static const bool has = [] {
    try {
      const Region tried(2 * huge_page_bytes, PageKind::huge);
      return true;
    } catch (const device::Unsupported&) {
      return false;
    }
  }();
  return has;
}

}  // namespace sonde::cpu
