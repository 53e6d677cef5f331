#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/instructions.hpp"
#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// Locked operations on one line and across two, and what they take from another core. They are made only where the user
// allows it.
namespace sonde::probes {

/// A warning that the user has to read before anything is measured: it says what split locks do to the machine, and
/// what the kernel does to the figures.
std::string split_lock_notice(const cpu::SplitLockRule& rule);

/// Why none are made on this processor, or under this kernel; empty where they can be.
std::optional<std::string> why_no_split_locks(const cpu::SplitLockRule& rule);

/// The cores of these points: up to two that lock, and the one that is slowed meanwhile.
struct SplitLockCores {
  std::vector<const cpu::Core*> locking;
  const cpu::Core* slowed = nullptr;  ///< null where this process may use one core only
};
SplitLockCores split_lock_cores(const cpu::Topology& machine);

std::vector<Point> split_lock_points(const cpu::Topology& machine, const Request& request);

}  // namespace sonde::probes
