#pragma once

#include <filesystem>

#include "measure/probe.hpp"
#include "records/counter_line.hpp"
#include "records/lines.hpp"

// A line of a record file or of a worker's pipe, a type a kind; docs/records.md describes what a file has.
namespace sonde::records {

struct RunLine {
  int schema = 0;
  std::uint64_t seed = 1;
};

struct DeviceLine {
  std::string device;  ///< its id
  std::string name;
  std::uint32_t line_bytes = 0;  ///< 0 where the file has none
  std::uint32_t page_bytes = 0;  ///< the same: of a walk with one line a page
  std::vector<device::StatedCache> stated_caches = {};
};

struct SampleLine {
  Origin origin;
  measure::Measurement measurement;
};

struct LevelLine {
  Origin origin;
  measure::FoundLevel level;
};

struct FindingLine {
  Origin origin;
  std::string name;  ///< the name of its kind, which is not looked up here
  measure::Finding finding;
};

struct SkipLine {
  Origin origin;
  std::optional<measure::Point> point;  ///< none where all of the probe was skipped
  std::string reason;
};

struct ErrorLine {
  Origin origin;
  std::optional<measure::Point> point;  ///< none where all of the probe failed
  std::string reason;
};

/// A line of counters, without the hit rate, which follows from the rest.
struct CounterLine {
  CounterRecord counter;
};

struct EndLine {};

/// A record of a later version, which readers ignore.
struct UnknownLine {
  std::string kind;
};

// These lines pass between a worker and its parent only, and are never in a file.

/// The probe that is asked from now on.
struct ProbeLine {
  Origin origin;
};

/// The expected time of the points that a probe has just asked for.
struct PlanLine {
  double expected_seconds = 0;
};

/// The point that is measured from now on.
struct PointLine {
  Origin origin;
  std::string name;
  measure::Point point;
};

struct AliveLine {};

struct InfoLine {
  device::DeviceInfo info;
};

/// The reason for which an API cannot be asked for its devices.
struct UnsupportedLine {
  std::string reason;
};

using Line = std::variant<UnknownLine, RunLine, DeviceLine, SampleLine, LevelLine, FindingLine, CounterLine, SkipLine,
                          ErrorLine, EndLine, ProbeLine, PlanLine, PointLine, AliveLine, InfoLine, UnsupportedLine>;

/// Whether a sample is a measured point, not the same one in cycles.
bool is_point(const SampleLine& sample);

/// The record in a line. Throws InvalidFile with what is wrong, "attempts must be a whole number", without the place.
Line read_line(std::string_view text);

/// The record in a line, or nothing for a line that is no record: not JSON, no object, or a known kind with a field of
/// the wrong type.
std::optional<Line> parse_line(std::string_view text);

/// A record file's lines, unknown kinds left out. Throws InvalidFile with one sentence when the file cannot be read, is
/// no record file or has another schema. An unfinished last line is skipped, which `note` mentions.
std::vector<Line> read_file(const std::filesystem::path& path, std::string& note);

/// The records of a file's text; `name` stands for the file in messages.
std::vector<Line> read_records(std::string_view text, const std::string& name, std::string& note);

}  // namespace sonde::records
