#pragma once

#include <map>
#include <string>
#include <vector>

#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// What is streamed, by whom and over how much: functions of the machine's topology alone.
namespace sonde::probes {

/// The words of a stream in a series, and what they say of its bytes.
struct StreamFacts {
  const char* word;
  int arrays;               ///< as many as are in the working set
  double bytes_an_element;  ///< that the program reads and writes
  double bus_bytes;         ///< of these, with what is read because a written line is fetched first
  [[nodiscard]] double ideal_gain() const { return bus_bytes / bytes_an_element; }
};
const StreamFacts& facts_of(cpu::Stream stream);

enum class Pinning {
  compact,  ///< one cluster, then the next
  spread    ///< in turn over all nodes, and over their clusters
};

/// Cores in the order in which threads are put on them, the fastest kind first.
std::vector<const cpu::Core*> order_of(const cpu::Topology& machine, Pinning pinning);

/// One point's choice.
struct StreamChoice {
  cpu::Stream stream = cpu::Stream::read;
  cpu::Stores stores = cpu::Stores::ordinary;
  Pinning pinning = Pinning::compact;
  int threads = 1;
  double bytes = 0;
};
StreamChoice choice_of(const Point& point);
std::map<std::string, std::string> series_of(const StreamChoice& choice);

/// The furthest caches of the clusters that the first threads are in, together; 0 where the system states none.
double furthest_caches_bytes(const cpu::Topology& machine, Pinning pinning, int threads);

/// Whether no more than a quarter of a working set fits the caches of those who stream it.
bool is_beyond_caches(const cpu::Topology& machine, const StreamChoice& choice);

/// Everything that is asked of a machine.
std::vector<Point> cpu_bandwidth_points(const cpu::Topology& machine, const Request& request);

}  // namespace sonde::probes
