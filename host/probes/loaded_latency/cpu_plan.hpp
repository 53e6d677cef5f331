#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "probes/loaded_latency/cpu_sets.hpp"
#include "probes/probe.hpp"

// What the CPU is asked: who walks, who loads, over how much. Functions of the machine's topology and of what was
// measured so far.
namespace sonde::probes {

/// What the load does.
struct LoadKind {
  cpu::Stream stream = cpu::Stream::read;
  cpu::Stores stores = cpu::Stores::ordinary;
};

/// One point's choice.
struct CpuLoadChoice {
  Placement placement = Placement::same_cluster;
  LoadKind kind = {};
  double bytes = 0;  ///< that the walk goes through
  int threads = 0;   ///< that load; 0: the walk is alone
  double delay = 0;  ///< trips of an empty loop for each KiB
};
CpuLoadChoice load_choice_of(const Point& point);
std::map<std::string, std::string> series_of(const CpuLoadChoice& choice);

/// The points that are still wanted.
std::vector<Point> cpu_load_points(const cpu::Topology& machine, const Request& request,
                                   std::span<const Measurement> known);

/// What was measured beside a load.
struct CpuLoadPoint {
  CpuLoadChoice choice;
  double gbps = 0;  ///< that it moved
  const Measurement* latency = nullptr;
};
/// One curve: a kind of load at a place, over one working set.
struct CpuLoadCurve {
  std::map<std::string, std::string> series;
  double bytes = 0;
  const Measurement* alone = nullptr;     ///< the walk; null where that failed
  std::vector<CpuLoadPoint> all_threads;  ///< of the most threads that load, the shortest delay first
  std::vector<CpuLoadPoint> undelayed;    ///< of all numbers of threads, the fewest first
};
/// All that are known, in the order in which they were first measured.
std::vector<CpuLoadCurve> cpu_load_curves(std::span<const Measurement> known);

}  // namespace sonde::probes
