#pragma once

#include <vector>

#include "probes/core_to_core/plan.hpp"

// Where cores are many, pairs that share no core exchange lines at once.
namespace sonde::probes {

/// From more cores on. With so many, one pair after the other would take minutes.
inline constexpr std::size_t most_cores_in_turn = 32;

/// As many pairs at once as hardly meet in a fabric that is made for all cores: eight, no more than leave each a
/// quarter of the cores, and within what a control group leaves of CPU time.
std::size_t pairs_at_once(const cpu::Topology& machine, std::size_t cores);

/// Every ordered pair of cores, and the hardware threads of each core, once; in each group no core twice, and pairs
/// from all over the machine.
std::vector<std::vector<CpuPair>> rounds_of(const std::vector<const cpu::Core*>& cores, std::size_t at_once);

}  // namespace sonde::probes
