#include "summary/traffic_table.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>

#include "probes/catalog.hpp"
#include "summary/layout.hpp"
#include "summary/probe_table.hpp"

namespace sonde::summary {
namespace {

/// Two decimals, as a hundredth of a byte is what two runs agree about.
std::string cell(const std::optional<double>& number, double factor, const char* format) {
  if (!number) return "unknown";
  const std::string text = fmt::format(fmt::runtime(format), factor * *number);
  return text == "-0.00" || text == "-0" ? text.substr(1) : text;
}

double bytes_of(const records::CountedPoint& point) {
  const auto found = point.x.find("bytes");
  return found == point.x.end() ? 0 : found->second;
}

}  // namespace

std::string traffic_table(const std::string& device, const View& view, bool is_simulated, int columns) {
  // What has no working set, such as a frame, is a curve of its own.
  using Curve = std::tuple<std::string, std::string, Series, std::map<std::string, double>>;
  std::map<Curve, const records::CounterRecord*> largest;
  for (const records::CounterRecord* one : view.counted(device)) {
    // Its own tables say what was counted.
    if (one->point->probe == probes::hit_rate.name || !one->point->memory_per_byte) continue;
    const auto& [probe, api, series, x] =
        std::tie(one->point->probe, one->point->api, one->point->series, one->point->x);
    const records::CounterRecord*& kept =
        largest[{probe, api, series, x.contains("bytes") ? std::map<std::string, double>() : x}];
    if (kept == nullptr || bytes_of(*one->point) >= bytes_of(*kept->point)) kept = one;
  }
  if (largest.empty()) return "";
  Table table({{.head = "for each byte that was asked for", .left = true},
               {.head = "at the fabric"},
               {.head = "at memory"},
               {.head = "hits, %"}});
  for (const auto& [curve, counted] : largest) {
    const records::CountedPoint& point = *counted->point;
    const std::string api = is_simulated ? "" : point.api + ", ";
    table.add({point.probe + ", " + api + place_text({.series = point.series, .x = point.x}),
               cell(point.fabric_per_byte, 1, "{:.2f}"), cell(point.memory_per_byte, 1, "{:.2f}"),
               cell(counted->hit_rate.reads_and_writes, 100, "{:.0f}")});
  }
  return "\n" + wrapped(is_simulated ? "Simulated traffic, bytes" : "Traffic that counters saw, bytes", columns, 0) +
         table.text(columns);
}

}  // namespace sonde::summary
