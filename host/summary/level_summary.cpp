#include "summary/level_summary.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/statistics.hpp"
#include "probes/bandwidth/curve.hpp"
#include "summary/format.hpp"
#include "summary/level_table.hpp"
#include "workloads/path.hpp"

namespace sonde::summary {
namespace {

using records::Line;

/// The fit of a launch uses working sets up to here, where moving them takes little.
constexpr double small_bytes = 256 << 10;

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

/// What a dispatch takes that moves nothing, and the time of small ones as a + n / b.
std::string launch(const std::string& device, std::span<const Line> lines, gpu::Api api) {
  std::optional<double> empty_us;
  std::vector<double> launches_us;
  std::vector<double> gbps;
  for (const Line& line : lines) {
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || !is_here(sample->origin, device, api, "bandwidth")) continue;
    const auto& [point, unit, values, state] = sample->measurement;
    if (point.series != probes::series_of_levels()) continue;
    if (unit == "us") empty_us = analysis::summarize(values).median;
    if (unit != "GB/s" || point.x.size() != 1 || !point.x.contains("bytes") || point.x.at("bytes") > small_bytes)
      continue;
    launches_us.push_back(state.launch_ns / 1e3);
    gbps.push_back(analysis::summarize(values).median);
  }
  std::string text;
  if (empty_us) text = format("  An empty kernel takes %.3g us by the device's clock", *empty_us);
  if (launches_us.size() >= 3) {
    const analysis::Summary a = analysis::summarize(launches_us);
    text += text.empty() ? "  A" : "; a";
    text += format(" dispatch of n bytes takes a + n / b, a = %.3g us (%.3g to %.3g), b = %.0f GB/s in up to 256 KiB",
                   a.median, a.lower_quartile, a.upper_quartile, analysis::quantile(gbps, 0.5));
  }
  return text.empty() ? "" : text + ".\n";
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
