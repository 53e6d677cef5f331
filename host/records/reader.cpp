#include "records/reader.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "records/description.hpp"

namespace sonde::records {
namespace {

using Json = nlohmann::json;

template <typename Value>
Value get(const Json& json, const char* key) {
  return JsonReader(json).get<Value>(key);
}
template <typename Value>
std::optional<Value> get_if_there(const Json& json, const char* key) {
  return get<std::optional<Value>>(json, key);
}
Json part(const Json& json, const char* key) { return JsonReader(json).part(key); }

measure::Words words_of(const Json& json) {
  return measure::parse_words(get<std::string>(json, "probe"), get<std::map<std::string, std::string>>(json, "series"));
}

measure::Point point_of(const Json& json) {
  const measure::Coordinates x = measure::parse_coordinates(get<std::map<std::string, double>>(json, "x"));
  return {.words = words_of(json), .x = x, .expected_seconds = get<double>(json, "expected_seconds")};
}

device::DeviceInfo info_of(const Json& json) {
  device::DeviceInfo info;
  JsonReader reader(json);
  Description<device::DeviceInfo>::fields(reader, info);
  return info;
}

measure::FoundLevel level_of(const Json& json) {
  measure::FoundLevel level{.words = words_of(json), .level = get<int>(json, "level")};
  level.found.bytes = get_if_there<analysis::Bracket>(json, "bytes");
  const Json transition = part(json, "transition");
  if (!transition.empty()) {
    level.found.onset_bytes = get<double>(transition, "onset");
    level.found.end_bytes = get<double>(transition, "end");
  }
  level.found.latency_ns = get<analysis::Bracket>(json, "latency_ns");
  level.cycles = get_if_there<analysis::Bracket>(json, "cycles");
  level.gbps = get_if_there<analysis::Bracket>(json, "bandwidth");
  // Files of earlier versions have neither.
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
                    .stated_caches = get<std::vector<device::StatedCache>>(json, "stated_caches")};
}

Line sample_of(const Json& json) {
  const measure::State nothing_known{.attempts = 0, .clock_settled = false, .drift = std::nullopt};
  SampleLine line{.origin = origin_of(json),
                  .measurement = {.point = point_of(json),
                                  .unit = get<std::string>(json, "unit"),
                                  .values = get<std::vector<double>>(json, "values"),
                                  .state = get_if_there<measure::State>(json, "state").value_or(nothing_known),
                                  .interval = get_if_there<analysis::Bracket>(json, "interval")}};
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
