#include "records/lines.hpp"

#include <cmath>

#include "records/description.hpp"

namespace sonde::records {
namespace {

using Json = nlohmann::ordered_json;

bool is_whole(double value) {
  constexpr double exact_below = 1ull << 53;
  return std::abs(value) < exact_below && value == std::floor(value);
}

/// A fact that no driver states is null in the record, not an empty word or a zero.
template <typename Value>
std::optional<Value> if_stated(const Value& value) {
  return value == Value{} ? std::nullopt : std::optional(value);
}

Json driver_json(const DeviceRecord& device, device::Api api) {
  const ApiDevice* const driver = through(device, api);
  if (driver == nullptr) return nullptr;
  return {{"platform", driver->info.platform},
          {"name", driver->info.name},
          {"driver", driver->info.driver},
          {"driver_version", driver->info.driver_version},
          {"api_version", driver->info.api_version},
          {"timer_step_ns", driver->info.timer_step_ns},
          {"largest_buffer_bytes", driver->info.largest_buffer_bytes}};
}

/// The driver of an API, where the record has one.
void read_driver(const JsonReader& reader, device::Api api, DeviceRecord& device) {
  const nlohmann::json json = reader.part(api_name(api).c_str());
  if (json.empty()) return;
  device::DeviceInfo& info = device.drivers[api].info;
  JsonReader(json).field("platform", info.platform);
  JsonReader(json).field("driver", info.driver);
  JsonReader(json).field("driver_version", info.driver_version);
}

Json better_json(measure::Better better) {
  if (better == measure::Better::neither) return nullptr;
  return better == measure::Better::higher ? "higher" : "lower";
}

}  // namespace

void fields(auto& visit, Of<UnknownLine> auto& line) { visit.field("record", line.kind); }

void fields(auto& visit, Of<HostRecord> auto& host) {
  visit.field("name", host.name);
  visit.field("os", host.os);
  visit.field("kernel", host.kernel);
  visit.field("cpu", host.cpu);
  visit.field("cores", host.cores);
  visit.field("memory_bytes", host.memory_bytes);
  visit.or_null("virtualised", host.virtualised);
}

void fields(auto& visit, Of<DuelSide> auto& duel) {
  visit.field("id", duel.id);
  visit.field("side", duel.side);
  visit.field("settings", duel.settings);
}

void fields(auto& visit, Of<RunLine> auto& line) {
  if constexpr (reads<decltype(visit)>) line.schema = 0;
  visit.field("schema", line.schema);
  visit.unread("run", line.run);
  visit.unread("time", line.time);
  visit.unread("version", line.version);
  visit.unread("commit", line.commit);
  visit.field("command", line.command);
  visit.field("seed", line.seed);
  visit.field("effort", line.effort);
  visit.field("host", line.host);
  if constexpr (!reads<decltype(visit)>) visit.if_any("duel", line.duel);
}

void fields(auto& visit, Of<DeviceRecord> auto& device) {
  visit.field("device", device.id);
  visit.field("name", device.name);
  if constexpr (reads<decltype(visit)>) {
    device.type = type_called(visit.template get<std::string>("type"));
    for (const device::Api api : {device::Api::opencl, device::Api::vulkan}) read_driver(visit, api, device);
  }
  visit.unread("type", type_name(device.type));
  visit.unread("uuid", if_stated(device.uuid));
  visit.unread("pci", if_stated(device.pci));
  visit.unread("compute_units", if_stated(device.compute_units));
  visit.unread("memory_bytes", if_stated(device.memory_bytes));
  visit.unread("unified_memory", device.unified_memory);
  visit.field("line_bytes", device.line_bytes);
  if constexpr (reads<decltype(visit)>) visit.field("page_bytes", device.page_bytes);
  visit.field("stated_caches", device.stated_caches);
  visit.unread("opencl", driver_json(device, device::Api::opencl));
  visit.unread("vulkan", driver_json(device, device::Api::vulkan));
}

void fields(auto& visit, Of<SampleLine> auto& line) {
  auto& one = line.measurement;
  // Files of earlier versions and other programs leave fields out: nobody knows then.
  if constexpr (reads<decltype(visit)>) one.state = {.clock_settled = false};
  fields(visit, line.origin);
  place(visit, line.origin, one.point);
  visit.field("unit", one.unit);
  visit.field("values", one.values);
  visit.if_any("visits", one.visits);
  visit.unread("process", std::vector<int>(std::max<std::size_t>(one.visits.size(), 1), line.process));
  if constexpr (!reads<decltype(visit)>) visit.if_any("pair", line.pair);
  visit.if_any("interval", one.interval);
  visit.field("state", one.state);
  visit.field("t", line.t_seconds);
}

void fields(auto& visit, Of<LevelLine> auto& line) {
  auto& level = line.level;
  auto& found = level.found;
  fields(visit, line.origin);
  series(visit, line.origin, level.words);
  visit.field("level", level.level);
  visit.field("name", level.name);
  visit.if_any("or_translation", found.may_be_translation);
  if (reads<decltype(visit)> || level.gbps) visit.or_null("matches", level.matches);
  if constexpr (reads<decltype(visit)>) {
    visit.field("bytes", found.bytes);
    const nlohmann::json transition = visit.part("transition");
    JsonReader(transition).field("onset", found.onset_bytes);
    JsonReader(transition).field("end", found.end_bytes);
    // Files of earlier versions have no name.
    if (level.name.empty()) level.name = found.bytes ? "level " + std::to_string(level.level) : "memory";
  } else {
    // Sizes are whole bytes.
    Json bytes;
    Json transition;
    if (found.bytes) {
      bytes = {{"low", std::llround(found.bytes->low)},
               {"value", std::llround(found.bytes->value)},
               {"high", std::llround(found.bytes->high)}};
      transition = {{"onset", std::llround(found.onset_bytes)}, {"end", std::llround(found.end_bytes)}};
    }
    visit.field("bytes", bytes);
    visit.field("transition", transition);
  }
  visit.if_any("unfinished", found.is_unfinished);
  visit.if_any("either", found.either);
  visit.if_any("bandwidth", level.gbps);
  if (reads<decltype(visit)> || !level.gbps) visit.field("latency_ns", found.latency_ns);
  visit.if_any("cycles", level.cycles);
}

void fields(auto& visit, Of<FindingLine> auto& line) {
  auto& finding = line.finding;
  fields(visit, line.origin);
  series(visit, line.origin, finding.words);
  visit.field("finding", line.name);
  if (reads<decltype(visit)> || finding.value) {
    visit.if_any("value", finding.value);
    visit.if_any("low", finding.low);
    visit.if_any("high", finding.high);
    visit.field("unit", finding.unit);
  }
  visit.field("evidence", finding.evidence);
  visit.if_any("details", finding.details);
}

void fields(auto& visit, Of<SkipLine> auto& line) {
  if constexpr (reads<decltype(visit)>) {
    if (visit.has("series") || visit.has("x")) line.point.emplace();
  }
  fields(visit, line.origin);
  if (line.point) place(visit, line.origin, *line.point);
  visit.field("reason", line.reason);
}

void fields(auto& visit, Of<EndLine> auto& line) {
  visit.field("status", line.status);
  visit.field("seconds", line.seconds);
  visit.unread("samples", line.samples);
  visit.unread("skips", line.skips);
  visit.unread("errors", line.errors);
}

void fields(auto& visit, Of<VisitLine> auto& line) {
  auto& point = line.visit.point;
  fields(visit, line.origin);
  visit.field("curve", line.curve);
  place(visit, line.origin, point);
  visit.exact("expected_seconds", point.expected_seconds);
  visit.field("replicates", point.replicates);
  visit.field("visits", point.visits);
  visit.field("shape", point.shape);
  visit.field("number", line.visit.number);
  visit.field("look", line.visit.look);
}

void fields(auto& visit, Of<AnswerLine> auto& line) {
  visit.field("end", line.end);
  visit.field("reason", line.reason);
  visit.or_null("simulated_seconds", line.simulated_seconds);
}

void fields(auto&, Of<AliveLine> auto&) {}

void fields(auto& visit, Of<InfoLine> auto& line) {
  fields(visit, line.info);
  visit.field("counts_traffic", line.counts_traffic);
  visit.field("library", line.library);
}

namespace {

/// The record as one of the kind that it names.
template <typename... Kinds>
Line read_as(const nlohmann::json& json, std::type_identity<std::variant<UnknownLine, Kinds...>>) {
  const JsonReader reader(json);
  Line line = UnknownLine{reader.get<std::string>("record")};
  const std::string kind = std::get<UnknownLine>(line).kind;
  ((kind == Kinds::record ? fields(reader, line.emplace<Kinds>()) : void()), ...);
  return line;
}

}  // namespace

nlohmann::ordered_json number_json(double value) {
  const double kept = is_whole(value) ? value : measure::six_digits(value);  // a fraction may be whole in six digits
  return is_whole(kept) ? Json(static_cast<std::int64_t>(kept)) : Json(kept);
}

std::string text_of(const Line& line) {
  const auto written = []<typename Kind>(const Kind& one) {
    if constexpr (std::is_same_v<Kind, CounterLine>) {
      return counter_line(one);
    } else {
      Json json{{"record", Kind::record}};
      JsonWriter writer(json);
      fields(writer, one);
      return dumped(json);
    }
  };
  return std::visit(written, line);
}

std::string fields_of(const Origin& origin, const measure::Point& point) {
  Json json;
  JsonWriter writer(json);
  fields(writer, origin);
  place(writer, origin, point);
  const std::string object = dumped(json);
  return object.substr(1, object.size() - 2);
}

std::string curve_line(std::string_view probe, const measure::Curve& curve, const measure::Words& words,
                       const std::string& unit) {
  Json json{{"record", "curve"},
            {"curve", curve.name},
            {"probe", probe},
            {"series", JsonWriter::json_of(measure::written(words))},
            {"unit", unit},
            {"title", curve.title},
            {"x", curve.axis.key},
            {"better", better_json(curve.better)},
            // A slower clock changes a time in ns, not the cycles that it takes.
            {"per_clock", unit == "cycles" ? 0 : curve.per_clock},
            {"table", nullptr}};
  if (curve.table != nullptr) {
    json["table"] = {{"title", curve.table->title}, {"rows", curve.table->rows}, {"columns", curve.table->columns}};
  }
  return dumped(json);
}

std::string finding_kind_line(std::string_view probe, const measure::FindingKind& kind) {
  Json json{{"record", "finding-kind"}, {"probe", probe},          {"finding", kind.name},
            {"heading", kind.heading},  {"meaning", kind.meaning}, {"better", better_json(kind.better)},
            {"named_by", Json::array()}};
  measure::Keys(kind.named_by).for_each([&json](std::string_view key) { json["named_by"].push_back(key); });
  if (kind.compared != measure::Comparison::none) {
    json["feature"] = kind.feature;
    json["compared"] = kind.compared == measure::Comparison::by_ratio        ? "ratio"
                       : kind.compared == measure::Comparison::by_difference ? "difference"
                                                                             : "word";
    json["per_clock"] = kind.per_clock;
  }
  return dumped(json);
}

std::string listed_device_json(const DeviceRecord& device, const std::vector<Applicability>& probes) {
  Json json{{"record", DeviceRecord::record}};
  JsonWriter writer(json);
  fields(writer, device);
  json["probes"] = Json::object();
  for (const Applicability& one : probes) json["probes"][one.probe][one.api] = one.answer;
  json["further_drivers"] = Json::array();
  for (const ApiDevice& driver : device.further) {
    json["further_drivers"].push_back({{"api", api_name(driver.info.api)},
                                       {"platform", driver.info.platform},
                                       {"driver_version", driver.info.driver_version}});
  }
  return dumped(json);
}

Line line_of(const nlohmann::json& json) { return read_as(json, std::type_identity<Line>()); }

Line read_line(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
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
