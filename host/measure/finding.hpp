#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/measurement.hpp"

namespace sonde::measure {

/// A conclusion. Its evidence is a sentence that a reader can check against the samples.
struct Finding {
  const FindingKind* kind = nullptr;  ///< null only where a record of another version names one that this one lacks
  Words words = {};
  std::optional<double> value = {};
  std::optional<double> low = {};  ///< of the interval that holds the value, where it is known
  std::optional<double> high = {};
  std::string unit = {};
  std::string evidence = {};
  std::map<std::string, double> details = {};  ///< numbers of the same conclusion, by names with their units
};

/// A level of the memory hierarchy, 1 the nearest, on the curve that `words` name.
struct FoundLevel {
  Words words = {};
  int level = 1;
  analysis::Level found = {};
  std::optional<analysis::Bracket> cycles = {};  ///< its latency, where the clock is known
  std::optional<analysis::Bracket> gbps = {};    ///< on a bandwidth curve, which has no latency
  double swept_bytes = 0;                        ///< the largest working set of its curve
  std::string name = {};                         ///< "level 1", "memory", or "beyond" where the last may not be memory
  std::optional<int> matches = {};               ///< on a bandwidth curve: the latency level that is the same cache
};

/// Curves that no level is read from, with the reason in words that tell the user what to do.
struct CurvesWithoutLevels {
  Words words;
  std::string reason;
};

/// Everything that a probe reads from its measurements.
struct Conclusion {
  std::vector<FoundLevel> levels = {};
  std::vector<Finding> findings = {};
  std::vector<CurvesWithoutLevels> without_levels = {};
  /// What measurements say in another unit, concluded from all of them; a record keeps them as samples.
  std::vector<Measurement> derived = {};
};

}  // namespace sonde::measure
