#include "records/lines.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "records/description.hpp"

namespace sonde::records {
namespace {

using Json = nlohmann::ordered_json;

using measure::six_digits;

/// Driver strings are not always UTF-8; a bad byte is replaced rather than losing the record.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool is_whole(double value) {
  constexpr double exact_below = 1ull << 53;
  return std::abs(value) < exact_below && value == std::floor(value);
}

Json x_json(const measure::Coordinates& x) { return JsonWriter::json_of(measure::written(x)); }

Json series_json(const measure::Words& words) {
  Json json = Json::object();
  for (const auto& [key, word] : measure::written(words)) json[key] = word;
  return json;
}

Json origin_json(const std::string& record, const Origin& origin) {
  return {{"record", record}, {"device", origin.device}, {"api", origin.api}, {"probe", origin.probe}};
}

/// Facts that no driver states are null in the record, not an empty word or a zero.
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json count_or_null(std::uint64_t count) { return count == 0 ? Json(nullptr) : Json(count); }

Json driver_json(const std::optional<ApiDevice>& device) {
  if (!device) return nullptr;
  return {{"platform", device->info.platform},
          {"name", device->info.name},
          {"driver", device->info.driver},
          {"driver_version", device->info.driver_version},
          {"api_version", device->info.api_version},
          {"timer_step_ns", device->info.timer_step_ns},
          {"largest_buffer_bytes", device->info.largest_buffer_bytes}};
}

Json device_json(const DeviceRecord& device) {
  return {{"record", "device"},
          {"device", device.id},
          {"name", device.name},
          {"type", type_name(device.type)},
          {"uuid", text_or_null(device.uuid)},
          {"pci", text_or_null(device.pci)},
          {"compute_units", count_or_null(device.compute_units)},
          {"memory_bytes", count_or_null(device.memory_bytes)},
          {"unified_memory", device.unified_memory},
          {"line_bytes", device.line_bytes},
          {"stated_caches", JsonWriter::json_of(device.stated_caches)},
          {"opencl", driver_json(device.opencl)},
          {"vulkan", driver_json(device.vulkan)}};
}

Json better_json(measure::Better better) {
  if (better == measure::Better::neither) return nullptr;
  return better == measure::Better::higher ? "higher" : "lower";
}

const char* comparison_word(measure::Comparison comparison) {
  switch (comparison) {
    case measure::Comparison::by_ratio: return "ratio";
    case measure::Comparison::by_difference: return "difference";
    case measure::Comparison::by_word:
    case measure::Comparison::none: break;
  }
  return "word";
}

/// Sizes are whole bytes.
Json whole_bracket(const analysis::Bracket& one) {
  return {{"low", std::llround(one.low)}, {"value", std::llround(one.value)}, {"high", std::llround(one.high)}};
}

std::string reason_line(const char* record, const Origin& origin, const measure::Point* point,
                        const std::string& reason) {
  Json json = origin_json(record, origin);
  if (point != nullptr) {
    json["series"] = series_json(point->words);
    json["x"] = x_json(point->x);
  }
  json["reason"] = reason;
  return text_of(json);
}

}  // namespace

Json number_json(double value) {
  const double kept = is_whole(value) ? value : six_digits(value);  // a fraction may be whole in six digits
  return is_whole(kept) ? Json(static_cast<std::int64_t>(kept)) : Json(kept);
}

std::string api_name(device::Api api) {
  switch (api) {
    case device::Api::opencl: return "opencl";
    case device::Api::vulkan: return "vulkan";
    case device::Api::cpu: return "cpu";
    case device::Api::model: break;
  }
  return "model";
}

std::string type_name(device::DeviceType type) {
  switch (type) {
    case device::DeviceType::discrete: return "discrete";
    case device::DeviceType::integrated: return "integrated";
    case device::DeviceType::cpu: return "cpu";
    case device::DeviceType::model: break;
  }
  return "model";
}

std::string run_line(const RunRecord& run) {
  const Json host = {{"name", run.host.name},
                     {"os", run.host.os},
                     {"kernel", run.host.kernel},
                     {"cpu", run.host.cpu},
                     {"cores", run.host.cores},
                     {"memory_bytes", run.host.memory_bytes},
                     {"virtualised", run.host.virtualised ? Json(*run.host.virtualised) : Json()}};
  return text_of({{"record", "run"},
                  {"schema", schema_version},
                  {"run", run.run},
                  {"time", run.time},
                  {"version", run.version},
                  {"commit", run.commit},
                  {"command", run.command},
                  {"seed", run.seed},
                  {"effort", run.effort},
                  {"host", host}});
}

std::string device_line(const DeviceRecord& device) { return text_of(device_json(device)); }

std::string sample_line(const Origin& origin, const measure::Measurement& measurement, double t_seconds) {
  Json json = origin_json("sample", origin);
  json["series"] = series_json(measurement.point.words);
  json["x"] = x_json(measurement.point.x);
  json["unit"] = measurement.unit;
  json["values"] = JsonWriter::json_of(measurement.values);
  if (measurement.interval) json["interval"] = JsonWriter::json_of(*measurement.interval);
  json["state"] = JsonWriter::json_of(measurement.state);
  json["t"] = six_digits(t_seconds);
  return text_of(json);
}

