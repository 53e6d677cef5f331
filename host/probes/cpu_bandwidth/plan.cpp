#include "probes/cpu_bandwidth/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "device/error.hpp"
#include "probes/cpu_bandwidth/curves.hpp"
#include "workloads/cpu/node_pairs.hpp"

namespace sonde::probes {
namespace {

using workloads::NodePair;

constexpr double element = sizeof(double);
/// The streams stand in the order in which they are measured. A line that is written in part has to be read first; no
/// store knows that its line will be written whole.
constexpr std::array<StreamFacts, cpu::streams> streams{
    {{Pattern::read, cpu::Stream::read, 1, element, element},
     {Pattern::write, cpu::Stream::write, 1, element, 2 * element},
     {Pattern::copy, cpu::Stream::copy, 2, 2 * element, 3 * element},
     {Pattern::scale, cpu::Stream::scale, 2, 2 * element, 3 * element},
     {Pattern::add, cpu::Stream::add, 3, 3 * element, 4 * element},
     {Pattern::triad, cpu::Stream::triad, 3, 3 * element, 4 * element},
     {Pattern::read_modify_write, cpu::Stream::read_modify_write, 1, 2 * element, 2 * element},
     {Pattern::read_2_write_1, cpu::Stream::read_2_write_1, 2, 3 * element, 3 * element},
     {Pattern::read_3_write_1, cpu::Stream::read_3_write_1, 3, 4 * element, 4 * element}}};

constexpr double smallest_bytes = 4 << 10;
/// Each thread has at least so much, all arrays together.
constexpr double least_thread_bytes = 4 << 10;
/// A working set in memory is so many times all caches; STREAM asks for four times in each array.
constexpr double times_the_caches = 4;
constexpr double least_memory_bytes = 64 << 20;
constexpr double without_a_cache_bytes = 256 << 20;

/// Streams that read a line before they write it have it in a cache, and stores past it would have to take it out
/// there.
bool has_stores_past_caches(const StreamFacts& facts) { return facts.ideal_gain() > 1; }

/// A point's stream without its working set.
struct Streamed {
  Pattern pattern = Pattern::read;
  Stores stores = Stores::ordinary;
  Pinning pinning = Pinning::compact;
  int threads = 1;
};

/// Whole steps of every thread's every array, and so whole lines; no more than `most`, where one step is not.
double whole_bytes(double bytes, const Streamed& streamed, double most) {
  const double unit = element * cpu::stream_step * facts_of(streamed.pattern).arrays * streamed.threads;
  const double steps = std::max(1.0, std::min(std::round(bytes / unit), std::floor(most / unit)));
  return steps * unit;
}

class PlannedStreams {
 public:
  PlannedStreams(const cpu::Topology& machine, const Request& request) : machine_(machine), request_(request) {}

  void add(const Streamed& streamed, double bytes) {
    const auto most = static_cast<double>(request_.largest_bytes.value_or(~0ull));
    bytes = whole_bytes(bytes, streamed, most);
    if (!measure::is_asked_for(request_, bytes)) return;
    Words words{
        .bytes_counted = BytesCounted::program, .pattern = streamed.pattern, .pinning = streamed.pinning};
    if (streamed.pattern != Pattern::read) words.stores = streamed.stores;
    const Curve* const curve = measure::find_curve(cpu_bandwidth_probe::curves, words, "GB/s");
    const double threads = streamed.threads;
    Point point = point_on(*curve, {.bytes = bytes, .cpu_threads = threads}, words);
    point.expected_seconds = request_.effort == Effort::quick ? 0.1 : 0.5;
    if (known_.insert(measure::key_of(point)).second) points_.push_back(point);
  }

