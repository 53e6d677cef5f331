#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "measure/probe.hpp"
#include "records/lines.hpp"

namespace sonde::records {

/// One line of a record file or of a worker's pipe. Fields that its kind does not have are empty.
struct Line {
  std::string kind;  ///< "sample", "skip", "point", …
  Origin origin;
  measure::Measurement measurement;  ///< of a sample
  measure::Point point;              ///< of a point, skip or error
  bool has_point = false;
  measure::Finding finding;
  measure::FoundLevel level;
  std::uint32_t line_bytes = 0;  ///< of a device
  int schema = 0;                ///< of a run
  std::uint64_t seed = 1;        ///< of a run
  std::string reason;
  std::string name;  ///< of a point
  double expected_seconds = 0;
  gpu::DeviceInfo info;  ///< of an info line
};

/// Whether it is a measured point: the same in cycles is no other.
bool is_point(const Line& line);

/// Nothing for a line that is no record: not JSON, no object, or a known kind with a field of the wrong type.
std::optional<Line> parse_line(std::string_view text);

}  // namespace sonde::records
