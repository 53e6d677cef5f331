#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// Which CPUs exchange what: a function of the machine's topology alone.
namespace sonde::probes {

/// Two hardware threads, each by the core that it belongs to.
struct CpuPair {
  const cpu::Core* from = nullptr;
  const cpu::Core* to = nullptr;
  bool siblings = false;  ///< the first two hardware threads of one core, which `from` and `to` both are

  [[nodiscard]] int from_cpu() const { return from->cpu; }
  [[nodiscard]] int to_cpu() const { return siblings ? to->siblings.front() : to->cpu; }
};

/// What lies between two CPUs: "same-core", "same-cluster", "other-cluster", "other-node".
std::string placement_of(const CpuPair& pair);

/// The cores that are measured, in the system's order: all, or as many as the effort has time for, spread over them.
std::vector<const cpu::Core*> measured_cores(const cpu::Topology& machine, Effort effort);

/// Pairs that stand for all of their placement, both ways: of few cores all, of many a pair for each two clusters.
std::vector<CpuPair> representative_pairs(const std::vector<const cpu::Core*>& cores);

/// How much of everything a pair does.
struct ExchangeSize {
  int lines = 32;  ///< each on a page of its own
  int samples = 5;
  int round_trips = 100;  ///< in one sample
};
ExchangeSize exchange_size(const cpu::Topology& machine, Effort effort);

/// Chunks that go through the queue, and what of them is data: one line's header and so many bytes.
inline constexpr int queue_chunks = 8192;

/// Everything that is asked of a machine with so much memory.
std::vector<Point> core_to_core_points(const cpu::Topology& machine, const Request& request,
                                       std::uint64_t memory_bytes = 16ull << 30);

/// The pair of a point of these; empty where one of its cores is left out, which `why_left_out` explains.
std::optional<CpuPair> pair_of(const Point& point, const cpu::Topology& machine, Effort effort);

/// All pairs that go at once at a point whose `fabric` is loaded, its own first.
std::vector<CpuPair> pairs_of(const Point& point, const cpu::Topology& machine, Effort effort);
std::string why_left_out(const cpu::Topology& machine, Effort effort);

}  // namespace sonde::probes
