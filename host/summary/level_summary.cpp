#include "summary/level_summary.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "records/device_record.hpp"
#include "summary/layout.hpp"
#include "summary/level_table.hpp"
#include "workloads/path.hpp"

namespace sonde::summary {
namespace {

std::vector<measure::FoundLevel> levels_of_vector_path(const Results& latency) {
  std::vector<measure::FoundLevel> found;
  std::ranges::copy_if(latency.levels, std::back_inserter(found), [](const measure::FoundLevel& level) {
    return workloads::path_of(level.series) == workloads::Path::vector;
  });
  return found;
}

/// What a dispatch takes beside its bytes.
std::string launch(const Results& bandwidth, int columns) {
  const auto found = std::ranges::find(bandwidth.findings, "launch", &measure::Finding::name);
  return found == bandwidth.findings.end() ? "" : wrapped(found->evidence, columns);
}

}  // namespace

std::string level_summary(const Results& latency, const Results& bandwidth, gpu::Api api, int columns) {
  const std::vector<measure::FoundLevel> of_latency = levels_of_vector_path(latency);
  const std::string of_launch = launch(bandwidth, columns);
  const bool any = !of_latency.empty() || !bandwidth.levels.empty();
  if (!any && of_launch.empty()) return "";
  return heading("Levels", api, "", columns) +
         (any ? level_table(of_latency, bandwidth.levels, columns)
              : wrapped("No curve has an edge from which a level could be told.", columns)) +
         of_launch;
}

std::string latency_findings(const std::string& device, const View& view, int columns) {
  constexpr std::array apis{gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model};
  std::vector<std::string> said;
  std::map<std::string, std::vector<gpu::Api>> apis_of;
  for (const gpu::Api api : apis) {
    for (const measure::Finding& finding : view.of(device, api, "latency").findings) {
      std::vector<gpu::Api>& seen = apis_of[finding.evidence];
      if (seen.empty()) said.push_back(finding.evidence);
      if (seen.empty() || seen.back() != api) seen.push_back(api);
    }
  }
  std::string text;
  for (const std::string& evidence : said) {
    const std::vector<gpu::Api>& seen = apis_of.at(evidence);
    text += wrapped((seen.size() == 1 ? records::api_prefix(records::api_name(seen.front())) : "") + evidence, columns);
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace sonde::summary
