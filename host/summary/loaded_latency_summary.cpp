#include "summary/loaded_latency_summary.hpp"

#include "records/device_record.hpp"

namespace sonde::summary {

std::string loaded_latency_summary(const std::string& device, std::span<const records::Line> lines, bool simulated) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    std::string findings;
    for (const records::Line& line : lines) {
      const bool here = line.origin.device == device && line.origin.api == records::api_name(api);
      if (line.kind == "finding" && here && line.origin.probe == "loaded-latency")
        findings += "  " + line.finding.evidence + "\n";
    }
    if (findings.empty()) continue;
    text += std::string("\n  ") +
            (simulated ? "Simulated latency under load" : "Latency under load through " + records::spoken_name(api)) +
            "\n" + findings;
  }
  return text;
}

}  // namespace sonde::summary
