#include "summary/level_summary.hpp"

#include <map>
#include <set>
#include <vector>

#include "summary/level_table.hpp"
#include "workloads/path.hpp"

namespace sonde::summary {
namespace {

using records::Line;

bool is_here(const records::Origin& origin, const std::string& device, gpu::Api api, std::string_view probe) {
  return origin.device == device && origin.api == records::api_name(api) && origin.probe == probe;
}

std::vector<measure::FoundLevel> levels_of(const std::string& device, std::span<const Line> lines, gpu::Api api,
                                           std::string_view probe) {
  std::vector<measure::FoundLevel> found;
  for (const Line& line : lines) {
    const auto* one = std::get_if<records::LevelLine>(&line);
    if (one == nullptr || !is_here(one->origin, device, api, probe)) continue;
    const bool main = probe == "bandwidth" || workloads::path_of(one->level.series) == workloads::Path::vector;
    if (main) found.push_back(one->level);
  }
  return found;
}

/// What a dispatch takes beside its bytes.
std::string launch(const std::string& device, std::span<const Line> lines, gpu::Api api) {
  for (const Line& line : lines) {
    const auto* found = std::get_if<records::FindingLine>(&line);
    if (found == nullptr || found->finding.name != "launch" || !is_here(found->origin, device, api, "bandwidth"))
      continue;
    return "  " + found->finding.evidence + "\n";
  }
  return "";
}

/// What the latency probe found; a finding about both APIs has a record with each.
std::string findings(const std::string& device, std::span<const Line> lines) {
  std::vector<const records::FindingLine*> findings;
  for (const Line& line : lines) {
    const auto* one = std::get_if<records::FindingLine>(&line);
    if (one != nullptr && one->origin.device == device && one->origin.probe == "latency") findings.push_back(one);
  }
  std::map<std::string, std::set<std::string>> apis;
  for (const records::FindingLine* one : findings) apis[one->finding.evidence].insert(one->origin.api);
  std::string text;
  for (const records::FindingLine* one : findings) {
    const auto found = apis.find(one->finding.evidence);
    if (found == apis.end()) continue;  // said already
    text +=
        "  " + (found->second.size() == 1 ? records::api_prefix(one->origin.api) : "") + one->finding.evidence + "\n";
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
