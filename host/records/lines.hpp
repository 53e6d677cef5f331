#pragma once

#include <filesystem>

#include "counters/selfcheck/known_load.hpp"
#include "measure/runner.hpp"
#include "records/device_record.hpp"

// The lines of a record file and of a worker's pipe, a type a kind; docs/records.md describes what a file has.
namespace sonde::records {

inline constexpr int schema_version = 1;

/// Which curve a record belongs to: device id, API and probe.
struct Origin {
  std::string device;
  std::string api;
  std::string probe;

  friend auto operator<=>(const Origin&, const Origin&) = default;
};

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

/// One side of a duel: a run beside another, whose files say the same id.
struct DuelSide {
  std::string id;    ///< UUID
  std::string side;  ///< "base" or "new"
  std::vector<std::string> settings;
};

/// Readers take the schema, 0 where there is none, the command, seed, effort and host.
struct RunLine {
  static constexpr const char* record = "run";
  int schema = schema_version;
  std::string run;   ///< UUID
  std::string time;  ///< UTC, RFC 3339
  std::string version;
  std::string commit;
  std::vector<std::string> command;
  std::uint64_t seed = 1;
  std::string effort;
  HostRecord host;
  std::optional<DuelSide> duel = {};  ///< not read
};

struct SampleLine {
  static constexpr const char* record = "sample";
  Origin origin;
  measure::Measurement measurement;
  double t_seconds = 0;          ///< since the run began
  int process = 0;               ///< which worker of the run measured it; not read
  std::optional<int> pair = {};  ///< in a duel the same number as the other side's visit; not read
};

struct LevelLine {
  static constexpr const char* record = "level";
  Origin origin;
  measure::FoundLevel level;
};

struct FindingLine {
  static constexpr const char* record = "finding";
  Origin origin;
  std::string name;  ///< the name of its kind, which is not looked up here
  measure::Finding finding;
};

struct SkipLine {
  static constexpr const char* record = "skip";
  Origin origin;
  std::optional<measure::Point> point;  ///< none where all of the probe was skipped, or failed
  std::string reason;
};

struct ErrorLine : SkipLine {
  static constexpr const char* record = "error";
};

/// The point beside which something was counted, and the bytes that its kernel moved meanwhile.
struct CountedPoint {
  Origin origin;
  measure::Point point;
  double moved_bytes = 0;  ///< 0 where it is not known
  std::optional<double> fabric_per_byte = {};
  std::optional<double> memory_per_byte = {};
};

/// The counts of one interval. `traffic.begin_seconds` counts from the start of the run. Readers find of the hit rate
/// that of reads and writes alone.
struct CounterLine {
  static constexpr const char* record = "counter";
  std::string source;
  counters::Traffic traffic;
  counters::HitRate hit_rate;
  bool baseline = false;                             ///< the interval was before the watched command began
  unsigned beat_bytes = 0;                           ///< bytes of one count at the fabric; 0 where none is counted
  std::optional<counters::KnownTraffic> known = {};  ///< the known load of a self-check
  std::optional<CountedPoint> point = {};            ///< a run's point; the interval is its timed dispatches alone
};

/// The last line of a run. Readers take the status and the seconds.
struct EndLine {
  static constexpr const char* record = "end";
  std::string status;
  double seconds = 0;
  std::size_t samples = 0;
  std::size_t skips = 0;
  std::size_t errors = 0;
};

/// A record of a later version, which readers ignore.
struct UnknownLine {
  static constexpr const char* record = "";
  std::string kind;
};

// These lines pass between a worker and its parent only, and are never in a file.

/// A visit that a worker is asked to make. The origin's probe is an id.
struct VisitLine {
  static constexpr const char* record = "visit";
  Origin origin;
  std::string curve;  ///< its name; whoever reads this looks the curve up
  measure::Visit visit;
};

/// The end of what a worker sends of a visit, or of a list: its samples or devices, if any, came before.
struct AnswerLine {
  static constexpr const char* record = "answer";
  measure::Answer::End end = measure::Answer::End::measured;
  std::string reason;
  std::optional<double> simulated_seconds = {};  ///< how long it took, where the device is simulated
};

struct AliveLine {
  static constexpr const char* record = "alive";
};

struct InfoLine {
  static constexpr const char* record = "info";
  device::DeviceInfo info;
  bool counts_traffic = false;  ///< what moves is counted beside probes that want it, once the device is open
  std::string library = {};     ///< of a driver that was listed alone, its file
};

using Line = std::variant<UnknownLine, RunLine, DeviceRecord, SampleLine, LevelLine, FindingLine, CounterLine, SkipLine,
                          ErrorLine, EndLine, VisitLine, AnswerLine, AliveLine, InfoLine>;

/// A record without an end of line.
std::string text_of(const Line& line);
std::string counter_line(const CounterLine& counter);

/// The declaration of a curve, for values in `unit`: before the curve's first sample.
std::string curve_line(std::string_view probe, const measure::Curve& curve, const measure::Words& words,
                       const std::string& unit);
/// The declaration of a kind of finding: before the kind's first finding.
std::string finding_kind_line(std::string_view probe, const measure::FindingKind& kind);

/// One device as `sonde list --json` prints it: the device record with, for each probe, "yes" or why not.
struct Applicability {
  std::string probe;
  std::string api;
  std::string answer;
};
std::string listed_device_json(const DeviceRecord& device, const std::vector<Applicability>& probes);

/// Whether a sample is a measured point, not the same one in cycles.
inline bool is_point(const SampleLine& sample) { return sample.measurement.unit != "cycles"; }

/// The record in a line. Throws InvalidFile with what is wrong, "attempts must be a whole number", without the place.
Line read_line(std::string_view text);

/// The record in a line, or nothing for a line that is no record: not JSON, no object, or a known kind with a field of
/// the wrong type.
std::optional<Line> parse_line(std::string_view text);

/// A record file's lines, each once, what was measured in the order of its time, unknown kinds left out. Throws
/// InvalidFile with one sentence when the file cannot be read, is no record file or has another schema. An unfinished
/// last line is skipped, which `note` mentions.
std::vector<Line> read_file(const std::filesystem::path& path, std::string& note);

/// The records of a file's text; `name` stands for the file in messages.
std::vector<Line> read_records(std::string_view text, const std::string& name, std::string& note);

// A worker reads one of these.

/// The task of listing the devices of an API, or of one of its drivers.
struct ListTask {
  device::Api api = device::Api::opencl;
  DriverChoice driver = {};
};

/// The task of opening one device through one API and making the visits that are asked for one after the other.
struct MeasureTask {
  device::Api api = device::Api::opencl;
  std::string device;  ///< its id in the record
  DriverChoice driver = {};
  std::size_t index = 0;  ///< its place in the list of those that the choice shows
  std::string pci;
  std::string model;        ///< the text of a simulated device's file; empty for a real one
  std::uint64_t noise = 0;  ///< two simulated devices that are alike but for this have noise of their own
  measure::Request request;
  std::chrono::steady_clock::time_point run_start;  ///< a time of the clock that all processes of a machine share
  bool needs_host_core = false;  ///< the driver, which the worker loads, is kept off the companion's core
  bool opens_counters = false;   ///< a probe wants hit rates, or traffic is counted beside every probe
  bool counts_traffic = false;   ///< traffic is counted beside every probe, not only those that want hit rates
  std::string sysfs_root = "/";  ///< the tree that clocks, temperature and power are read from
};

using Task = std::variant<ListTask, MeasureTask>;

std::string task_text(const Task& task);

/// The task in a text, or nothing where it is none.
std::optional<Task> parse_task(std::string_view text);

/// The names that a `counter` record has for roles: its own fields, and those of its `state`.
struct RoleName {
  counters::Role role;
  const char* name;
};
inline constexpr RoleName role_names[] = {
    {counters::Role::fabric_read, "fabric_read"},   {counters::Role::fabric_write, "fabric_write"},
    {counters::Role::memory_read, "memory_read"},   {counters::Role::memory_write, "memory_write"},
    {counters::Role::gpu_read, "gpu_read"},         {counters::Role::gpu_write, "gpu_write"},
    {counters::Role::cpu_read, "cpu_read"},         {counters::Role::cpu_write, "cpu_write"},
    {counters::Role::cpu_requests, "cpu_requests"}, {counters::Role::gpu_requests, "gpu_requests"},
    {counters::Role::io_requests, "io_requests"},   {counters::Role::l3_latency_ns, "l3_latency_ns"},
    {counters::Role::l3_samples, "l3_samples"},     {counters::Role::memory_clock, "memory_clock"},
    {counters::Role::uncalibrated, "uncalibrated"}, {counters::Role::other, "other"}};
inline constexpr auto bytes_of_roles = std::span(role_names).first<8>();
inline constexpr auto state_of_roles = std::span(role_names).last<8>();

}  // namespace sonde::records
