#include "session/level_matching.hpp"

#include <algorithm>
#include <iterator>

#include "measure/level_findings.hpp"
#include "probes/catalog.hpp"

namespace sonde::session {

std::vector<measure::FoundLevel> LevelMatching::matched(const measure::Probe& probe,
                                                        std::vector<measure::FoundLevel> levels) {
  if (&probe == &probes::latency) {
    std::ranges::copy_if(levels, std::back_inserter(latency_), [](const measure::FoundLevel& level) {
      return level.words.path.value_or(measure::Path::vector) == measure::Path::vector;
    });
  } else if (&probe == &probes::bandwidth) {
    measure::match(latency_, levels);
  }
  return levels;
}

}  // namespace sonde::session
