#include "session/level_matching.hpp"

#include <algorithm>
#include <iterator>

#include "measure/level_agreement.hpp"
#include "probes/catalog.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::session {

std::vector<measure::FoundLevel> LevelMatching::matched(const measure::Probe& probe,
                                                        std::vector<measure::FoundLevel> levels) {
  if (&probe == &probes::latency) {
    std::ranges::copy_if(levels, std::back_inserter(latency_), [](const measure::FoundLevel& level) {
      return workloads::path_of(level.series) == workloads::Path::vector;
    });
  } else if (&probe == &probes::bandwidth) {
    measure::match(latency_, levels);
  }
  return levels;
}

}  // namespace sonde::session
