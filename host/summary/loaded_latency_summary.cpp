#include "summary/loaded_latency_summary.hpp"

#include "records/device_record.hpp"

namespace sonde::summary {

std::string loaded_latency_summary(const std::string& device, std::span<const records::Line> lines, bool simulated) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    std::string findings;
    for (const records::Line& line : lines) {
      const auto* found = std::get_if<records::FindingLine>(&line);
      if (found == nullptr || found->origin.device != device || found->origin.api != records::api_name(api)) continue;
      if (found->origin.probe == "loaded-latency") findings += "  " + found->finding.evidence + "\n";
    }
    if (findings.empty()) continue;
    text += std::string("\n  ") +
            (simulated ? "Simulated latency under load" : "Latency under load through " + records::spoken_name(api)) +
            "\n" + findings;
  }
  return text;
}

}  // namespace sonde::summary
