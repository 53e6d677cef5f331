// How often zero-copy's verdict on a noisy driver is right, left open or wrong.
//
// sharing_of_noisy_drivers [runs] [noise] [interrupted]
//
// Four doubles that share, copy, maintain caches and move pages; of each so many runs at quick effort, the noise and
// the share of interrupted calls as given (0.2 and 0.05).

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>

#include "gpu/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "support/copying_device.hpp"
#include "support/recording_observer.hpp"

using namespace sonde;

namespace {

constexpr double explicit_gbps = 20;

gpu::model::Description description() {
  gpu::model::Description model;
  model.name = "small";
  model.memory_bytes = 1ull << 29;
  model.clock_mhz = 2000;
  model.launch_ns = 8000;
  model.levels.resize(2);
  model.levels[0].bytes = 32768;
  model.levels[0].latency_ns = 40;
  model.levels[1].latency_ns = 300;
  model.levels[1].read_gbps = 400;
  model.levels[1].write_gbps = 400;
  return model;
}

struct Tally {
  int right = 0;
  int open = 0;
  int wrong = 0;
};

void add_run(const test::Sharing& sharing, const std::string& expected, Tally& tally) {
  test::CopyingDevice device(gpu::model::open(description()), sharing, explicit_gbps);
  test::RecordingObserver observer;
  measure::run_probe(device, probes::zero_copy,
                     {.request = {.effort = measure::Effort::quick, .largest_bytes = 16 << 20},
                      .host_time = [] { return counters::HostTime{}; }},
                     observer);
  for (const measure::Finding& finding : observer.findings) {
    const auto memory = finding.series.find("memory");
    if (memory == finding.series.end() || memory->second != "alloc-host-ptr") continue;
    tally.right += finding.name == expected ? 1 : 0;
    tally.open += finding.name == "unclear" ? 1 : 0;
    tally.wrong += finding.name != expected && finding.name != "unclear" ? 1 : 0;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int runs = count > 1 ? std::atoi(arguments[1]) : 100;
  const double noise = count > 2 ? std::atof(arguments[2]) : 0.2;
  const double interrupted = count > 3 ? std::atof(arguments[3]) : 0.05;
  const std::map<std::string, test::Sharing> drivers{{"zero-copy", {}},
                                                     {"copies", {.copy_gbps = 12}},
                                                     {"cache-maintenance", {.maintenance_gbps = 120}},
                                                     {"migrates", {.page_us = 12}}};
  fmt::print("{:18} {:>6} {:>6} {:>6}   of {} verdicts each, noise {}, interrupted {}\n", "driver", "right", "open",
             "wrong", 2 * runs, noise, interrupted);
  for (const auto& [expected, sharing] : drivers) {
    Tally tally;
    for (int run = 0; run < runs; ++run) {
      test::Sharing noisy = sharing;
      noisy.noise = noise;
      noisy.interrupted = interrupted;
      noisy.seed = static_cast<std::uint64_t>(run) + 1;
      add_run(noisy, expected, tally);
    }
    fmt::print("{:18} {:6} {:6} {:6}\n", expected, tally.right, tally.open, tally.wrong);
  }
}