std::string level_line(const Origin& origin, const measure::FoundLevel& level) {
  Json json = origin_json("level", origin);
  json["series"] = series_json(level.words);
  json["level"] = level.level;
  json["name"] = level.name;
  if (level.found.may_be_translation) json["or_translation"] = true;
  if (level.gbps) json["matches"] = level.matches ? Json(*level.matches) : Json(nullptr);
  json["bytes"] = level.found.bytes ? whole_bracket(*level.found.bytes) : Json(nullptr);
  json["transition"] = nullptr;
  if (level.found.bytes) {
    json["transition"] = {{"onset", std::llround(level.found.onset_bytes)},
                          {"end", std::llround(level.found.end_bytes)}};
  }
  if (level.gbps) {
    json["bandwidth"] = JsonWriter::json_of(*level.gbps);
  } else {
    json["latency_ns"] = JsonWriter::json_of(level.found.latency_ns);
  }
  if (level.cycles) json["cycles"] = JsonWriter::json_of(*level.cycles);
  return text_of(json);
}

std::string finding_line(const Origin& origin, const measure::Finding& finding) {
  Json json = origin_json("finding", origin);
  json["series"] = series_json(finding.words);
  json["finding"] = finding.kind->name;
  if (finding.value) {
    json["value"] = six_digits(*finding.value);
    if (finding.low) json["low"] = six_digits(*finding.low);
    if (finding.high) json["high"] = six_digits(*finding.high);
    json["unit"] = finding.unit;
  }
  json["evidence"] = finding.evidence;
  if (!finding.details.empty()) json["details"] = JsonWriter::json_of(finding.details);
  return text_of(json);
}

std::string curve_line(std::string_view probe, const measure::Curve& curve, const measure::Words& words,
                       const std::string& unit) {
  Json json{{"record", "curve"},
            {"curve", curve.name},
            {"probe", probe},
            {"series", series_json(words)},
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
  return text_of(json);
}

std::string finding_kind_line(std::string_view probe, const measure::FindingKind& kind) {
  Json json{{"record", "finding-kind"}, {"probe", probe},          {"finding", kind.name},
            {"heading", kind.heading},  {"meaning", kind.meaning}, {"better", better_json(kind.better)},
            {"named_by", Json::array()}};
  measure::Keys(kind.named_by).for_each([&json](std::string_view key) { json["named_by"].push_back(key); });
  if (kind.compared != measure::Comparison::none) {
    json["feature"] = kind.feature;
    json["compared"] = comparison_word(kind.compared);
    json["per_clock"] = kind.per_clock;
  }
  return text_of(json);
}

std::string skip_line(const Origin& origin, const measure::Point* point, const std::string& reason) {
  return reason_line("skip", origin, point, reason);
}

std::string error_line(const Origin& origin, const measure::Point* point, const std::string& reason) {
  return reason_line("error", origin, point, reason);
}

std::string fields_of(const Origin& origin, const measure::Point& point) {
  const std::string object = text_of({{"device", origin.device},
                                      {"api", origin.api},
                                      {"probe", origin.probe},
                                      {"series", series_json(point.words)},
                                      {"x", x_json(point.x)}});
  return object.substr(1, object.size() - 2);
}

std::string end_line(const EndRecord& end) {
  return text_of({{"record", "end"},
                  {"status", end.status},
                  {"seconds", six_digits(end.seconds)},
                  {"samples", end.samples},
                  {"skips", end.skips},
                  {"errors", end.errors}});
}

std::string listed_device_json(const DeviceRecord& device, const std::vector<Applicability>& probes) {
  Json json = device_json(device);
  Json answers = Json::object();
  for (const Applicability& one : probes) answers[one.probe][one.api] = one.answer;
  json["probes"] = answers;
  Json further = Json::array();
  for (const ApiDevice& driver : device.further) {
    further.push_back({{"api", api_name(driver.info.api)},
                       {"platform", driver.info.platform},
                       {"driver_version", driver.info.driver_version}});
  }
  json["further_drivers"] = further;
  return text_of(json);
}

std::string info_line(const device::DeviceInfo& info) {
  Json json{{"record", "info"}};
  json.update(JsonWriter::json_of(info));
  return text_of(json);
}

std::string probe_line(const Origin& origin) { return text_of(origin_json("probe", origin)); }

std::string plan_line(const std::vector<double>& expected_seconds) {
  double sum = 0;
  for (const double seconds : expected_seconds) sum += seconds;
  return text_of({{"record", "plan"}, {"points", expected_seconds.size()}, {"expected_seconds", sum}});
}

std::string point_line(const Origin& origin, const std::string& name, const measure::Point& point) {
  Json json = origin_json("point", origin);
  json["name"] = name;
  json["expected_seconds"] = point.expected_seconds;
  json["series"] = series_json(point.words);
  json["x"] = x_json(point.x);
  return text_of(json);
}

std::string alive_line() { return R"({"record":"alive"})"; }

std::string unsupported_line(const std::string& reason) {
  return text_of({{"record", "unsupported"}, {"reason", reason}});
}

}  // namespace sonde::records
