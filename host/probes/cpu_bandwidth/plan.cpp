#include <cmath>
#include <tuple>

#include "probes/cpu_bandwidth/cpu_bandwidth.hpp"
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
/// So many sizes of reading come before what is written to memory.
constexpr std::size_t first_sizes = 6;

/// A point's stream without its working set.
struct Streamed {
  Pattern pattern = Pattern::read;
  Stores stores = Stores::ordinary;
  Pinning pinning = Pinning::compact;
  int threads = 1;
};

/// The numbers 1, 2, 4, … and all.
std::vector<int> thread_counts(int all) {
  std::vector<int> counts;
  for (int count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

/// The furthest caches of the clusters that the first threads are in, together; 0 where the system states none.
double furthest_caches_bytes(const cpu::Topology& machine, Pinning pinning, int threads) {
  const std::vector<const cpu::Core*> order = order_of(machine, pinning);
  std::set<int> clusters;
  for (int thread = 0; thread < threads; ++thread) clusters.insert(order.at(static_cast<std::size_t>(thread))->cluster);
  return static_cast<double>(clusters.size()) * static_cast<double>(machine.furthest_cache_bytes);
}

/// The working set that stands for memory, or the one nearest to it that the user asked for.
double memory_bytes(const cpu::Topology& machine, const Request& request, Pinning pinning, int threads) {
  const double caches = furthest_caches_bytes(machine, pinning, threads);
  const double bytes = caches > 0 ? std::max(times_the_caches * caches, least_memory_bytes) : without_a_cache_bytes;
  return std::min(std::max(bytes, static_cast<double>(request.smallest_bytes.value_or(0))),
                  static_cast<double>(request.largest_bytes.value_or(~0ull)));
}

/// The time that a point takes: most of a large set's is spent on making it, by several threads at once.
double seconds_of(double bytes, double threads) { return 0.07 + 1.3e-9 * bytes / std::min(threads, 8.0); }

/// The sizes of a sweep by so many threads, to the end of memory or of what the user asked for.
std::vector<double> swept_sizes(const cpu::Topology& machine, const Request& request, int threads) {
  const double times = by_look(request.look, 4.0, 2.0, std::sqrt(2.0));
  const double end = request.largest_bytes ? static_cast<double>(*request.largest_bytes)
                                           : memory_bytes(machine, request, Pinning::compact, threads);
  std::vector<double> sizes;
  if (request.smallest_bytes) sizes.push_back(static_cast<double>(*request.smallest_bytes));
  for (double bytes = smallest_bytes; bytes * std::min(times, 1.99) < 1.01 * end; bytes *= times) {
    if (bytes >= least_thread_bytes * threads) sizes.push_back(bytes);
  }
  sizes.push_back(end);
  return sizes;
}

const Curve& node_curve(bool same) { return same ? cpu_bandwidth_probe::same_node : cpu_bandwidth_probe::other_node; }

}  // namespace

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

bool is_beyond_caches(const cpu::Topology& machine, const Point& point) {
  const double caches =
      furthest_caches_bytes(machine, point.words.pinning.value(), static_cast<int>(point.x.cpu_threads.value()));
  return caches > 0 && point.x.bytes.value() >= 0.95 * times_the_caches * caches;
}

std::vector<Point> cpu_bandwidth_points(const cpu::Topology& machine, const Request& request) {
  std::vector<Point> points;
  std::set<measure::PointKey> planned;
  const auto point = [&](const Streamed& streamed, double wanted_bytes) -> std::optional<Point> {
    // Every thread has whole steps of every array, and so whole lines; no more than --sizes allows, where one step is.
    const double unit = element * cpu::stream_step * facts_of(streamed.pattern).arrays * streamed.threads;
    const double most = std::floor(static_cast<double>(request.largest_bytes.value_or(~0ull)) / unit);
    const double bytes = std::max(1.0, std::min(std::round(wanted_bytes / unit), most)) * unit;
    Words words{.bytes_counted = BytesCounted::program, .pattern = streamed.pattern, .pinning = streamed.pinning};
    if (streamed.pattern != Pattern::read) words.stores = streamed.stores;
    const Curve& curve = *measure::find_curve(cpu_bandwidth_probe::curves, words, "GB/s");
    const double threads = streamed.threads;
    const Point found = point_on(curve, {.bytes = bytes, .cpu_threads = threads}, words, seconds_of(bytes, threads));
    const bool is_new = is_asked_for(request, bytes) && planned.insert(key_of(found)).second;
    return is_new ? std::optional(found) : std::nullopt;
  };
  const auto add_in_memory = [&](const Streamed& streamed) {
    const double bytes = memory_bytes(machine, request, streamed.pinning, streamed.threads);
    if (const auto found = point(streamed, bytes)) points.push_back(*found);
  };
  const int all = static_cast<int>(machine.cores.size());
  // All threads and one thread stream working sets of every size.
  const auto sweeps = [&](Pattern pattern) {
    std::vector<Point> both;
    for (const int threads : std::set<int, std::greater<>>{all, 1}) {
      for (const double bytes : swept_sizes(machine, request, threads)) {
        if (const auto found = point({.pattern = pattern, .threads = threads}, bytes)) both.push_back(*found);
      }
    }
    return measure::spread_over_sizes(std::move(both), request.seed);
  };
  // Every stream goes over memory, by either kind of stores.
  const auto add_all_in_memory = [&](int threads) {
    for (const StreamFacts& facts : streams) {
      for (const Stores stores : {Stores::ordinary, Stores::non_temporal}) {
        // Streams that read a line before they write it have it in a cache, where stores past it would take it out.
        if (stores == Stores::non_temporal && facts.ideal_gain() <= 1) continue;
        add_in_memory({.pattern = facts.pattern, .stores = stores, .threads = threads});
      }
    }
  };
  for (const int threads : {all, 1}) add_in_memory({.threads = threads});
  const std::vector<Point> reading = sweeps(Pattern::read);
  const auto first = reading.begin() + static_cast<std::ptrdiff_t>(std::min(first_sizes, reading.size()));
  points.insert(points.end(), reading.begin(), first);
  add_all_in_memory(all);
  points.insert(points.end(), first, reading.end());
  for (const Pattern pattern : {Pattern::write, Pattern::triad})
    std::ranges::move(sweeps(pattern), std::back_inserter(points));
  add_all_in_memory(1);
  // More and more threads stream memory.
  for (const Pinning pinning : {Pinning::compact, Pinning::spread}) {
    if (pinning == Pinning::spread && order_of(machine, pinning) == order_of(machine, Pinning::compact)) continue;
    for (const Pattern pattern : {Pattern::read, Pattern::triad}) {
      for (const int threads : thread_counts(all))
        add_in_memory({.pattern = pattern, .pinning = pinning, .threads = threads});
    }
  }
  return points;
}

std::vector<Point> node_bandwidth_points(const cpu::Topology& machine, const Request& request) {
  const std::vector<NodePair> pairs = workloads::node_pairs(machine);
  if (pairs.empty()) return {workloads::point_of_one_node(cpu_bandwidth_probe::other_node, {}, machine)};
  std::vector<Point> points;
  // A thread reads whole steps.
  const auto add = [&](const Curve& curve, std::size_t threads, double bytes, Coordinates x) {
    const double unit = static_cast<double>(sizeof(double) * cpu::stream_step * threads);
    const double wanted = std::max(bytes, static_cast<double>(request.smallest_bytes.value_or(0)));
    x.bytes = std::max(1.0, std::round(wanted / unit)) * unit;
    x.cpu_threads = static_cast<double>(threads);
    if (is_asked_for(request, *x.bytes)) points.push_back(point_on(curve, x, {}, seconds_of(*x.bytes, *x.cpu_threads)));
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
    const auto at = static_cast<std::size_t>(std::ranges::find(nodes, core->node) - nodes.begin());
    const bool reads = point.x.hops ? at < nodes.size() : core->node == workloads::node_pair_of(point).from;
    if (!reads) continue;
    readers.cores.push_back(core);
    // The last node's cores read the first one's memory.
    readers.memory_nodes.push_back(point.x.hops ? nodes[(at + static_cast<std::size_t>(*point.x.hops)) % nodes.size()]
                                                : workloads::node_pair_of(point).to);
  }
  return readers;
}

}  // namespace sonde::probes
