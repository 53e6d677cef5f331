#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// Which CPUs exchange what: a function of the machine's topology alone.
namespace sonde::probes {

/// Two hardware threads, each by the core that it belongs to: the first ones of two cores, or the first two of one.
struct CpuPair {
  const cpu::Core* from = nullptr;
  const cpu::Core* to = nullptr;

  [[nodiscard]] int from_cpu() const { return from->cpu; }
  [[nodiscard]] int to_cpu() const { return from == to ? to->siblings.front() : to->cpu; }
  /// The parts of the machine that lie between the two.
  [[nodiscard]] Placement placement() const;

  friend bool operator==(const CpuPair&, const CpuPair&) = default;
};

/// The cores that are measured, in the system's order: all, or as many as the effort has time for, spread over them.
std::vector<const cpu::Core*> measured_cores(const cpu::Topology& machine, Effort effort);
std::string why_left_out(const cpu::Topology& machine, Effort effort);

/// Pairs that stand for all with their placement, both ways: all pairs of few cores, of many cores a pair for each two
/// clusters.
std::vector<CpuPair> representative_pairs(const std::vector<const cpu::Core*>& cores);

/// How much of everything a pair does.
struct ExchangeSize {
  int lines = 32;  ///< each on a page of its own
  int samples = 5;
  int round_trips = 100;  ///< in one sample
};
ExchangeSize exchange_size(const cpu::Topology& machine, Effort effort);

/// Pairs of more cores exchange lines at once, those that share no core: one after the other would take minutes.
inline constexpr std::size_t most_cores_in_turn = 32;

/// Every ordered pair of cores, and the two hardware threads of each core, once, in groups that exchange lines at the
/// same time: in each group no core twice, and pairs from all over the machine.
class Tournament {
 public:
  Tournament(const cpu::Topology& machine, std::vector<const cpu::Core*> cores);

  /// The number of pairs that hardly meet in a fabric that is made for all cores: eight, no more than leave each a
  /// quarter of the cores, and within what a control group leaves of CPU time.
  [[nodiscard]] std::size_t pairs_at_once() const { return at_once_; }

  [[nodiscard]] std::vector<std::vector<CpuPair>> groups() const;
  /// The group that begins with this pair.
  [[nodiscard]] std::vector<CpuPair> group_of(const CpuPair& first) const;

 private:
  [[nodiscard]] std::vector<CpuPair> siblings() const;
  [[nodiscard]] std::vector<CpuPair> pairs_of_turn(std::size_t turn, bool way_back) const;
  [[nodiscard]] std::size_t groups_in(const std::vector<CpuPair>& pairs) const;

  std::vector<const cpu::Core*> seats_;  ///< an even number: of an odd number of cores one seat is empty
  std::size_t at_once_;
};

/// So many chunks go through the queue, each of a line with its number and of data.
inline constexpr int queue_chunks = 8192;

/// Everything that is asked of a machine with so much memory.
std::vector<Point> core_to_core_points(const cpu::Topology& machine, const Request& request,
                                       std::uint64_t memory_bytes = 16ull << 30);

/// The pair of a point of these; empty where one of its cores is left out, which `why_left_out` explains.
std::optional<CpuPair> pair_of(const Point& point, const cpu::Topology& machine, Effort effort);

/// A finding for each curve and placement: the median over its pairs; of pairs that went at once also compared with
/// what they took alone.
std::vector<Finding> findings_of_pairs(std::span<const Measurement> measurements);

}  // namespace sonde::probes
