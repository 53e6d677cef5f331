#include "records/counter_line.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "measure/probe.hpp"

namespace sonde::records {
namespace {

using Json = nlohmann::ordered_json;

using measure::six_digits;

/// Whole bytes: what is extrapolated is no more exact than that.
Json whole_or_null(const std::optional<double>& amount) { return amount ? Json(std::llround(*amount)) : Json(nullptr); }

Json number_or_null(const std::optional<double>& number) { return number ? Json(six_digits(*number)) : Json(nullptr); }

}  // namespace

std::string counter_line(const CounterRecord& counter) {
  const counters::Traffic& traffic = counter.traffic;
  constexpr double nanoseconds = 1e9;
  Json json{{"record", "counter"},
            {"source", counter.source},
            {"t", std::round(traffic.begin_seconds * nanoseconds) / nanoseconds},
            {"dt", std::round(traffic.seconds * nanoseconds) / nanoseconds}};
  for (const auto& [role, name] : bytes_of_roles) json[name] = whole_or_null(traffic.amounts[role]);
  json["cpu_latency_ns"] = nullptr;
  json["hit_rate"] = number_or_null(counter.hit_rate.reads_and_writes);
  json["beat_bytes"] = counter.beat_bytes > 0 ? Json(counter.beat_bytes) : Json(nullptr);
  json["scale"] = six_digits(traffic.scale);
  json["scaled"] = traffic.labels.contains(counters::Label::multiplexed);
  json["baseline"] = counter.baseline;
  Json state = Json::object();
  if (counter.hit_rate.reads) state["hit_rate_of_reads"] = six_digits(*counter.hit_rate.reads);
  for (const auto& [role, name] : state_of_roles) {
    if (traffic.amounts[role]) state[name] = std::llround(*traffic.amounts[role]);
  }
  if (traffic.spread) state["spread"] = six_digits(*traffic.spread);
  if (!traffic.labels.empty()) {
    Json& labels = state["labels"] = Json::array();
    for (const counters::Label label : traffic.labels) labels.push_back(std::string(counters::name_of(label)));
  }
  json["state"] = state;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sonde::records
