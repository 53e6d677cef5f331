// How often zero-copy's verdict on a noisy driver is right, left open or wrong.
//
// sharing_of_noisy_drivers [runs] [noise] [interrupted]
//
// Four doubles that share, copy, maintain caches and move pages; of each so many runs at quick effort, the noise and
// the share of interrupted calls as given (0.2 and 0.05).

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "support/noisy_drivers.hpp"

using namespace sonde;

namespace {

struct Tally {
  int right = 0;
  int open = 0;
  int wrong = 0;
};

void add_run(const test::Sharing& sharing, const std::string& expected, Tally& tally) {
  const test::RecordingObserver observer = test::asked_for_sharing(sharing, 16 << 20);
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
  fmt::print("{:18} {:>6} {:>6} {:>6}   of {} verdicts each, noise {}, interrupted {}\n", "driver", "right", "open",
             "wrong", 2 * runs, noise, interrupted);
  for (const auto& [expected, sharing] : test::drivers_by_finding()) {
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
