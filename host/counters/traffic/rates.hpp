#pragma once

#include <optional>
#include <set>

#include "counters/traffic/counter_source.hpp"

// Traffic of a period, from snapshots of the counters at its ends. Pure functions.
namespace sonde::counters {

/// Why a value is missing, or how it was obtained.
enum class Label {
  reset,         ///< a count went back; its value is unknown
  saturated,     ///< a counter is at its largest value; unknown
  vanished,      ///< a counter can no longer be read; unknown
  not_counted,   ///< the kernel had no free counter; unknown
  reads_zero,    ///< memory counters stand still under load; unknown
  uneven,        ///< rotated groups of stations differ too much to stand for each other; unknown
  multiplexed,   ///< the kernel multiplexed the counter; scaled to the whole time
  extrapolated,  ///< groups of stations were rotated; scaled to the whole time
};
std::string_view name_of(Label label);
/// "reset, uneven".
std::string names_of(const std::set<Label>& labels);
/// The label of this name; nothing where there is none.
std::optional<Label> label_of(std::string_view name);

/// Traffic of a period. Amounts are empty where they are not known.
struct Traffic {
  double begin_seconds = 0;  ///< by the steady clock
  double seconds = 0;
  PerRole<std::optional<double>> amounts;
  std::set<Label> labels;
  double scale = 1;  ///< the whole time over the time in which rotated groups counted
  /// The range of `station_rates` over their mean; empty where no groups are rotated.
  std::optional<double> spread;
  /// Bytes a second at each of the fabric's stations, by rotated group.
  std::vector<double> station_rates;
};

/// The traffic between two snapshots of a source, the earlier first.
Traffic traffic_between(const CounterSnapshot& before, const CounterSnapshot& after, const Layout& layout);

/// The traffic as it may be reported: where rotated groups of stations differ by over a tenth, what was extrapolated
/// from them becomes unknown and labelled.
Traffic stated(Traffic traffic);

/// The traffic of a whole period, from pieces that follow one another. A role that is unknown in some pieces is
/// extrapolated from the others, unless those are less than half of the time.
Traffic total(std::span<const Traffic> pieces);

/// Fraction of requests to the memory-side cache that were served without going to DRAM. It is not clipped to 0 and 1:
/// a value outside shows that something else took part, such as write-backs of lines written before.
struct HitRate {
  std::optional<double> reads_and_writes = {};
  std::optional<double> reads = {};
  bool without_cpu = false;  ///< the CPU's requests, which the cache does not serve, were subtracted
  std::string why_not = {};  ///< where there is no hit rate
};

/// 1 - (memory - CPU) / (fabric - CPU), in bytes of the same period. `no_hit_rate` is the layout's reason.
HitRate hit_rate(const Traffic& traffic, std::string_view no_hit_rate);

/// The mean latency of the CPU's requests that missed L3.
struct CpuLatency {
  std::optional<double> ns = {};
  std::string why_not = {};  ///< where there is no latency; empty where no counter samples it
};

/// The latency by the requests that L3 sampled. `no_cpu_latency` is the layout's reason. Source: Linux,
/// tools/perf/pmu-events/arch/x86/amdzen5/l3-cache.json, l3_xi_sampled_latency.all.
CpuLatency cpu_latency(const Traffic& traffic, std::string_view no_cpu_latency);

/// Makes intervals of snapshots that follow one another: from each to the next, or further until each rotated group has
/// counted.
class Intervals {
 public:
  explicit Intervals(const Layout& layout) : layout_(layout), begin_(layout.empty_snapshot()) {}

  /// The interval that ends with this snapshot, if one does.
  std::optional<Traffic> add(const CounterSnapshot& snapshot) {
    if (snapshots_++ % layout_.rotations != 0) return std::nullopt;
    std::optional<Traffic> traffic;
    if (snapshots_ > 1) traffic = traffic_between(begin_, snapshot, layout_);
    begin_ = snapshot;
    return traffic;
  }

 private:
  const Layout& layout_;
  CounterSnapshot begin_;
  std::size_t snapshots_ = 0;
};

}  // namespace sonde::counters
