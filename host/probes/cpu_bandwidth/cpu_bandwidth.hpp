#pragma once

#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// What cpu-bandwidth measures and finds. The plan is a function of the machine's topology alone.
namespace sonde::probes {
namespace cpu_bandwidth_probe {

Workload prepare_stream(device::Device& device, const Point& point, const Request& request);
Workload prepare_between_nodes(device::Device& device, const Point& point, const Request& request);

inline constexpr Table by_working_set{
    .title = "Bandwidth of the CPU itself, what the program reads and writes, by working set",
    .rows = "bytes",
    .columns = "pattern, cpu_threads"};
inline constexpr Table in_the_largest{
    .title = "Bandwidth of the CPU itself in the largest working set, what the program reads and writes",
    .rows = "pattern",
    .columns = "stores, cpu_threads"};
inline constexpr Table by_spread_threads{
    .title = "Bandwidth of the CPU itself in the largest working set, threads in turn over all nodes and clusters",
    .rows = "cpu_threads",
    .columns = "pattern"};
inline constexpr Table from_node_to_node{
    .title = "All cores of a node reading, from node to node", .rows = "from", .columns = "to"};

constexpr Curve over_working_sets(std::string_view name, std::string_view title, Pattern pattern,
                                  std::optional<Stores> stores = {}) {
  return {.name = name,
          .words = {.bytes_counted = BytesCounted::program,
                    .pattern = pattern,
                    .pinning = Pinning::compact,
                    .stores = stores},
          .title = title,
          .unit = units::gbps,
          .table = &by_working_set,
          .prepare = prepare_stream};
}
inline constexpr Curve read = over_working_sets("read", "Bandwidth of reading", Pattern::read);
inline constexpr Curve write = over_working_sets("write", "Bandwidth of writing", Pattern::write, Stores::ordinary);
inline constexpr Curve triad =
    over_working_sets("triad", "Bandwidth of STREAM's triad", Pattern::triad, Stores::ordinary);

/// Streams that are measured in memory alone.
constexpr Curve over_threads(std::string_view name, std::string_view title, Pinning pinning, const Table& table) {
  return {.name = name,
          .words = {.bytes_counted = BytesCounted::program, .pinning = pinning},
          .varies = "pattern, stores",
          .title = title,
          .unit = units::gbps,
          .axis = axes::cpu_threads,
          .table = &table,
          .prepare = prepare_stream};
}
inline constexpr Curve in_memory =
    over_threads("in-memory", "Bandwidth of a stream in memory", Pinning::compact, in_the_largest);
inline constexpr Curve spread_threads =
    over_threads("spread-threads", "Bandwidth of a stream in memory, threads in turn over all nodes and clusters",
                 Pinning::spread, by_spread_threads);

/// Seen in memory at the points of ordinary stores: the same time by what moves if each line that is written is read
/// first. It is arithmetic, not counted.
inline constexpr Curve on_the_bus{
    .name = "on-the-bus",
    .words = {.bytes_counted = BytesCounted::bus},
    .varies = "pattern, pinning, stores",
    .title = "Bandwidth of a stream, with the lines that are read before they are written",
    .unit = units::gbps};

constexpr Curve between_nodes(std::string_view name, std::string_view title, Placement placement) {
  return {.name = name,
          .words = {.bytes_counted = BytesCounted::program,
                    .pattern = Pattern::read,
                    .pinning = Pinning::compact,
                    .placement = placement},
          .title = title,
          .unit = units::gbps,
          .axis = axes::from,
          .table = &from_node_to_node,
          .prepare = prepare_between_nodes};
}
inline constexpr Curve same_node =
    between_nodes("same-node", "All cores of a node reading its own memory", Placement::same_node);
inline constexpr Curve other_node =
    between_nodes("other-node", "All cores of a node reading another node's memory", Placement::other_node);

inline constexpr std::array curves{&read,           &write,      &triad,     &in_memory,
                                   &spread_threads, &on_the_bus, &same_node, &other_node};

inline constexpr FindingKind saturated_by{
    .name = "saturated-by",
    .heading = "What saturates the memory",
    .meaning =
        "The fewest threads that get 90 % of what memory gives to any number of them; `threads_for_99_percent` in "
        "details is the same for 99 %.",
    .unit = units::ratio,
    .named_by = "pattern, pinning, stores"};
inline constexpr FindingKind non_temporal_gain{
    .name = "non-temporal-gain",
    .heading = "What non-temporal stores gain",
    .meaning = "The ratio of the bandwidth in memory by non-temporal stores to that by ordinary ones.",
    .unit = units::ratio_of_gain,
    .named_by = "pattern",
    .feature = "gain of non-temporal stores"};
inline constexpr FindingKind node_bandwidth{
    .name = "node-bandwidth",
    .heading = "Bandwidth from node to node",
    .meaning = "What all cores of a node read together from the memory of a node, the median over pairs of nodes.",
    .unit = units::gbps,
    .named_by = "placement",
    .feature = "bandwidth from node to node"};
inline constexpr FindingKind nodes_crossing{
    .name = "nodes-crossing",
    .heading = "All nodes reading from the next one",
    .meaning =
        "The ratio of what all nodes' cores read from the next node's memory, all at once, to what they read from "
        "their own.",
    .unit = units::ratio_of_gain,
    .feature = "all nodes crossing"};

inline constexpr std::array finding_kinds{&saturated_by, &non_temporal_gain, &node_bandwidth, &nodes_crossing};

}  // namespace cpu_bandwidth_probe

/// The arrays and bytes of a pattern's stream.
struct StreamFacts {
  Pattern pattern;
  cpu::Stream stream;
  int arrays;               ///< as many as are in the working set
  double bytes_an_element;  ///< that the program reads and writes
  double bus_bytes;         ///< the same, with what is read because a written line is fetched first
  [[nodiscard]] double ideal_gain() const { return bus_bytes / bytes_an_element; }
};
const StreamFacts& facts_of(Pattern pattern);

/// Cores in the order in which threads are put on them, the fastest kind first: one cluster, then the next, or in turn
/// over all nodes and over their clusters.
std::vector<const cpu::Core*> order_of(const cpu::Topology& machine, Pinning pinning);

/// Whether no more than a quarter of a point's working set fits the caches of those who stream it.
bool is_beyond_caches(const cpu::Topology& machine, const Point& point);

/// The streams over the working set, and in memory over threads, in the order in which they tell most.
std::vector<Point> cpu_bandwidth_points(const cpu::Topology& machine, const Request& request);

/// The bandwidth matrix of nodes: all cores of each node read memory of each. Then all nodes at once: `hops` 0 has
/// every node's cores read its own memory, `hops` 1 that of the next node. One point, which says why, where there is
/// one node; none where --sizes leaves out what stands for memory.
std::vector<Point> node_bandwidth_points(const cpu::Topology& machine, const Request& request);

/// Who reads at one of these points, and for each the node whose memory it reads. Throws device::Unsupported where
/// there is one node.
struct NodeReaders {
  std::vector<const cpu::Core*> cores;
  std::vector<int> memory_nodes;
};
NodeReaders node_readers(const cpu::Topology& machine, const Point& point);

/// How many threads saturate memory, for each stream and pinning.
std::vector<Finding> saturation_findings(std::span<const Measurement> measurements);
/// The gain of stores past the caches, for each stream that all threads made by both kinds of stores.
std::vector<Finding> non_temporal_findings(std::span<const Measurement> measurements);
/// The bandwidth of nodes from their own memory and from others', each alone and all at once.
std::vector<Finding> node_bandwidth_findings(std::span<const Measurement> measurements);

}  // namespace sonde::probes
