#include "probes/cpu_bandwidth/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "measure/visits.hpp"
#include "probes/cpu_bandwidth/plan.hpp"
#include "workloads/cpu/node_pairs.hpp"

namespace sonde::probes {
namespace {

using Series = std::map<std::string, std::string>;

bool counts_program_bytes(const Measurement& one) { return one.point.series.at("bytes-counted") == "program"; }

/// Whether it is of memory, as far as the system states how large the caches are.
bool is_of_memory(const Measurement& one) {
  const auto beyond = one.state.shape.find("beyond_caches");
  return beyond != one.state.shape.end() && beyond->second != 0;
}

/// Of each number of threads the largest working set in memory.
std::map<int, const Measurement*> largest_by_threads(std::span<const Measurement> measurements, const Series& series) {
  std::map<int, const Measurement*> by_threads;
  for (const Measurement& one : measurements) {
    if (one.point.series != series || !is_of_memory(one)) continue;
    const Measurement*& kept = by_threads[static_cast<int>(one.point.x.at("cpu_threads"))];
    if (kept == nullptr || one.point.x.at("bytes") > kept->point.x.at("bytes")) kept = &one;
  }
  return by_threads;
}

std::vector<Series> all_series(std::span<const Measurement> measurements) {
  std::vector<Series> all;
  for (const Measurement& one : measurements) {
    if (workloads::is_of_nodes(one.point.series)) continue;
    if (counts_program_bytes(one) && std::ranges::find(all, one.point.series) == all.end())
      all.push_back(one.point.series);
  }
  return all;
}

std::string threads_text(int threads) { return threads == 1 ? "1 thread" : fmt::format("{} threads", threads); }

/// The fewest threads that get a share of the most that any number gets.
int threads_for(const std::map<int, const Measurement*>& by_threads, double share, double most) {
  for (const auto& [threads, one] : by_threads) {
    if (median_of(*one) >= share * most) return threads;
  }
  return by_threads.rbegin()->first;
}

}  // namespace

std::vector<Finding> saturated_by(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const Series& series : all_series(measurements)) {
    const auto by_threads = largest_by_threads(measurements, series);
    // Of one and all nobody knows what lies between, unless all are two.
    if (by_threads.size() < 2 || (by_threads.size() == 2 && by_threads.rbegin()->first > 2)) continue;
    double most = 0;
    for (const auto& [threads, one] : by_threads) most = std::max(most, median_of(*one));
    const int nearly = threads_for(by_threads, 0.9, most);
    const int all_but_one = threads_for(by_threads, 0.99, most);
    std::string each;
    for (const auto& [threads, one] : by_threads) {
      each += fmt::format("{}{} {:.3g}", each.empty() ? "" : ", ", threads_text(threads), median_of(*one));
    }
    const auto stores = series.find("stores");
    const bool past_caches = stores != series.end() && stores->second == "non-temporal";
    findings.push_back({.series = series,
                        .name = "saturated-by",
                        .value = nearly,
                        .unit = "ratio",
                        .evidence = fmt::format("Of the most that any number of threads gets in memory by {}{}, {} get "
                                                "90 % and {} get 99 %: {} GB/s.",
                                                series.at("pattern"), past_caches ? " past the caches" : "", nearly,
                                                all_but_one, each),
                        .details = {{"threads_for_99_percent", all_but_one}}});
  }
  return findings;
}

std::vector<Finding> non_temporal_gains(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const Series& past_caches : all_series(measurements)) {
    const auto stores = past_caches.find("stores");
    if (stores == past_caches.end() || stores->second != "non-temporal") continue;
    Series ordinary = past_caches;
    ordinary["stores"] = "ordinary";
    const auto by_threads = largest_by_threads(measurements, past_caches);
    const auto beside = largest_by_threads(measurements, ordinary);
    if (by_threads.empty()) continue;
    const int threads = by_threads.rbegin()->first;
    const auto other = beside.find(threads);
    if (other == beside.end()) continue;
    const analysis::Estimate fast = measure::estimate(*by_threads.rbegin()->second);
    const analysis::Estimate usual = measure::estimate(*other->second);
    const double ideal = facts_of(choice_of(by_threads.rbegin()->second->point).stream).ideal_gain();
    Finding finding{.series = past_caches, .name = "non-temporal-gain", .unit = "ratio"};
    measure::state(finding, {fast.low / usual.high, fast.value / usual.value, fast.high / usual.low});
    finding.evidence = fmt::format(
        "In memory {} moved {:.3g} GB/s by {} with non-temporal stores and {:.3g} with ordinary ones: {:.2f} "
        "times as much, where {:.2f} is what not reading a line before it is written can save.",
        threads_text(threads), fast.value, past_caches.at("pattern"), usual.value, fast.value / usual.value, ideal);
    findings.push_back(finding);
  }
  return findings;
}

}  // namespace sonde::probes
