#include "records/counter_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace sonde::records {
namespace {

using measure::six_digits;

void add(std::string& line, const char* name, const std::optional<double>& number) {
  if (number) {
    fmt::format_to(std::back_inserter(line), R"(,"{}":{})", name, six_digits(*number));
  } else {
    fmt::format_to(std::back_inserter(line), R"(,"{}":null)", name);
  }
}

/// Adds a whole number: extrapolated counts are no more exact than a byte.
void add_whole(std::string& line, const char* name, const std::optional<double>& amount) {
  if (amount) {
    fmt::format_to(std::back_inserter(line), R"(,"{}":{})", name, std::llround(*amount));
  } else {
    add(line, name, std::nullopt);
  }
}

/// {"load": "read", "cpu_threads": 2, "moved": 123, "counting": {"fabric_read": {"count_bytes": 64, "counters": 16}}}
std::string known_json(const counters::KnownTraffic& known) {
  nlohmann::json counting = nlohmann::json::object();
  for (const auto& roles : {std::span<const RoleName>(bytes_of_roles), std::span<const RoleName>(state_of_roles)}) {
    for (const auto& [role, name] : roles) {
      const counters::Counting& one = known.counting[role];
      if (one.counters > 0) counting[name] = {{"count_bytes", one.count_bytes}, {"counters", one.counters}};
    }
  }
  const nlohmann::json json{{"load", counters::name_of(known.load.kind)},
                            {"cpu_threads", known.load.cpu_threads},
                            {"moved", std::llround(known.moved_bytes)},
                            {"counting", counting}};
  return json.dump();
}

std::string state_of(const CounterRecord& counter) {
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

}  // namespace

std::string counter_line(const CounterRecord& counter) {
  // The line is written by hand, as a thousand of them are written a second beside the measurement, and an object of
  // the library takes several times as long. Names and labels are this program's own; only the source's name may come
  // from a file.
  const counters::Traffic& traffic = counter.traffic;
  const std::string source =
      nlohmann::json(counter.source).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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

}  // namespace sonde::records
