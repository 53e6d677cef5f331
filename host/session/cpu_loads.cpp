#include <algorithm>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>

#include "cpu/movers.hpp"
#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "device/error.hpp"
#include "session/self_check.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

using counters::Load;
using counters::LoadKind;

/// So much more than all of the last caches together, and than a memory-side cache of the largest kind.
constexpr std::uint64_t least_load_bytes = std::uint64_t{512} << 20;
constexpr std::uint64_t times_the_caches = 8;
/// Where the system states no cache.
constexpr std::uint64_t first_cache_bytes = std::uint64_t{32} << 10;

class Moving final : public RunningLoad {
 public:
  Moving(std::span<std::byte> memory, cpu::MoveKind access, const std::vector<int>& cpus)
      : movers_(memory, access, cpus) {}
  [[nodiscard]] double moved_bytes() const override { return static_cast<double>(movers_.bytes_moved()); }

 private:
  cpu::Movers movers_;
};

class Idle final : public RunningLoad {
 public:
  [[nodiscard]] double moved_bytes() const override { return 0; }
};

/// Half of a core's own cache: the second level, or the first where it has no other.
std::uint64_t bytes_in_cache(const cpu::Topology& topology) {
  const auto second = topology.caches.find(2);
  const auto first = topology.caches.find(1);
  std::uint64_t bytes = first_cache_bytes;
  if (first != topology.caches.end() && first->second > 0) bytes = first->second;
  if (second != topology.caches.end() && second->second > 0) bytes = second->second;
  return bytes / 2;
}

cpu::MoveKind access_of(LoadKind kind) {
  switch (kind) {
    case LoadKind::write: return cpu::MoveKind::write;
    case LoadKind::non_temporal_write: return cpu::MoveKind::non_temporal_write;
    default: return cpu::MoveKind::read;
  }
}

/// One core, then all of them.
std::vector<Load> loads_for(unsigned cores) {
  std::vector<Load> loads{{.kind = LoadKind::idle}, {.kind = LoadKind::read_in_cache, .cpu_threads = 1}};
  for (const LoadKind kind : {LoadKind::read, LoadKind::write, LoadKind::non_temporal_write}) {
    if (!cpu::has(access_of(kind))) continue;
    loads.push_back({.kind = kind, .cpu_threads = 1});
    if (cores > 1) loads.push_back({.kind = kind, .cpu_threads = cores});
  }
  return loads;
}

}  // namespace

LoadMaker loads_of_this_cpu() try {
  const cpu::Topology& topology = cpu::machine();
  std::vector<int> cpus;
  for (const cpu::Core& core : topology.cores) cpus.push_back(core.cpu);
  const int quiet = cpu::quiet_core(topology, 0).cpu;
  const std::uint64_t bytes = std::max(least_load_bytes, times_the_caches * cpu::furthest_caches_bytes(topology));
  const auto region = std::make_shared<const cpu::Region>(bytes, cpu::PageKind::small);
  const std::uint64_t in_cache = bytes_in_cache(topology);
  const auto start = [cpus, quiet, region, in_cache](const Load& load) -> std::unique_ptr<RunningLoad> {
    if (load.kind == LoadKind::idle) return std::make_unique<Idle>();
    const std::uint64_t used = load.kind == LoadKind::read_in_cache ? in_cache : region->size_bytes();
    return std::make_unique<Moving>(std::span(region->data(), used), access_of(load.kind),
                                    load.cpu_threads == 1 ? std::vector{quiet} : cpus);
  };
  return {.loads = loads_for(static_cast<unsigned>(cpus.size())),
          .start = start,
          .wait = [](std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); }};
} catch (const device::Unsupported& reason) {
  throw UsageError(std::string("a self-check needs memory that no cache holds: ") + reason.what());
}

}  // namespace sonde::session
