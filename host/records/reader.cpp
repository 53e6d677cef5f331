#include "records/reader.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "records/invalid_file.hpp"

namespace sonde::records {
namespace {

using Json = nlohmann::json;

/// A value of exactly such a type: the library would make a number of a truth value, and wrap one that is too large.
template <typename Value>
Value converted(const Json& value, const char* key) {
  const auto wrong = [key](const char* wanted) { return InvalidFile(std::string(key) + " must be " + wanted); };
  if constexpr (std::is_same_v<Value, bool>) {
    if (!value.is_boolean()) throw wrong("true or false");
  } else if constexpr (std::is_integral_v<Value>) {
    if (!value.is_number_integer()) throw wrong("a whole number");
    const bool negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
    if (negative && (std::is_unsigned_v<Value> || !std::in_range<Value>(value.get<std::int64_t>())))
      throw wrong("a larger number");
    if (!negative && !std::in_range<Value>(value.get<std::uint64_t>())) throw wrong("a smaller number");
  } else if constexpr (std::is_same_v<Value, double>) {
    if (!value.is_number()) throw wrong("a number");
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (!value.is_string()) throw wrong("a text");
  }
  try {
    return value.get<Value>();
  } catch (const Json::exception&) {
    throw wrong("an array or an object of other values");
  }
}

template <typename Value>
std::optional<Value> get_if_there(const Json& json, const char* key) {
  if (!json.is_object()) throw InvalidFile("where " + std::string(key) + " belongs there is no object");
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? std::nullopt : std::optional(converted<Value>(*found, key));
}

template <typename Value>
Value get(const Json& json, const char* key) {
  return get_if_there<Value>(json, key).value_or(Value{});
}

/// An object, which may be missing.
Json part(const Json& json, const char* key) {
  const Json found = get<Json>(json, key);
  if (!found.is_null() && !found.is_object()) throw InvalidFile(std::string(key) + " must be an object");
  return found.is_null() ? Json::object() : found;
}

/// An array of objects, which may be missing.
Json parts(const Json& json, const char* key) {
  const Json found = get<Json>(json, key);
  if (!found.is_null() && !found.is_array()) throw InvalidFile(std::string(key) + " must be an array");
  return found.is_null() ? Json::array() : found;
}

std::vector<device::StatedCache> caches_of(const Json& json) {
  std::vector<device::StatedCache> caches;
  for (const Json& cache : parts(json, "stated_caches")) {
    caches.push_back({.level = get<int>(cache, "level"),
                      .bytes = get<std::uint64_t>(cache, "bytes"),
                      .source = get<std::string>(cache, "source")});
  }
  return caches;
}

measure::Words words_of(const Json& json, const measure::Coordinates& x = {}) {
  return measure::parse_words(get<std::string>(json, "probe"), get<std::map<std::string, std::string>>(json, "series"), x);
}

measure::Point point_of(const Json& json) {
  const measure::Coordinates x = measure::parse_coordinates(get<std::map<std::string, double>>(json, "x"));
  return {.words = words_of(json, x), .x = x, .expected_seconds = get<double>(json, "expected_seconds")};
}

measure::State state_of(const Json& json) {
  measure::State state;
  state.foreign_cpu = get<double>(json, "foreign_cpu");
  state.steal = get<double>(json, "steal");
  state.smt_interference = get_if_there<double>(json, "smt_interference").value_or(0);
  state.interrupted = get_if_there<double>(json, "interrupted").value_or(0);
  state.disturbed = get<bool>(json, "disturbed");
  state.attempts = get<int>(json, "attempts");
  state.clock_settled = get<bool>(json, "clock_settled");
  if (json.contains("shape")) state.shape = get<std::map<std::string, double>>(json, "shape");
  state.laps_settling = get_if_there<double>(json, "laps_settling").value_or(0);
  state.steps = get<std::uint64_t>(json, "steps");
  state.launch_ns = get<double>(json, "launch_ns");
  state.involuntary_switches = get<std::uint64_t>(json, "involuntary_switches");
  state.drift = get_if_there<double>(json, "drift");
  state.instruction = get_if_there<std::string>(json, "instruction").value_or("");
  if (const auto mhz = get_if_there<double>(json, "clock_mhz")) {
    state.core_clock = {.mhz = *mhz, .source = get<std::string>(json, "clock_source")};
  }
  state.device_state = {.gpu_clock_mhz = get_if_there<double>(json, "gpu_clock_mhz"),
                        .memory_clock_mhz = get_if_there<double>(json, "memory_clock_mhz"),
                        .memory_peak_gbps = get_if_there<double>(json, "memory_peak_gbps"),
                        .temperature_celsius = get_if_there<double>(json, "temperature_celsius"),
                        .power_watts = get_if_there<double>(json, "power_watts"),
                        .throttle_reasons = get_if_there<std::set<std::string>>(json, "throttle_reasons"),
                        .cpu_clock_mhz = get_if_there<double>(json, "cpu_clock_mhz")};
  return state;
}

device::DeviceInfo info_of(const Json& json) {
  device::DeviceInfo info;
  info.api = static_cast<device::Api>(get<int>(json, "api"));
  info.type = static_cast<device::DeviceType>(get<int>(json, "type"));
  info.name = get<std::string>(json, "name");
  info.platform = get<std::string>(json, "platform");
  info.driver = get<std::string>(json, "driver");
  info.driver_version = get<std::string>(json, "driver_version");
  info.api_version = get<std::string>(json, "api_version");
  info.uuid = get<std::string>(json, "uuid");
  info.pci = get<std::string>(json, "pci");
  info.compute_units = get<std::uint32_t>(json, "compute_units");
  info.memory_bytes = get<std::uint64_t>(json, "memory_bytes");
  info.largest_buffer_bytes = get<std::uint64_t>(json, "largest_buffer_bytes");
  info.largest_buffer_reason = get<std::string>(json, "largest_buffer_reason");
  info.unified_memory = get<bool>(json, "unified_memory");
  info.line_bytes = get<std::uint32_t>(json, "line_bytes");
  info.largest_group_size = get<std::uint32_t>(json, "largest_group_size");
  info.timer_step_ns = get<double>(json, "timer_step_ns");
  info.stated_caches = caches_of(json);
  for (const Json& kind : parts(json, "memory_kinds")) {
    info.memory_kinds.push_back({.name = get<std::string>(kind, "name"),
                                 .missing = get<std::string>(kind, "missing"),
                                 .seen_by_cpu = get<bool>(kind, "seen_by_cpu"),
                                 .maps_freely = get<bool>(kind, "maps_freely")});
  }
  return info;
}

analysis::Bracket bracket_of(const Json& json) {
  return {get<double>(json, "low"), get<double>(json, "value"), get<double>(json, "high")};
}

measure::FoundLevel level_of(const Json& json) {
  measure::FoundLevel level{.words = words_of(json), .level = get<int>(json, "level")};
  const Json bytes = part(json, "bytes");
  if (!bytes.empty()) level.found.bytes = bracket_of(bytes);
  const Json transition = part(json, "transition");
  if (!transition.empty()) {
    level.found.onset_bytes = get<double>(transition, "onset");
    level.found.end_bytes = get<double>(transition, "end");
  }
  level.found.latency_ns = bracket_of(part(json, "latency_ns"));
  const Json cycles = part(json, "cycles");
  if (!cycles.empty()) level.cycles = bracket_of(cycles);
  const Json bandwidth = part(json, "bandwidth");
  if (!bandwidth.empty()) level.gbps = bracket_of(bandwidth);
  // Files of earlier versions say neither.
  level.name = get_if_there<std::string>(json, "name")
                   .value_or(level.found.bytes ? "level " + std::to_string(level.level) : "memory");
  level.matches = get_if_there<int>(json, "matches");
  level.found.may_be_translation = get<bool>(json, "or_translation");
  return level;
}

Origin origin_of(const Json& json) {
  return {get<std::string>(json, "device"), get<std::string>(json, "api"), get<std::string>(json, "probe")};
}

Line run_of(const Json& json) {
  return RunLine{.schema = get<int>(json, "schema"), .seed = get_if_there<std::uint64_t>(json, "seed").value_or(1)};
}

Line device_of(const Json& json) {
  return DeviceLine{.device = get<std::string>(json, "device"),
                    .name = get<std::string>(json, "name"),
                    .line_bytes = get<std::uint32_t>(json, "line_bytes"),
                    .page_bytes = get<std::uint32_t>(json, "page_bytes"),
                    .stated_caches = caches_of(json)};
}

Line sample_of(const Json& json) {
  SampleLine line{.origin = origin_of(json),
                  .measurement = {.point = point_of(json),
                                  .unit = get<std::string>(json, "unit"),
                                  .values = get<std::vector<double>>(json, "values"),
                                  .state = state_of(part(json, "state"))}};
  const Json interval = part(json, "interval");
  if (!interval.empty()) line.measurement.interval = bracket_of(interval);
  return line;
}

Line level_line_of(const Json& json) { return LevelLine{.origin = origin_of(json), .level = level_of(json)}; }

Line finding_of(const Json& json) {
  return FindingLine{.origin = origin_of(json),
                     .name = get<std::string>(json, "finding"),
                     .finding = {.words = words_of(json),
                                 .value = get_if_there<double>(json, "value"),
                                 .low = get_if_there<double>(json, "low"),
                                 .high = get_if_there<double>(json, "high"),
                                 .unit = get<std::string>(json, "unit"),
                                 .evidence = get<std::string>(json, "evidence")}};
}

CountedPoint counted_point_of(const Json& json) {
  return {.origin = origin_of(json),
          .point = point_of(json),
          .moved_bytes = get_if_there<double>(json, "moved_bytes").value_or(0),
          .fabric_per_byte = get_if_there<double>(json, "fabric_per_byte"),
          .memory_per_byte = get_if_there<double>(json, "memory_per_byte")};
}

counters::KnownTraffic known_of(const Json& json) {
  counters::KnownTraffic known;
  const auto kind = counters::load_kind_of(get<std::string>(json, "load"));
  if (!kind) throw InvalidFile("load must be the name of one that this program makes");
  known.load = {.kind = *kind, .cpu_threads = get<unsigned>(json, "cpu_threads")};
  known.moved_bytes = get<double>(json, "moved");
  const Json counting = part(json, "counting");
  for (const auto& roles : {std::span<const RoleName>(bytes_of_roles), std::span<const RoleName>(state_of_roles)}) {
    for (const auto& [role, name] : roles) {
      const Json one = part(counting, name);
      known.counting[role] = {.count_bytes = get<unsigned>(one, "count_bytes"),
                              .counters = get<std::size_t>(one, "counters")};
    }
  }
  return known;
}

/// Counts and sums of counts are written whole, so that what is made of them is the same from the file.
std::optional<double> whole_if_there(const Json& json, const char* name) {
  const auto number = get_if_there<double>(json, name);
  return number ? std::optional(std::round(*number)) : std::nullopt;
}

Line counter_of(const Json& json) {
  CounterRecord counter{.source = get<std::string>(json, "source"), .baseline = get<bool>(json, "baseline")};
  counters::Traffic& traffic = counter.traffic;
  traffic.begin_seconds = get<double>(json, "t");
  traffic.seconds = get<double>(json, "dt");
  traffic.scale = get_if_there<double>(json, "scale").value_or(1);
  counter.beat_bytes = get<unsigned>(json, "beat_bytes");
  for (const auto& [role, name] : bytes_of_roles) traffic.amounts[role] = whole_if_there(json, name);
  const Json state = part(json, "state");
  for (const auto& [role, name] : state_of_roles) traffic.amounts[role] = whole_if_there(state, name);
  traffic.spread = get_if_there<double>(state, "spread");
  if (state.contains("self_check")) counter.known = known_of(part(state, "self_check"));
  for (const std::string& word : get<std::vector<std::string>>(state, "labels")) {
    if (const auto label = counters::label_of(word)) traffic.labels.insert(*label);
  }
  if (get<bool>(json, "scaled")) traffic.labels.insert(counters::Label::multiplexed);
  if (json.contains("probe")) counter.point = counted_point_of(json);
  counter.hit_rate.reads_and_writes = get_if_there<double>(json, "hit_rate");
  return CounterLine{counter};
}

/// A skip or an error.
template <typename Kind>
Line reason_of(const Json& json) {
  Kind line{.origin = origin_of(json), .point = std::nullopt, .reason = get<std::string>(json, "reason")};
  if (json.contains("series") || json.contains("x")) line.point = point_of(json);
  return line;
}

Line point_line_of(const Json& json) {
  return PointLine{.origin = origin_of(json), .name = get<std::string>(json, "name"), .point = point_of(json)};
}

Line line_of(const Json& json) {
  static const std::map<std::string, Line (*)(const Json&), std::less<>> readers{
      {"run", run_of},
      {"device", device_of},
      {"sample", sample_of},
      {"level", level_line_of},
      {"finding", finding_of},
      {"counter", counter_of},
      {"skip", reason_of<SkipLine>},
      {"error", reason_of<ErrorLine>},
      {"end", [](const Json&) -> Line { return EndLine{}; }},
      {"probe", [](const Json& probe) -> Line { return ProbeLine{origin_of(probe)}; }},
      {"plan", [](const Json& plan) -> Line { return PlanLine{get<double>(plan, "expected_seconds")}; }},
      {"point", point_line_of},
      {"alive", [](const Json&) -> Line { return AliveLine{}; }},
      {"info", [](const Json& info) -> Line { return InfoLine{info_of(info)}; }},
      {"unsupported", [](const Json& why) -> Line { return UnsupportedLine{get<std::string>(why, "reason")}; }}};
  const auto kind = get<std::string>(json, "record");
  const auto reader = readers.find(kind);
  return reader == readers.end() ? UnknownLine{kind} : reader->second(json);
}

}  // namespace

bool is_point(const SampleLine& sample) { return sample.measurement.unit != "cycles"; }

Line read_line(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InvalidFile("this is not valid JSON");
  if (!json.is_object()) throw InvalidFile("this is no record");
  return line_of(json);
}

std::optional<Line> parse_line(std::string_view text) {
  try {
    return read_line(text);
  } catch (const InvalidFile&) {
    return std::nullopt;
  }
}

}  // namespace sonde::records
