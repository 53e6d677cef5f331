#include "summary/traffic_table.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>

#include "probes/catalog.hpp"
#include "summary/layout.hpp"
#include "summary/pivot.hpp"

namespace sonde::summary {
namespace {

/// Two decimals, as a hundredth of a byte is what two runs agree about.
std::string cell(const std::optional<double>& number, double factor, const char* format) {
  if (!number) return "unknown";
  const std::string text = fmt::format(fmt::runtime(format), factor * *number);
  return text == "-0.00" || text == "-0" ? text.substr(1) : text;
}

}  // namespace

std::string traffic_table(const std::string& device, const View& view, bool is_simulated, int columns) {
  // What has no working set, such as a frame, is a curve of its own.
  using CountedCurve = std::tuple<std::string, std::string, Words, measure::Coordinates>;
  std::map<CountedCurve, const records::CounterRecord*> largest;
  for (const records::CounterRecord* one : view.counted(device)) {
    // Its own tables say what was counted.
    const auto& [origin, point, moved, fabric_per_byte, memory_per_byte] = *one->point;
    if (origin.probe == probes::hit_rate.name || !memory_per_byte) continue;
    const records::CounterRecord*& kept = largest[{
        origin.probe, origin.api, point.words, point.x.bytes ? measure::Coordinates() : point.x}];
    if (kept == nullptr || point.x.bytes.value_or(0) >= kept->point->point.x.bytes.value_or(0)) kept = one;
  }
  if (largest.empty()) return "";
  Table table({{.head = "for each byte that was asked for", .left = true},
               {.head = "at the fabric"},
               {.head = "at memory"},
               {.head = "hits, %"}});
  for (const auto& [curve, counted] : largest) {
    const auto& [origin, point, moved, fabric_per_byte, memory_per_byte] = *counted->point;
    const std::string api = is_simulated ? "" : origin.api + ", ";
    table.add({origin.probe + ", " + api + place_text(point), cell(fabric_per_byte, 1, "{:.2f}"),
               cell(memory_per_byte, 1, "{:.2f}"), cell(counted->hit_rate.reads_and_writes, 100, "{:.0f}")});
  }
  return "\n" + wrapped(is_simulated ? "Simulated traffic, bytes" : "Traffic that counters saw, bytes", columns, 0) +
         table.text(columns);
}

}  // namespace sonde::summary
