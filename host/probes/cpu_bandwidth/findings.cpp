#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "probes/cpu_bandwidth/cpu_bandwidth.hpp"
#include "workloads/cpu/node_pairs.hpp"

namespace sonde::probes {
namespace {

using ByThreads = std::map<int, const Measurement*>;

/// The largest working set of each number of threads that is in memory, as far as the system states how large the
/// caches are.
ByThreads largest_by_threads(std::span<const Measurement> measurements, const Words& words) {
  ByThreads by_threads;
  for (const Measurement& one : measurements) {
    const auto beyond = one.state.shape.find("beyond_caches");
    if (one.point.words != words || beyond == one.state.shape.end() || beyond->second == 0) continue;
    const Measurement*& kept = by_threads[static_cast<int>(one.point.x.cpu_threads.value())];
    if (kept == nullptr || one.point.x.bytes > kept->point.x.bytes) kept = &one;
  }
  return by_threads;
}

/// The streams that were measured, by the bytes that the program moves.
std::vector<Words> all_words(std::span<const Measurement> measurements) {
  std::vector<Words> all;
  for (const Measurement& one : measurements) {
    const Words& words = one.point.words;
    if (workloads::is_of_nodes(words) || words.bytes_counted != BytesCounted::program) continue;
    if (std::ranges::find(all, words) == all.end()) all.push_back(words);
  }
  return all;
}

std::string threads_text(int threads) { return threads == 1 ? "1 thread" : fmt::format("{} threads", threads); }

/// The fewest threads that get a share of the most that any number gets.
int threads_for(const ByThreads& by_threads, double share, double most) {
  for (const auto& [threads, one] : by_threads) {
    if (median_of(*one) >= share * most) return threads;
  }
  return by_threads.rbegin()->first;
}

const Measurement* all_at_once(std::span<const Measurement> measurements, double hops) {
  const auto found = std::ranges::find_if(
      measurements, [&](const Measurement& one) { return one.point.x.hops == hops && !one.values.empty(); });
  return found == measurements.end() ? nullptr : &*found;
}

measure::Known ratio(const Measurement& of, const Measurement& over) {
  const measure::SeenInRuns<double> seen(std::vector{of, over}, [](std::span<const Measurement> both) {
    return median_of(both.front()) / median_of(both.back());
  });
  return seen.estimate(std::identity());
}

}  // namespace

std::vector<Finding> saturation_findings(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const Words& words : all_words(measurements)) {
    const ByThreads by_threads = largest_by_threads(measurements, words);
    // Two numbers of threads, one and all, do not tell what lies between, unless all are two.
    if (by_threads.size() < 2 || (by_threads.size() == 2 && by_threads.rbegin()->first > 2)) continue;
    double most = 0;
    for (const auto& [threads, one] : by_threads) most = std::max(most, median_of(*one));
    const int nearly = threads_for(by_threads, 0.9, most);
    const int all_but_one = threads_for(by_threads, 0.99, most);
    std::string each;
    for (const auto& [threads, one] : by_threads) {
      each += fmt::format("{}{} {}", each.empty() ? "" : ", ", threads_text(threads),
                          analysis::number_text(median_of(*one)));
    }
    findings.push_back({.kind = &cpu_bandwidth_probe::saturated_by,
                        .words = words,
                        .value = nearly,
                        .evidence = fmt::format(
                            "Of the most that any number of threads gets in memory by {}{}, {} get 90 % and {} get "
                            "99 %: {} GB/s.",
                            measure::word_of(words.pattern.value()),
                            words.stores == Stores::non_temporal ? " past the caches" : "", nearly, all_but_one, each),
                        .details = {{"threads_for_99_percent", all_but_one}}});
  }
  return findings;
}

std::vector<Finding> non_temporal_findings(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const Words& past_caches : all_words(measurements)) {
    if (past_caches.stores != Stores::non_temporal) continue;
    const ByThreads by_threads = largest_by_threads(measurements, past_caches);
    const ByThreads ordinary = largest_by_threads(measurements, with(past_caches, {.stores = Stores::ordinary}));
    if (by_threads.empty()) continue;
    const auto& [threads, non_temporal] = *by_threads.rbegin();
    const auto other = ordinary.find(threads);
    if (other == ordinary.end()) continue;
    const double fast = median_of(*non_temporal);
    const double usual = median_of(*other->second);
    const std::string evidence = fmt::format(
        "In memory {} moved {} GB/s by {} with non-temporal stores and {} with ordinary ones: {:.2f} "
        "times as much, where {:.2f} is what not reading a line before it is written can save.",
        threads_text(threads), analysis::number_text(fast), measure::word_of(past_caches.pattern.value()),
        analysis::number_text(usual), fast / usual, facts_of(*past_caches.pattern).ideal_gain());
    findings.push_back(finding_of(cpu_bandwidth_probe::non_temporal_gain, past_caches,
                                  ratio(*non_temporal, *other->second), evidence));
  }
  return findings;
}

std::vector<Finding> node_bandwidth_findings(std::span<const Measurement> measurements) {
  std::vector<Finding> findings =
      workloads::node_findings(measurements, cpu_bandwidth_probe::node_bandwidth, "all cores of a node together read");
  const Measurement* const own = all_at_once(measurements, 0);
  const Measurement* const crossing = all_at_once(measurements, 1);
  if (own == nullptr || crossing == nullptr) return findings;
  const double near = median_of(*own);
  const double far = median_of(*crossing);
  const std::string evidence = fmt::format(
      "While every node's cores read the next node's memory they got {} GB/s, all together; {} while each read "
      "its own: {:.2f} times as much.",
      analysis::number_text(far), analysis::number_text(near), far / near);
  findings.push_back(
      finding_of(cpu_bandwidth_probe::nodes_crossing, crossing->point.words, ratio(*crossing, *own), evidence));
  return findings;
}

}  // namespace sonde::probes
