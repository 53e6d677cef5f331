// Reads what the host-memory probe measured: each kind of memory beside the first, for the GPU and for the CPU.

#include "probes/host_memory/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "analysis/size_curves.hpp"
#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/host_memory/plan.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

using analysis::Answer;
using analysis::Estimate;
using analysis::MemoryDistance;
using workloads::Placement;
using workloads::Writer;

/// No CPU of today reads memory that it caches so slowly, one thread and in order.
constexpr double slow_read_gbps = 1.0;
/// Nor so much more slowly than memory of another kind on the same machine.
constexpr double slow_share = 0.25;

using Series = std::map<std::string, std::string>;

/// What all visits saw, or one.
struct Seen {
  std::string first;  ///< kind, as the plan has it
  std::map<Series, analysis::LatencyBySize> latencies;
  std::map<std::string, analysis::LatencyBySize> cpu_read_gbps;  ///< by kind and size

  /// A kind beside the first.
  [[nodiscard]] std::optional<MemoryDistance> distance(const Series& series) const {
    const Placement placement = workloads::placement_of(series);
    const auto own = latencies.find(workloads::series_of({.memory = first, .writer = placement.writer}));
    // Memory that the CPU cannot write is held against by what the GPU wrote.
    const auto beside =
        own != latencies.end() ? own : latencies.find(workloads::series_of({.memory = first, .writer = Writer::gpu}));
    if (beside == latencies.end()) return std::nullopt;
    return analysis::compare_memories(beside->second, latencies.at(series));
  }

  /// At the largest size.
  [[nodiscard]] double read_gbps(const std::string& memory) const { return cpu_read_gbps.at(memory).rbegin()->second; }

  [[nodiscard]] double best_read_gbps() const {
    double best = 0;
    for (const auto& [memory, curve] : cpu_read_gbps) best = std::max(best, read_gbps(memory));
    return best;
  }
};

Seen seen_in(std::span<const Measurement> measurements) {
  Seen seen;
  for (const Measurement& one : measurements) {
    if (one.point.series == round_trip_series()) continue;
    const Placement placement = workloads::placement_of(one.point.series);
    if (seen.first.empty()) seen.first = placement.memory;
    const double bytes = one.point.x.at("bytes");
    if (has(one.point.series, "side", "cpu")) {
      if (has(one.point.series, "pattern", "read")) seen.cpu_read_gbps[placement.memory][bytes] = median_of(one);
    } else if (one.unit == "ns") {
      seen.latencies[series_of(placement)][bytes] = median_of(one);
    }
  }
  return seen;
}

class Comparison {
 public:
  explicit Comparison(std::span<const Measurement> measurements) : seen_(measurements, seen_in) {}

  void find_distances() {
    for (const auto& [series, curve] : seen_.all().latencies) {
      const Placement placement = workloads::placement_of(series);
      if (placement.memory != seen_.all().first && seen_.all().distance(series)) find_distance(series, placement);
    }
  }

  void find_slow() {
    for (const auto& [memory, curve] : seen_.all().cpu_read_gbps) {
      const Estimate gbps = seen_.estimate([&](const Seen& seen) { return seen.read_gbps(memory); });
      const Estimate slower = seen_.margin([&](const Seen& seen) {
        const double limit = std::max(slow_read_gbps, slow_share * seen.best_read_gbps());
        return std::log(limit / seen.read_gbps(memory));
      });
      if (!holds(slower, memory, "is slow for the CPU")) continue;
      Finding finding{
          .series = {{"memory", memory}, {"side", "cpu"}},
          .name = "slow-for-the-cpu",
          .unit = "GB/s",
          .evidence = fmt::format("The CPU reads {} memory through its view at {:.3g} GB/s, one thread; the "
                                  "fastest kind gives it {:.3g}.",
                                  memory, gbps.value, seen_.all().best_read_gbps())};
      measure::state(finding, gbps);
      found_.conclusion.findings.push_back(finding);
    }
  }

  /// The first kind is looked at again with those that are held against it.
  KindsCompared found() {
    if (!found_.open.empty()) found_.open.insert(seen_.all().first);
    return std::move(found_);
  }

 private:
  /// A claim on a kind; where the visits leave it open that is said, and nothing is found.
  bool holds(const Estimate& margin, const std::string& memory, const std::string& claim) {
    const Answer answer = analysis::answer(margin);
    if (answer == Answer::open) {
      found_.open.insert(memory);
      found_.conclusion.unread.push_back(
          {.series = {{"memory", memory}},
           .reason = "the times vary so much that another run might say that this memory " + claim +
                     " or that it does not; measure on an idle machine"});
    }
    return answer == Answer::yes;
  }

  /// What the GPU sees of one kind beside the first.
  void find_distance(const Series& series, const Placement& placement) {
    const auto number = [&series](double MemoryDistance::* field) {
      return [&series, field](const Seen& seen) { return (*seen.distance(series)).*field; };
    };
    const MemoryDistance distance = *seen_.all().distance(series);
    const Estimate ns = seen_.estimate(number(&MemoryDistance::other_ns));
    const std::string size = size_text(distance.bytes);
    const std::string seen = fmt::format("Over {} a load takes {:.3g} ns in {} memory and {:.3g} ns in {} memory", size,
                                         distance.other_ns, placement.memory, distance.own_ns, seen_.all().first);
    const auto add = [&](const char* name, const std::string& evidence) {
      Finding finding{.series = series_of(placement), .name = name, .unit = "ns", .evidence = evidence};
      measure::state(finding, ns);
      found_.conclusion.findings.push_back(finding);
    };
    const bool bus = holds(seen_.margin(number(&MemoryDistance::bus_margin)), placement.memory, "lies across a bus");
    if (bus) add("across-the-bus", seen + ": so much more that there is a bus between.");
    const bool bypass =
        holds(seen_.margin(number(&MemoryDistance::bypass_margin)), placement.memory, "bypasses the last cache");
    if (bypass) {
      add("bypasses-last-level-cache", seen + ", but already at " + size_text(distance.bypassed_bytes) +
                                           " the former is that slow, where a cache still serves the latter.");
    }
    if (bus || bypass) return;
    if (holds(seen_.margin(number(&MemoryDistance::alike_margin)), placement.memory, "is like the device's own")) {
      add("like-device-memory", seen + ", and much the same at the smaller sizes.");
    }
  }

  measure::SeenByVisit<Seen> seen_;
  KindsCompared found_;
};

Finding round_trip(const Measurement& one) {
  const Estimate half = measure::estimate(one);
  Finding finding{.series = one.point.series,
                  .name = "round-trip",
                  .unit = "us",
                  .evidence = fmt::format("From the CPU to the device and back takes {} in the median of "
                                          "{} times, and at most {} in 99 of 100.",
                                          measure::time_text(1e3 * half.value), one.values.size(),
                                          measure::time_text(1e3 * analysis::quantile(one.values, 0.99)))};
  measure::state(finding, half);
  return finding;
}

}  // namespace

KindsCompared compare_kinds(std::span<const Measurement> measurements) {
  Comparison comparison(measurements);
  comparison.find_distances();
  comparison.find_slow();
  KindsCompared found = comparison.found();
  for (const Measurement& one : measurements) {
    if (one.point.series == round_trip_series()) found.conclusion.findings.push_back(round_trip(one));
  }
  return found;
}

}  // namespace sonde::probes