  /// The working set that stands for memory.
  [[nodiscard]] double memory_bytes(Pinning pinning, int threads) const {
    const double caches = furthest_caches_bytes(machine_, pinning, threads);
    const double bytes = caches > 0 ? std::max(times_the_caches * caches, least_memory_bytes) : without_a_cache_bytes;
    const double times = request_.effort == Effort::quick ? 1 : 2;
    return std::min(times * bytes, static_cast<double>(request_.largest_bytes.value_or(~0ull)));
  }
  void add_in_memory(const Streamed& streamed) { add(streamed, memory_bytes(streamed.pinning, streamed.threads)); }

  std::vector<Point> take() { return std::move(points_); }

 private:
  const cpu::Topology& machine_;
  const Request& request_;
  std::vector<Point> points_;
  std::set<measure::PointKey> known_;
};

/// The numbers 1, 2, 4, … and all.
std::vector<int> thread_counts(int all) {
  std::vector<int> counts;
  for (int count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

/// The node whose memory a node's cores read; the last one's cores read the first one's.
int node_after(const std::vector<int>& nodes, int node, int hops) {
  const auto at = static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin());
  return nodes[(at + static_cast<std::size_t>(hops)) % nodes.size()];
}

const Curve& node_curve(bool same) { return same ? cpu_bandwidth_probe::same_node : cpu_bandwidth_probe::other_node; }

}  // namespace

std::span<const StreamFacts> all_streams() { return streams; }

const StreamFacts& facts_of(Pattern pattern) { return *std::ranges::find(streams, pattern, &StreamFacts::pattern); }

std::vector<const cpu::Core*> order_of(const cpu::Topology& machine, Pinning pinning) {
  std::vector<const cpu::Core*> order;
  for (const cpu::Core& core : machine.cores) order.push_back(&core);
  std::ranges::stable_sort(order, {}, [](const cpu::Core* core) { return std::pair(core->kind, core->cluster); });
  if (pinning == Pinning::compact) return order;
  // The first core of every cluster comes before the second; among the clusters of one turn each node's first comes
  // before its second.
  std::map<std::pair<int, int>, int> turns_of_clusters;
  std::map<int, std::map<int, int>> clusters_of_nodes;
  const auto turn = [&](const cpu::Core* core) {
    std::map<int, int>& clusters = clusters_of_nodes[core->node];
    const int cluster = clusters.try_emplace(core->cluster, static_cast<int>(clusters.size())).first->second;
    return std::tuple(core->kind, turns_of_clusters[{core->kind, core->cluster}]++, cluster, core->node);
  };
  std::vector<std::pair<decltype(turn(order.front())), const cpu::Core*>> turned;
  for (const cpu::Core* core : order) turned.emplace_back(turn(core), core);
  std::ranges::stable_sort(turned, {}, [](const auto& one) { return one.first; });
  std::ranges::transform(turned, order.begin(), [](const auto& one) { return one.second; });
  return order;
}

double furthest_caches_bytes(const cpu::Topology& machine, Pinning pinning, int threads) {
  const std::vector<const cpu::Core*> order = order_of(machine, pinning);
  std::set<int> clusters;
  for (int thread = 0; thread < threads; ++thread) clusters.insert(order.at(static_cast<std::size_t>(thread))->cluster);
  return static_cast<double>(clusters.size()) * static_cast<double>(machine.furthest_cache_bytes);
}

bool is_beyond_caches(const cpu::Topology& machine, const Point& point) {
  const double caches =
      furthest_caches_bytes(machine, point.words.pinning.value(), static_cast<int>(point.x.cpu_threads.value()));
  return caches > 0 && point.x.bytes.value() >= 0.95 * times_the_caches * caches;
}

std::vector<Point> cpu_bandwidth_points(const cpu::Topology& machine, const Request& request) {
  PlannedStreams planned(machine, request);
  const int all = static_cast<int>(machine.cores.size());
  const double times = request.effort == Effort::quick ? 4 : request.effort == Effort::normal ? 2 : std::sqrt(2.0);
  // One thread and all threads stream working sets of every size.
  for (const int threads : std::set<int>{1, all}) {
    const double memory = planned.memory_bytes(Pinning::compact, threads);
    for (const Pattern pattern : {Pattern::read, Pattern::write, Pattern::triad}) {
      for (double bytes = smallest_bytes; bytes * times < 1.01 * memory; bytes *= times) {
        if (bytes >= least_thread_bytes * threads) planned.add({.pattern = pattern, .threads = threads}, bytes);
      }
      planned.add({.pattern = pattern, .threads = threads}, memory);
    }
  }
  // Every stream goes over memory, by either kind of stores.
  for (const StreamFacts& facts : streams) {
    for (const Stores stores : {Stores::ordinary, Stores::non_temporal}) {
      if (stores == Stores::non_temporal && !has_stores_past_caches(facts)) continue;
      for (const int threads : std::set<int>{1, all})
        planned.add_in_memory({.pattern = facts.pattern, .stores = stores, .threads = threads});
    }
  }
  // More and more threads stream memory.
  for (const Pinning pinning : {Pinning::compact, Pinning::spread}) {
    if (pinning == Pinning::spread && order_of(machine, pinning) == order_of(machine, Pinning::compact)) continue;
    for (const Pattern pattern : {Pattern::read, Pattern::triad}) {
      for (const int threads : thread_counts(all))
        planned.add_in_memory({.pattern = pattern, .pinning = pinning, .threads = threads});
    }
  }
  return planned.take();
}

std::vector<Point> node_bandwidth_points(const cpu::Topology& machine, const Request& request) {
  const std::vector<NodePair> pairs = workloads::node_pairs(machine);
  if (pairs.empty()) return {workloads::point_of_one_node(cpu_bandwidth_probe::other_node, {}, machine)};
  std::vector<Point> points;
  // A thread reads whole steps.
  const auto add = [&](const Curve& curve, std::size_t threads, double bytes, Coordinates x) {
    const double unit = static_cast<double>(sizeof(double) * cpu::stream_step * threads);
    x.bytes = std::max(1.0, std::round(bytes / unit)) * unit;
    x.cpu_threads = static_cast<double>(threads);
    if (!measure::is_asked_for(request, *x.bytes)) return;
    points.push_back(point_on(curve, x));
    points.back().expected_seconds = request.effort == Effort::quick ? 0.2 : 0.6;
  };
  for (const NodePair& pair : pairs) {
    add(node_curve(pair.from == pair.to), cpu::cores_of_node(machine, pair.from).size(),
        workloads::node_memory_bytes(machine, pair.from),
        {.from = static_cast<double>(pair.from), .to = static_cast<double>(pair.to)});
  }
  const std::vector<int> nodes = workloads::whole_nodes(machine);
  double bytes = 0;
  std::size_t threads = 0;
  for (const int node : nodes) {
    bytes += workloads::node_memory_bytes(machine, node);
    threads += cpu::cores_of_node(machine, node).size();
  }
  if (nodes.size() < 2) return points;
  for (const int hops : {0, 1}) add(node_curve(hops == 0), threads, bytes, {.hops = static_cast<double>(hops)});
  return points;
}

NodeReaders node_readers(const cpu::Topology& machine, const Point& point) {
  if (!point.x.bytes) throw device::Unsupported(workloads::why_one_node());
  const std::vector<int> nodes = workloads::whole_nodes(machine);
  NodeReaders readers;
  for (const cpu::Core* core : order_of(machine, Pinning::compact)) {
    if (!point.x.hops) {
      const NodePair pair = workloads::node_pair_of(point);
      if (core->node != pair.from) continue;
      readers.cores.push_back(core);
      readers.memory_nodes.push_back(pair.to);
    } else if (std::ranges::find(nodes, core->node) != nodes.end()) {
      readers.cores.push_back(core);
      readers.memory_nodes.push_back(node_after(nodes, core->node, static_cast<int>(*point.x.hops)));
    }
  }
  return readers;
}

}  // namespace sonde::probes
