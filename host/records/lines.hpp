#pragma once

#include "measure/probe.hpp"
#include "records/device_record.hpp"

// The record file's lines, as docs/records.md describes them; each without its end of line.
namespace sonde::records {

inline constexpr int schema_version = 1;

/// The machine that a run was made on.
struct HostRecord {
  std::string name;
  std::string os;
  std::string kernel;
  std::string cpu;
  std::uint32_t cores = 0;
  std::uint64_t memory_bytes = 0;
  std::optional<bool> virtualised;
};

struct RunRecord {
  std::string run;   ///< UUID
  std::string time;  ///< UTC, RFC 3339
  std::string version;
  std::string commit;
  std::vector<std::string> command;
  std::uint64_t seed = 0;
  std::string effort;
  HostRecord host;
};

struct EndRecord {
  std::string status;
  double seconds = 0;
  std::size_t samples = 0;
  std::size_t skips = 0;
  std::size_t errors = 0;
};

/// Which curve a record belongs to: device id, API and probe.
struct Origin {
  std::string device;
  std::string api;
  std::string probe;

  friend auto operator<=>(const Origin&, const Origin&) = default;
};

std::string run_line(const RunRecord& run);
std::string device_line(const DeviceRecord& device);
std::string sample_line(const Origin& origin, const measure::Measurement& measurement, double t_seconds);
std::string level_line(const Origin& origin, const measure::FoundLevel& level);
std::string finding_line(const Origin& origin, const measure::Finding& finding);
/// The declaration of a curve, for values in `unit`: before the curve's first sample.
std::string curve_line(std::string_view probe, const measure::Curve& curve, const measure::Words& words,
                       const std::string& unit);
/// The declaration of a kind of finding: before the kind's first finding.
std::string finding_kind_line(std::string_view probe, const measure::FindingKind& kind);
/// `point` may be null when the whole probe was skipped or failed.
std::string skip_line(const Origin& origin, const measure::Point* point, const std::string& reason);
std::string error_line(const Origin& origin, const measure::Point* point, const std::string& reason);
std::string end_line(const EndRecord& end);
/// The fields that say which point something belongs to, for a line that is written otherwise: "device":"cpu",…
std::string fields_of(const Origin& origin, const measure::Point& point);

/// One device as `sonde list --json` prints it: the device record with, for each probe, "yes" or why not.
struct Applicability {
  std::string probe;
  std::string api;
  std::string answer;
};
std::string listed_device_json(const DeviceRecord& device, const std::vector<Applicability>& probes);

// These lines pass between a worker and its parent only, and are never in a file.
std::string info_line(const device::DeviceInfo& info);
std::string probe_line(const Origin& origin);
std::string plan_line(const std::vector<double>& expected_seconds);
std::string point_line(const Origin& origin, const std::string& name, const measure::Point& point);
std::string alive_line();
std::string unsupported_line(const std::string& reason);

std::string api_name(device::Api api);
std::string type_name(device::DeviceType type);

}  // namespace sonde::records
