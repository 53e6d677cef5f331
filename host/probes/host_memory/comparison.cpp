// Compares each kind of memory with the first, for the GPU and for the CPU.

#include <fmt/format.h>

#include <cmath>

#include "analysis/number_text.hpp"
#include "analysis/size_curves.hpp"
#include "probes/host_memory/host_memory.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes::host_memory_probe {
namespace {

using analysis::Answer;
using analysis::Estimate;
using analysis::MemoryDistance;
using measure::Name;
using workloads::MemoryPlace;

/// No CPU of today reads memory that it caches so slowly, one thread and in order.
constexpr double slow_read_gbps = 1.0;
/// Nor does it read such memory so much more slowly than another kind on the same machine.
constexpr double slow_share = 0.25;

/// The measurements of all visits, or of one.
struct Seen {
  Name first;  ///< the kind that the others are compared with
  std::map<MemoryPlace, analysis::LatencyBySize> latencies;
  std::map<Name, analysis::LatencyBySize> cpu_read_gbps;  ///< by kind and size

  /// How a kind compares with the first.
  [[nodiscard]] std::optional<MemoryDistance> distance(const MemoryPlace& place) const {
    const auto own = latencies.find({.memory = first, .writer = place.writer});
    // Where the CPU cannot write the first kind, what the GPU wrote there stands for it.
    const auto beside = own != latencies.end() ? own : latencies.find({.memory = first, .writer = Writer::gpu});
    if (beside == latencies.end()) return std::nullopt;
    return analysis::compare_memories(beside->second, latencies.at(place));
  }

  /// The rate at which the CPU reads at the largest size.
  [[nodiscard]] double read_gbps(const Name& memory) const { return cpu_read_gbps.at(memory).rbegin()->second; }

  [[nodiscard]] double best_read_gbps() const {
    double best = 0;
    for (const auto& [memory, curve] : cpu_read_gbps) best = std::max(best, read_gbps(memory));
    return best;
  }
};

Seen seen_in(std::span<const Measurement> measurements) {
  Seen seen;
  for (const Measurement& one : measurements) {
    const Words& words = one.point.words;
    if (words == round_trip.words) continue;
    if (seen.first.empty()) seen.first = words.memory;
    const double bytes = one.point.x.bytes.value();
    if (words.side == Side::cpu) {
      if (words.pattern == Pattern::read) seen.cpu_read_gbps[words.memory][bytes] = median_of(one);
    } else if (one.unit == "ns") {
      seen.latencies[workloads::place_of(words)][bytes] = median_of(one);
    }
  }
  return seen;
}

struct MemoryComparison {
  measure::SeenInRuns<Seen> seen;
  bool few_visits = false;
  KindsCompared found = {};

  /// Whether a claim on a kind holds. Where the visits leave it open, the conclusion says so.
  bool holds(const Estimate& margin, const Name& memory, const std::string& claim) {
    const Answer answer = analysis::answer(margin);
    if (answer == Answer::open) {
      found.open.insert(memory);
      found.conclusion.without_levels.push_back(
          {.words = {.memory = memory},
           .reason = few_visits
                         ? "so few visits leave open whether this memory " + claim + "; a longer run (--time) has more"
                         : "the times vary so much that another run might say that this memory " + claim +
                               " or that it does not; measure on an idle machine"});
    }
    return answer == Answer::yes;
  }

  /// Compares what the GPU sees of one kind with the first.
  void find_distance(const MemoryPlace& place) {
    const auto number = [&place](double MemoryDistance::* field) {
      return [&place, field](const Seen& one) { return (*one.distance(place)).*field; };
    };
    const MemoryDistance distance = *seen.all().distance(place);
    const measure::Known ns = seen.estimate(number(&MemoryDistance::other_ns));
    const std::string size = size_text(distance.bytes);
    const std::string both = fmt::format("Over {} a load takes {} ns in {} memory and {} ns in {} memory", size,
                                         analysis::number_text(distance.other_ns), place.memory.text(),
                                         analysis::number_text(distance.own_ns), seen.all().first.text());
    const auto add = [&](const FindingKind& kind, const std::string& evidence) {
      found.conclusion.findings.push_back(
          finding_of(kind, {.memory = place.memory, .writer = place.writer}, ns, evidence));
    };
    const bool bus = holds(seen.margin(number(&MemoryDistance::bus_margin)), place.memory, "lies across a bus");
    if (bus) add(across_the_bus, both + ": so much more that there is a bus between.");
    const bool bypass =
        holds(seen.margin(number(&MemoryDistance::bypass_margin)), place.memory, "bypasses the last cache");
    if (bypass) {
      add(bypasses_last_level_cache, both + ", but already at " + size_text(distance.bypassed_bytes) +
                                         " the former is that slow, where a cache still serves the latter.");
    }
    if (bus || bypass) return;
    if (holds(seen.margin(number(&MemoryDistance::alike_margin)), place.memory, "is like the device's own")) {
      add(like_device_memory, both + ", and much the same at the smaller sizes.");
    }
  }

  void find_slow(const Name& memory) {
    const measure::Known gbps = seen.estimate([&](const Seen& one) { return one.read_gbps(memory); });
    const Estimate slower = seen.margin([&](const Seen& one) {
      const double limit = std::max(slow_read_gbps, slow_share * one.best_read_gbps());
      return std::log(limit / one.read_gbps(memory));
    });
    if (!holds(slower, memory, "is slow for the CPU")) return;
    found.conclusion.findings.push_back(
        finding_of(slow_for_the_cpu, {.memory = memory, .side = Side::cpu}, gbps,
                   fmt::format("The CPU reads {} memory through its view at {} GB/s, one thread; the "
                               "fastest kind gives it {}.",
                               memory.text(), analysis::number_text(gbps.value),
                               analysis::number_text(seen.all().best_read_gbps()))));
  }
};

Finding found_round_trip(const Measurement& one, std::span<const Measurement> measurements) {
  const measure::Known half = estimate(one, measurements);
  return finding_of(
      round_trip_time, one.point.words, half,
      fmt::format("From the CPU to the device and back takes {} in the median of {} times, and at most {} "
                  "in 99 of 100.",
                  measure::time_text(1e3 * half.value), one.values.size(),
                  measure::time_text(1e3 * analysis::quantile(one.values, 0.99))));
}

}  // namespace

KindsCompared compare_kinds(std::span<const Measurement> measurements) {
  MemoryComparison comparison{{measurements, seen_in}, measure::have_few_visits(measurements)};
  const Seen& all = comparison.seen.all();
  for (const auto& [place, curve] : all.latencies) {
    if (place.memory != all.first && all.distance(place)) comparison.find_distance(place);
  }
  for (const auto& [memory, curve] : all.cpu_read_gbps) comparison.find_slow(memory);
  KindsCompared found = std::move(comparison.found);
  // The first kind is visited again with those that are compared with it.
  if (!found.open.empty()) found.open.insert(all.first);
  for (const Measurement& one : measurements) {
    if (one.point.words == round_trip.words) found.conclusion.findings.push_back(found_round_trip(one, measurements));
  }
  return found;
}

}  // namespace sonde::probes::host_memory_probe
