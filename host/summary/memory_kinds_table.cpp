#include "summary/memory_kinds_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

/// "copies 84 GB/s": the word with its number, where that says more than the word.
std::string text_of(const std::string& name, const measure::Finding& finding) {
  const bool has_rate = finding.value && (finding.unit == "GB/s" || finding.unit == "us" || finding.unit == "ns");
  if (!has_rate || (name == "zero-copy" && finding.unit == "us")) return name;
  return fmt::format("{} {:.3g} {}", name, *finding.value, finding.unit == "us" ? "µs" : finding.unit);
}

struct Kind {
  std::string name;
  std::string to_gpu;
  std::string to_cpu;
  std::string distance;
};

void add(std::vector<Kind>& kinds, const NamedFinding& found, std::string Kind::* without_direction) {
  const auto& [word, finding] = found;
  const std::string name = finding.words.memory.empty() ? "device" : finding.words.memory.str();
  auto kind = std::ranges::find(kinds, name, &Kind::name);
  if (kind == kinds.end())
    kind = kinds.insert(kinds.end(), Kind{.name = name, .to_gpu = {}, .to_cpu = {}, .distance = {}});
  const std::optional<measure::Direction> direction = finding.words.direction;
  std::string& cell = !direction                                    ? (*kind).*without_direction
                      : *direction == measure::Direction::to_device ? kind->to_gpu
                                                                    : kind->to_cpu;
  cell += (cell.empty() ? "" : "; ") + text_of(word, finding);
}

}  // namespace

std::string memory_kinds_table(const Results& zero_copy, const Results& host_memory, device::Api api, int columns) {
  std::vector<Kind> kinds;
  std::string round_trip;
  for (const NamedFinding& one : host_memory.findings) {
    if (one.name == "round-trip") {
      round_trip = wrapped(one.finding.evidence, columns);
    } else {
      add(kinds, one, &Kind::distance);
    }
  }
  for (const NamedFinding& one : zero_copy.findings) add(kinds, one, &Kind::to_gpu);
  if (kinds.empty() && round_trip.empty()) return "";
  std::string text = heading("Kinds of memory", api, "", columns);
  if (!kinds.empty()) {
    Table table({{.head = "memory", .left = true},
                 {.head = "CPU to GPU", .left = true},
                 {.head = "GPU to CPU", .left = true},
                 {.head = "seen by loads", .left = true}});
    for (const Kind& kind : kinds) table.add({kind.name, kind.to_gpu, kind.to_cpu, kind.distance});
    text += table.text(columns);
  }
  return text + round_trip;
}

}  // namespace sonde::summary
