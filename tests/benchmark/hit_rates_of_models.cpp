// How near the hit-rate probe comes to the true rates of simulated devices, whose caches count their hits.
//
// hit_rates_of_models [runs] [noise]
//
// Memory-side caches of 8 to 128 MiB, least recently used, pseudo-LRU and random, hashed or not; of each so many runs
// at quick effort (1), with noise of a dispatch as given (0.01) and one outlier in a hundred, twice as long. Printed
// are the largest error of the share of hits between 1.5 and 6 times the size, that of the capacity, how often the
// intervals hold what is true, and the largest error of the share by counters, with uneven stations in turn and a CPU
// beside. Last, devices without such a cache. An argument after these is the one size in MiB that is tried.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/model/memory.hpp"
#include "device/model/model.hpp"
#include "device/model/random.hpp"
#include "measure/runner.hpp"
#include "measure/simulated_counters.hpp"
#include "probes/catalog.hpp"
#include "support/recording_observer.hpp"

using namespace sonde;
using device::model::Policy;

namespace {

constexpr std::uint64_t mib = 1 << 20;

device::model::Description gpu_with(std::uint64_t side_bytes, Policy policy, bool hashed, double noise,
                                 std::uint64_t seed) {
  device::model::Description model;
  model.name = "gpu";
  model.memory_bytes = 8192 * mib;
  model.clock_mhz = 2500;
  model.launch_ns = 3000;
  model.seed = seed;
  model.noise = {.relative = noise, .outlier_share = 0.01, .outlier_factor = 2, .ramp_seconds = 0.2};
  model.levels = {
      {.name = "L1", .bytes = 32768, .latency_ns = 30},
      {.name = "L2", .bytes = 2 * mib, .latency_ns = 90},
      {.name = "side", .bytes = side_bytes, .policy = policy, .hashed = hashed, .memory_side = true, .latency_ns = 160},
      {.name = "DRAM", .latency_ns = 300}};
  if (side_bytes == 0) model.levels.erase(model.levels.begin() + 2);
  return model;
}

test::RecordingObserver measured(const device::model::Description& model) {
  const auto device = device::model::open(model);
  measure::Request request{.effort = measure::Effort::quick, .seed = model.seed};
  request.stated_memory_side_bytes = device::memory_side_bytes(device->info().stated_caches);
  request.counts_traffic = true;
  test::RecordingObserver observer;
  measure::RunnerOptions options{.request = request, .host_time = [] { return counters::HostTime{}; }};
  options.traffic = std::make_shared<counters::TrafficMeter>(measure::simulated_counters(*device->simulated_traffic()));
  measure::run_probe(*device, probes::hit_rate, options, observer);
  return observer;
}

double true_rate(const device::model::Description& model, double bytes) {
  device::model::Memory memory(model, ~0ull);
  device::model::Random random(model.seed + 99);
  const auto lines = static_cast<std::uint64_t>(bytes / 64);
  const auto walk = [&](std::uint64_t loads) {
    memory.start(0);
    for (std::uint64_t i = 0; i < loads; ++i)
      memory.access(static_cast<std::uint64_t>(random.uniform() * static_cast<double>(lines)) * 64);
  };
  walk(3 * lines);
  walk(2'000'000);
  const auto& served = memory.served();
  return static_cast<double>(served[2]) / static_cast<double>(served[2] + served[3]);
}

struct Tally {
  double worst_rate = 0;
  double worst_counted = 0;
  double worst_capacity = 0;
  int rates = 0;
  int rates_held = 0;
  int capacities = 0;
  int capacities_held = 0;
  int runs = 0;
};

void add(const device::model::Description& model, std::uint64_t side_bytes, std::map<double, double>& truth,
         Tally& tally) {
  const test::RecordingObserver observer = measured(model);
  const auto size = static_cast<double>(side_bytes);
  ++tally.runs;
  for (const measure::Finding& finding : observer.findings) {
    const bool is_by_timing = finding.series.at("memory") == "device" && finding.series.at("method") == "timing";
    if (finding.name != "effective-capacity" || !is_by_timing) continue;
    ++tally.capacities;
    tally.worst_capacity = std::max(tally.worst_capacity, std::abs(*finding.value / size - 1));
    tally.capacities_held += finding.low && *finding.low <= size && *finding.high >= size ? 1 : 0;
  }
  for (const measure::Measurement& one : observer.measurements) {
    const double bytes = one.point.x.at("bytes");
    if (one.unit != "ratio" || one.point.series.at("memory") != "device" || bytes < 1.5 * size || bytes > 6.1 * size)
      continue;
    if (one.point.series.contains("pattern")) continue;
    if (!truth.contains(bytes)) truth[bytes] = true_rate(model, bytes);
    if (one.point.series.at("method") == "counters") {
      tally.worst_counted = std::max(tally.worst_counted, std::abs(measure::median_of(one) - truth[bytes]));
      continue;
    }
    ++tally.rates;
    tally.worst_rate = std::max(tally.worst_rate, std::abs(measure::median_of(one) - truth[bytes]));
    tally.rates_held += one.interval && one.interval->low <= truth[bytes] && one.interval->high >= truth[bytes] ? 1 : 0;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int runs = count > 1 ? std::atoi(arguments[1]) : 1;
  const double noise = count > 2 ? std::atof(arguments[2]) : 0.01;
  const std::map<Policy, const char*> names{{Policy::lru, "lru"}, {Policy::plru, "plru"}, {Policy::random, "random"}};
  fmt::print("{:28} {:>6} {:>12} {:>8} {:>14} {:>8} {:>12}\n", "memory-side cache", "found", "rate off by", "held",
             "capacity off by", "held", "by counters");
  Tally all;
  const std::vector<std::uint64_t> sizes = count > 3
                                               ? std::vector<std::uint64_t>{std::strtoull(arguments[3], nullptr, 10)}
                                               : std::vector<std::uint64_t>{8, 32, 96, 128};
  for (const std::uint64_t side_mib : sizes) {
    for (const auto& [policy, name] : names) {
      for (const bool hashed : {false, true}) {
        if (side_mib == 96 && !hashed) continue;  // no power of two: only hashed sets are so many
        Tally tally;
        std::map<double, double> truth;
        for (int run = 1; run <= runs; ++run) {
          const std::uint64_t bytes = side_mib * mib;
          add(gpu_with(bytes, policy, hashed, noise, static_cast<std::uint64_t>(run)), bytes, truth, tally);
        }
        fmt::print("{:28} {:3}/{:<3} {:11.3f} {:4}/{:<4} {:13.1f}% {:4}/{:<4} {:11.4f}\n",
                   fmt::format("{} MiB, {}{}", side_mib, name, hashed ? ", hashed" : ""), tally.capacities, tally.runs,
                   tally.worst_rate, tally.rates_held, tally.rates, 100 * tally.worst_capacity, tally.capacities_held,
                   tally.capacities, tally.worst_counted);
        std::fflush(stdout);
        all.rates += tally.rates;
        all.rates_held += tally.rates_held;
        all.capacities += tally.capacities;
        all.capacities_held += tally.capacities_held;
        all.worst_rate = std::max(all.worst_rate, tally.worst_rate);
        all.worst_counted = std::max(all.worst_counted, tally.worst_counted);
        all.worst_capacity = std::max(all.worst_capacity, tally.worst_capacity);
      }
    }
  }
  fmt::print(
      "all: rate off by at most {:.3f}, capacity by {:.1f} %; intervals hold {} of {} rates, {} of {} capacities\n",
      all.worst_rate, 100 * all.worst_capacity, all.rates_held, all.rates, all.capacities_held, all.capacities);
  int none = 0;
  for (int run = 1; run <= runs; ++run) {
    const auto observer = measured(gpu_with(0, Policy::lru, false, noise, static_cast<std::uint64_t>(run)));
    none += std::ranges::any_of(observer.findings, [](const auto& one) { return one.name == "none-seen"; }) ? 1 : 0;
  }
  fmt::print("without one: none-seen in {} of {}\n", none, runs);
}
