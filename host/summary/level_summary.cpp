#include "summary/level_summary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "summary/level_table.hpp"
#include "workloads/path.hpp"

namespace sonde::summary {
namespace {

using records::Line;

bool is_here(const Line& line, const std::string& device, gpu::Api api, std::string_view probe) {
  return line.origin.device == device && line.origin.api == records::api_name(api) && line.origin.probe == probe;
}

std::vector<measure::FoundLevel> levels_of(const std::string& device, std::span<const Line> lines, gpu::Api api,
                                           std::string_view probe) {
  std::vector<measure::FoundLevel> found;
  for (const Line& line : lines) {
    if (line.kind != "level" || !is_here(line, device, api, probe)) continue;
    const bool main = probe == "bandwidth" || workloads::path_of(line.level.series) == workloads::Path::vector;
    if (main) found.push_back(line.level);
  }
  return found;
}

/// What a dispatch takes beside its bytes.
std::string launch(const std::string& device, std::span<const Line> lines, gpu::Api api) {
  const auto found = std::ranges::find_if(lines, [&](const Line& line) {
    return line.kind == "finding" && line.finding.name == "launch" && is_here(line, device, api, "bandwidth");
  });
  return found == lines.end() ? "" : "  " + found->finding.evidence + "\n";
}

/// What the latency probe found; a finding about both APIs has a record with each.
std::string findings(const std::string& device, std::span<const Line> lines) {
  const auto is_one = [&](const Line& line) {
    return line.kind == "finding" && line.origin.device == device && line.origin.probe == "latency";
  };
  std::map<std::string, std::set<std::string>> apis;
  for (const Line& line : lines) {
    if (is_one(line)) apis[line.finding.evidence].insert(line.origin.api);
  }
  std::string text;
  for (const Line& line : lines) {
    const auto found = apis.find(line.finding.evidence);
    if (!is_one(line) || found == apis.end()) continue;  // said already
    text +=
        "  " + (found->second.size() == 1 ? records::api_prefix(line.origin.api) : "") + line.finding.evidence + "\n";
    apis.erase(found);
  }
  return text;
}

}  // namespace

std::string level_summary(const records::DeviceRecord& device, std::span<const Line> lines) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    const std::vector<measure::FoundLevel> latency = levels_of(device.id, lines, api, "latency");
    const std::vector<measure::FoundLevel> bandwidth = levels_of(device.id, lines, api, "bandwidth");
    const std::string of_launch = launch(device.id, lines, api);
    const bool any = !latency.empty() || !bandwidth.empty();
    if (!any && of_launch.empty()) continue;
    text += "\n  Levels" + (api == gpu::Api::model ? ", simulated" : " through " + records::spoken_name(api)) + "\n";
    text += any ? level_table(latency, bandwidth) : "  No curve has an edge from which a level could be told.\n";
    if (!bandwidth.empty())
      text += "  GB/s: read by all compute units together, each walking over all of the working set.\n";
    text += of_launch;
  }
  return text + findings(device.id, lines);
}

}  // namespace sonde::summary
