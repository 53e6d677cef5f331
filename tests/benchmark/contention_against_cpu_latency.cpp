// Prints, in turn and a tenth of a second each, what the cpu-latency probe's walk takes for a load of memory and what
// the windows of contention's companion say of it with the GPU idle, over several pairs of regions of their own: two
// instruments for one thing, held against each other faster than a machine changes its mind about its memory.
// Usage: contention_against_cpu_latency [pairs of regions] [rounds]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analysis/statistics.hpp"
#include "cpu/companion.hpp"
#include "cpu/topology.hpp"
#include "workloads/cpu_walk.hpp"

namespace {

using namespace sonde;
using namespace std::chrono_literals;

constexpr std::uint32_t line_bytes = 64;
constexpr std::uint32_t lines = (256u << 20) / line_bytes;
constexpr std::uint64_t hops = 64 * 10'000;  // about a tenth of a second

void print(const char* what, const std::vector<double>& values) {
  const analysis::Summary all = analysis::summarize(values);
  std::printf("  %-28s %8.3f  quartiles %8.3f %8.3f  least %8.3f  most %8.3f\n", what, all.median, all.lower_quartile,
              all.upper_quartile, analysis::quantile(values, 0), analysis::quantile(values, 1));
}

}  // namespace

int main(int count, char** words) {
  const int pairs = count > 1 ? std::atoi(words[1]) : 5;
  const int rounds = count > 2 ? std::atoi(words[2]) : 20;
  const cpu::Topology& machine = cpu::machine();
  const workloads::CpuPlace place{.core = cpu::quiet_core(machine, 0),
                                  .pages = cpu::has_huge_pages() ? cpu::Pages::huge : cpu::Pages::small,
                                  .awake_by = std::nullopt};
  std::vector<double> all;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto seed = static_cast<std::uint64_t>(pair);
    const measure::Workload walk = workloads::cpu_cycle_chase(place, lines, line_bytes, 2 * seed + 1);
    const workloads::PointerCycle cycle(lines, line_bytes, place.pages, 2 * seed + 2);
    const std::byte* at = cycle.start();
    const auto companion = cpu::chase_on(place.core.cpu, at);
    (void)walk.run(lines);  // a lap of each, untimed
    (void)companion->chase_for(700ms);
    std::vector<double> walked;
    std::vector<double> windowed;
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
      walked.push_back(walk.run(hops).count() / static_cast<double>(hops));
      std::vector<double> ns;
      for (const device::ChaseWindow& one : companion->chase_for(100ms)) ns.push_back(one.ns_per_load);
      windowed.push_back(analysis::quantile(ns, 0.5));
      ratios.push_back(windowed.back() / walked.back());
    }
    std::printf("regions %d\n", pair + 1);
    print("cpu-latency, ns", walked);
    print("contention, idle, ns", windowed);
    print("contention / cpu-latency", ratios);
    all.insert(all.end(), ratios.begin(), ratios.end());
  }
  std::printf("all\n");
  print("contention / cpu-latency", all);
  return 0;
}
