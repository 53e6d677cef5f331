#include "probes/cpu_bandwidth/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace sonde::probes {
namespace {

using cpu::Stores;
using cpu::Stream;

constexpr double element = sizeof(double);
/// By `Stream`. A line that is written in part has to be read first; that it is written whole no store knows.
constexpr std::array<StreamFacts, cpu::streams> all_facts{{{"read", 1, element, element},
                                                           {"write", 1, element, 2 * element},
                                                           {"copy", 2, 2 * element, 3 * element},
                                                           {"scale", 2, 2 * element, 3 * element},
                                                           {"add", 3, 3 * element, 4 * element},
                                                           {"triad", 3, 3 * element, 4 * element},
                                                           {"read-modify-write", 1, 2 * element, 2 * element},
                                                           {"read-2-write-1", 2, 3 * element, 3 * element},
                                                           {"read-3-write-1", 3, 4 * element, 4 * element}}};

constexpr double smallest_bytes = 4 << 10;
/// What a thread has at least, of all arrays together.
constexpr double least_thread_bytes = 4 << 10;
/// In memory a working set is so many times all caches; STREAM asks for four times in each array.
constexpr double times_the_caches = 4;
constexpr double least_memory_bytes = 64 << 20;
constexpr double without_a_cache_bytes = 256 << 20;

/// A line that has just been read is in a cache, and what goes past it has to take it out there.
bool has_stores_past_caches(Stream stream) { return stream != Stream::read && stream < Stream::read_modify_write; }

/// Whole steps of every thread's every array, and so whole lines; no more than `most`, where one step is not.
double whole_bytes(double bytes, Stream stream, int threads, double most) {
  const double unit = element * cpu::stream_step * facts_of(stream).arrays * threads;
  const double steps = std::max(1.0, std::min(std::round(bytes / unit), std::floor(most / unit)));
  return steps * unit;
}

class Planned {
 public:
  Planned(const cpu::Topology& machine, const Request& request) : machine_(machine), request_(request) {}

  void add(StreamChoice choice, double bytes) {
    const auto most = static_cast<double>(request_.largest_bytes.value_or(~0ull));
    choice.bytes = whole_bytes(bytes, choice.stream, choice.threads, most);
    if (!measure::is_asked_for(request_, choice.bytes)) return;
    const double seconds = request_.effort == Effort::quick ? 0.1 : 0.5;
    const Point point{.series = series_of(choice),
                      .x = {{"bytes", choice.bytes}, {"cpu_threads", choice.threads}},
                      .expected_seconds = seconds};
    if (known_.insert(measure::key_of(point)).second) points_.push_back(point);
  }

  /// The working set that stands for memory.
  [[nodiscard]] double memory_bytes(Pinning pinning, int threads) const {
    const double caches = furthest_caches_bytes(machine_, pinning, threads);
    const double bytes = caches > 0 ? std::max(times_the_caches * caches, least_memory_bytes) : without_a_cache_bytes;
    const double times = request_.effort == Effort::quick ? 1 : 2;
    return std::min(times * bytes, static_cast<double>(request_.largest_bytes.value_or(~0ull)));
  }

  std::vector<Point> take() { return std::move(points_); }

