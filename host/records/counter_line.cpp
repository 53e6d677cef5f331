#include <fmt/format.h>

#include <cmath>

#include "records/description.hpp"

namespace sonde::records {
namespace {

using Document = nlohmann::json;

void add(std::string& line, const char* name, const std::optional<double>& number) {
  const std::string text = number ? fmt::format("{}", measure::six_digits(*number)) : "null";
  fmt::format_to(std::back_inserter(line), R"(,"{}":{})", name, text);
}

/// Adds a whole number: extrapolated counts are no more exact than a byte.
void add_whole(std::string& line, const char* name, const std::optional<double>& amount) {
  const std::string text = amount ? fmt::format("{}", std::llround(*amount)) : "null";
  fmt::format_to(std::back_inserter(line), R"(,"{}":{})", name, text);
}

/// {"load": "read", "cpu_threads": 2, "moved": 123, "counting": {"fabric_read": {"count_bytes": 64, "counters": 16}}}
std::string known_json(const counters::KnownTraffic& known) {
  Document counting = Document::object();
  for (const auto& [role, name] : role_names) {
    const counters::Counting& one = known.counting[role];
    if (one.counters > 0) counting[name] = {{"count_bytes", one.count_bytes}, {"counters", one.counters}};
  }
  const Document json{{"load", counters::name_of(known.load.kind)},
                      {"cpu_threads", known.load.cpu_threads},
                      {"moved", std::llround(known.moved_bytes)},
                      {"counting", counting}};
  return json.dump();
}

std::string state_of(const CounterLine& counter) {
  const counters::Traffic& traffic = counter.traffic;
  std::string state;
  if (counter.hit_rate.reads) add(state, "hit_rate_of_reads", counter.hit_rate.reads);
  for (const auto& [role, name] : state_of_roles) {
    if (traffic.amounts[role]) add_whole(state, name, traffic.amounts[role]);
  }
  if (traffic.spread) add(state, "spread", traffic.spread);
  std::string labels;
  for (const counters::Label label : traffic.labels)
    fmt::format_to(std::back_inserter(labels), R"({}"{}")", labels.empty() ? "" : ",", counters::name_of(label));
  if (!labels.empty()) state += R"(,"labels":[)" + labels + "]";
  if (counter.known) state += R"(,"self_check":)" + known_json(*counter.known);
  return state.empty() ? state : state.substr(1);
}

void add_point(std::string& line, const CountedPoint& point) {
  line += "," + fields_of(point.origin, point.point);
  add_whole(line, "moved_bytes", point.moved_bytes > 0 ? std::optional(point.moved_bytes) : std::nullopt);
  add(line, "fabric_per_byte", point.fabric_per_byte);
  add(line, "memory_per_byte", point.memory_per_byte);
}

counters::KnownTraffic known_of(const JsonReader& reader) {
  counters::KnownTraffic known;
  const auto kind = counters::load_kind_of(reader.get<std::string>("load"));
  if (!kind) throw InvalidFile("load must be the name of one that this program makes");
  known.load = {.kind = *kind, .cpu_threads = reader.get<unsigned>("cpu_threads")};
  reader.field("moved", known.moved_bytes);
  const Document counting = reader.part("counting");
  for (const auto& [role, name] : role_names) {
    const Document one = JsonReader(counting).part(name);
    JsonReader(one).field("count_bytes", known.counting[role].count_bytes);
    JsonReader(one).field("counters", known.counting[role].counters);
  }
  return known;
}

/// Counts and sums of counts are written whole, so that what is made of them is the same from the file.
std::optional<double> whole_if_there(const JsonReader& reader, const char* name) {
  const auto number = reader.get<std::optional<double>>(name);
  return number ? std::optional(std::round(*number)) : std::nullopt;
}

}  // namespace

std::string counter_line(const CounterLine& counter) {
  // The line is written by hand, as a thousand of them are written a second beside the measurement, and an object of
  // the library takes several times as long. Names and labels are this program's own; only the source's name may come
  // from a file.
  const counters::Traffic& traffic = counter.traffic;
  const std::string source = Document(counter.source).dump(-1, ' ', false, Document::error_handler_t::replace);
  std::string line = fmt::format(R"({{"record":"counter","source":{},"t":{:.9f},"dt":{:.9f})", source,
                                 traffic.begin_seconds, traffic.seconds);
  for (const auto& [role, name] : bytes_of_roles) add_whole(line, name, traffic.amounts[role]);
  add(line, "cpu_latency_ns", counters::cpu_latency(traffic, "").ns);
  add(line, "hit_rate", counter.hit_rate.reads_and_writes);
  add(line, "beat_bytes", counter.beat_bytes > 0 ? std::optional<double>(counter.beat_bytes) : std::nullopt);
  add(line, "scale", traffic.scale);
  if (counter.point) add_point(line, *counter.point);
  fmt::format_to(std::back_inserter(line), R"(,"scaled":{},"baseline":{},"state":{{{}}}}})",
                 traffic.labels.contains(counters::Label::multiplexed), counter.baseline, state_of(counter));
  return line;
}

void fields(const JsonReader& reader, CounterLine& counter) {
  counters::Traffic& traffic = counter.traffic;
  reader.field("source", counter.source);
  reader.field("baseline", counter.baseline);
  reader.field("t", traffic.begin_seconds);
  reader.field("dt", traffic.seconds);
  reader.field("scale", traffic.scale);
  reader.field("beat_bytes", counter.beat_bytes);
  for (const auto& [role, name] : bytes_of_roles) traffic.amounts[role] = whole_if_there(reader, name);
  const Document state_json = reader.part("state");
  const JsonReader state(state_json);
  for (const auto& [role, name] : state_of_roles) traffic.amounts[role] = whole_if_there(state, name);
  state.field("spread", traffic.spread);
  if (state.has("self_check")) {
    const Document known = state.part("self_check");
    counter.known = known_of(JsonReader(known));
  }
  for (const std::string& word : state.get<std::vector<std::string>>("labels")) {
    if (const auto label = counters::label_of(word)) traffic.labels.insert(*label);
  }
  if (reader.get<bool>("scaled")) traffic.labels.insert(counters::Label::multiplexed);
  if (reader.has("probe")) {
    CountedPoint& point = counter.point.emplace();
    fields(reader, point.origin);
    place(reader, point.origin, point.point);
    reader.field("moved_bytes", point.moved_bytes);
    reader.field("fabric_per_byte", point.fabric_per_byte);
    reader.field("memory_per_byte", point.memory_per_byte);
  }
  reader.field("hit_rate", counter.hit_rate.reads_and_writes);
}

}  // namespace sonde::records
