#include "summary/memory_kinds_table.hpp"

#include <algorithm>
#include <vector>

#include "records/device_record.hpp"
#include "summary/format.hpp"
#include "workloads/memory_kinds.hpp"

namespace sonde::summary {
namespace {

using records::Line;

std::string value_text(const measure::Finding& finding) {
  if (!finding.value) return finding.name;
  if (finding.unit == "GB/s" || finding.unit == "us" || finding.unit == "ns") {
    return finding.name + format(" (%.3g %s)", *finding.value, finding.unit.c_str());
  }
  return finding.name;
}

/// A kind's findings, its own directions together.
std::string text_of(const std::string& kind, std::span<const measure::Finding* const> findings) {
  std::vector<std::string> parts;
  std::string directions[2];
  for (const measure::Finding* each : findings) {
    const measure::Finding& finding = *each;
    if (workloads::memory_of(finding.series) != kind) continue;
    const auto direction = finding.series.find("direction");
    if (direction == finding.series.end()) {
      parts.push_back(value_text(finding));
    } else {
      directions[direction->second == "to-device" ? 0 : 1] =
          finding.name == "zero-copy" ? finding.name : value_text(finding);
    }
  }
  if (!directions[0].empty() && directions[0] == directions[1]) {
    parts.insert(parts.begin(), directions[0]);
  } else {
    if (!directions[1].empty()) parts.insert(parts.begin(), "to the CPU " + directions[1]);
    if (!directions[0].empty()) parts.insert(parts.begin(), "to the GPU " + directions[0]);
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::string memory_kinds_table(const std::string& device, std::span<const Line> lines, bool simulated) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    std::vector<const measure::Finding*> findings;
    std::vector<std::string> kinds;
    const measure::Finding* round_trip = nullptr;
    for (const Line& line : lines) {
      const auto* one = std::get_if<records::FindingLine>(&line);
      if (one == nullptr || one->origin.device != device || one->origin.api != records::api_name(api)) continue;
      if (one->finding.name == "round-trip") round_trip = &one->finding;
      if (one->finding.name == "round-trip" || (one->origin.probe != "zero-copy" && one->origin.probe != "host-memory"))
        continue;
      findings.push_back(&one->finding);
      const std::string kind = workloads::memory_of(one->finding.series);
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
    }
    if (findings.empty() && round_trip == nullptr) continue;
    text += std::string("\n  ") +
            (simulated ? "Simulated kinds of memory" : "Kinds of memory through " + records::spoken_name(api)) + "\n";
    std::size_t widest = 0;
    for (const std::string& kind : kinds) widest = std::max(widest, kind.size());
    for (const std::string& kind : kinds) {
      text += format("  %-*s  %s\n", static_cast<int>(widest), kind.c_str(), text_of(kind, findings).c_str());
    }
    if (round_trip != nullptr) text += "  " + round_trip->evidence + "\n";
  }
  return text;
}

}  // namespace sonde::summary