 private:
  const cpu::Topology& machine_;
  const Request& request_;
  std::vector<Point> points_;
  std::set<measure::PointKey> known_;
};

/// 1, 2, 4, … and all.
std::vector<int> thread_counts(int all) {
  std::vector<int> counts;
  for (int count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

}  // namespace

const StreamFacts& facts_of(Stream stream) { return all_facts.at(static_cast<std::size_t>(stream)); }

std::vector<const cpu::Core*> order_of(const cpu::Topology& machine, Pinning pinning) {
  std::vector<const cpu::Core*> order;
  for (const cpu::Core& core : machine.cores) order.push_back(&core);
  std::ranges::stable_sort(order, {}, [](const cpu::Core* core) { return std::pair(core->kind, core->cluster); });
  if (pinning == Pinning::compact) return order;
  // The first core of every cluster, then the second; of the clusters of one turn each node's first.
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

StreamChoice choice_of(const Point& point) {
  StreamChoice choice;
  for (int stream = 0; stream < cpu::streams; ++stream) {
    if (point.series.at("pattern") == facts_of(static_cast<Stream>(stream)).word) {
      choice.stream = static_cast<Stream>(stream);
    }
  }
  const auto stores = point.series.find("stores");
  if (stores != point.series.end() && stores->second == "non-temporal") choice.stores = Stores::non_temporal;
  if (point.series.at("pinning") == "spread") choice.pinning = Pinning::spread;
  choice.threads = static_cast<int>(point.x.at("cpu_threads"));
  choice.bytes = point.x.at("bytes");
  return choice;
}

std::map<std::string, std::string> series_of(const StreamChoice& choice) {
  std::map<std::string, std::string> series{{"pattern", facts_of(choice.stream).word},
                                            {"pinning", choice.pinning == Pinning::spread ? "spread" : "compact"},
                                            {"bytes-counted", "program"}};
  if (choice.stream != Stream::read) {
    series["stores"] = choice.stores == Stores::non_temporal ? "non-temporal" : "ordinary";
  }
  return series;
}

double furthest_caches_bytes(const cpu::Topology& machine, Pinning pinning, int threads) {
  const std::vector<const cpu::Core*> order = order_of(machine, pinning);
  std::set<int> clusters;
  for (int thread = 0; thread < threads; ++thread) clusters.insert(order.at(static_cast<std::size_t>(thread))->cluster);
  return static_cast<double>(clusters.size()) * static_cast<double>(machine.furthest_cache_bytes);
}

bool is_beyond_caches(const cpu::Topology& machine, const StreamChoice& choice) {
  const double caches = furthest_caches_bytes(machine, choice.pinning, choice.threads);
  return caches > 0 && choice.bytes >= 0.95 * times_the_caches * caches;
}

std::vector<Point> cpu_bandwidth_points(const cpu::Topology& machine, const Request& request) {
  Planned planned(machine, request);
  const int all = static_cast<int>(machine.cores.size());
  const double times = request.effort == Effort::quick ? 4 : request.effort == Effort::normal ? 2 : std::sqrt(2.0);
  // Over the working set: one thread and all.
  for (const int threads : std::set<int>{1, all}) {
    const double memory = planned.memory_bytes(Pinning::compact, threads);
    for (const Stream stream : {Stream::read, Stream::write, Stream::triad}) {
      for (double bytes = smallest_bytes; bytes * times < 1.01 * memory; bytes *= times) {
        if (bytes >= least_thread_bytes * threads) planned.add({.stream = stream, .threads = threads}, bytes);
      }
      planned.add({.stream = stream, .threads = threads}, memory);
    }
  }
  // In memory: every stream, by either kind of stores.
  for (int stream = 0; stream < cpu::streams; ++stream) {
    for (const Stores stores : {Stores::ordinary, Stores::non_temporal}) {
      const StreamChoice choice{.stream = static_cast<Stream>(stream), .stores = stores};
      if (stores == Stores::non_temporal && !has_stores_past_caches(choice.stream)) continue;
      for (const int threads : std::set<int>{1, all}) {
        StreamChoice of_threads = choice;
        of_threads.threads = threads;
        planned.add(of_threads, planned.memory_bytes(Pinning::compact, threads));
      }
    }
  }
  // In memory: over threads.
  for (const Pinning pinning : {Pinning::compact, Pinning::spread}) {
    if (pinning == Pinning::spread && order_of(machine, pinning) == order_of(machine, Pinning::compact)) continue;
    for (const Stream stream : {Stream::read, Stream::triad}) {
      for (const int threads : thread_counts(all)) {
        planned.add({.stream = stream, .pinning = pinning, .threads = threads}, planned.memory_bytes(pinning, threads));
      }
    }
  }
  return planned.take();
}

}  // namespace sonde::probes
