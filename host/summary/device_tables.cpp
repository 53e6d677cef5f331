#include <fmt/format.h>

#include <tuple>

#include "probes/catalog.hpp"
#include "summary/layout.hpp"
#include "summary/tables.hpp"

namespace sonde::summary {
namespace {

/// "copies 84 GB/s": the word of a finding, with its number where that adds something.
std::string text_of(const std::string& name, const measure::Finding& finding) {
  const bool has_rate = finding.value && (finding.unit == "GB/s" || finding.unit == "us" || finding.unit == "ns");
  if (!has_rate || (name == "zero-copy" && finding.unit == "us")) return name;
  return fmt::format("{} {:.3g} {}", name, *finding.value, finding.unit == "us" ? "µs" : finding.unit);
}

struct KindRow {
  std::string name;
  std::string to_gpu;
  std::string to_cpu;
  std::string distance;
};

void add(std::vector<KindRow>& kinds, const NamedFinding& found, std::string KindRow::* without_direction) {
  const auto& [word, finding] = found;
  const std::string name = finding.words.memory.empty() ? "device" : finding.words.memory.str();
  auto kind = std::ranges::find(kinds, name, &KindRow::name);
  if (kind == kinds.end())
    kind = kinds.insert(kinds.end(), KindRow{.name = name, .to_gpu = {}, .to_cpu = {}, .distance = {}});
  const std::optional<measure::Direction> direction = finding.words.direction;
  std::string& cell = !direction                                    ? (*kind).*without_direction
                      : *direction == measure::Direction::to_device ? kind->to_gpu
                                                                    : kind->to_cpu;
  cell += (cell.empty() ? "" : "; ") + text_of(word, finding);
}

/// A number of bytes with two decimals, as two runs agree within a hundredth of a byte.
std::string cell(const std::optional<double>& number, double factor, const char* format) {
  if (!number) return "unknown";
  const std::string text = fmt::format(fmt::runtime(format), factor * *number);
  return text == "-0.00" || text == "-0" ? text.substr(1) : text;
}

/// "latency through Vulkan (image, 1 GiB)": the point that was not measured.
std::string place_of(const records::Origin& origin, const measure::Point& point) {
  const std::string place = place_text(point);
  return origin.probe + through_api(origin.api) + (place.empty() ? "" : " (" + place + ")");
}

}  // namespace

std::string memory_kinds_table(const Results& zero_copy, const Results& host_memory, device::Api api, int columns) {
  std::vector<KindRow> kinds;
  std::string round_trip;
  for (const NamedFinding& one : host_memory.findings) {
    if (one.name == "round-trip") {
      round_trip = wrapped(one.finding.evidence, columns);
    } else {
      add(kinds, one, &KindRow::distance);
    }
  }
  for (const NamedFinding& one : zero_copy.findings) add(kinds, one, &KindRow::to_gpu);
  if (kinds.empty() && round_trip.empty()) return "";
  std::string text = heading("Kinds of memory", api, "", columns);
  if (!kinds.empty()) {
    Table table({{.head = "memory", .left = true},
                 {.head = "CPU to GPU", .left = true},
                 {.head = "GPU to CPU", .left = true},
                 {.head = "seen by loads", .left = true}});
    for (const KindRow& kind : kinds) table.add({kind.name, kind.to_gpu, kind.to_cpu, kind.distance});
    text += table.text(columns);
  }
  return text + round_trip;
}

std::string traffic_table(const std::string& device, const View& view, bool is_simulated, int columns) {
  // A point without a working set, such as a frame, is a curve of its own.
  using CountedCurve = std::tuple<std::string, std::string, Words, measure::Coordinates>;
  std::map<CountedCurve, const records::CounterLine*> largest;
  for (const records::CounterLine* one : view.counted(device)) {
    // The hit-rate probe's own tables show what was counted.
    const auto& [origin, point, moved, fabric_per_byte, memory_per_byte] = *one->point;
    if (origin.probe == probes::hit_rate.name || !memory_per_byte) continue;
    const records::CounterLine*& kept =
        largest[{origin.probe, origin.api, point.words, point.x.bytes ? measure::Coordinates() : point.x}];
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

std::string unmeasured_list(std::span<const Unmeasured> unmeasured, int columns) {
  std::string text;
  for (const bool failed : {false, true}) {
    std::string list;
    for (const Unmeasured& one : unmeasured) {
      if (one.failed != failed) continue;
      const std::string more = one.others > 0 ? fmt::format(", and {} more", one.others) : "";
      list += wrapped(place_of(one.origin, one.first) + more + ": " + one.reason, columns);
    }
    if (!list.empty()) text += (failed ? "\n  Failed\n" : "\n  Not measured\n") + list;
  }
  return text;
}

}  // namespace sonde::summary
