#include "summary/level_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "analysis/statistics.hpp"
#include "probes/bandwidth/curve.hpp"
#include "records/device_record.hpp"
#include "summary/layout.hpp"
#include "summary/level_table.hpp"
#include "workloads/path.hpp"

namespace sonde::summary {
namespace {

/// The fit of a launch uses working sets up to here, where moving them takes little.
constexpr double small_bytes = 256 << 10;

std::vector<measure::FoundLevel> levels_of_vector_path(const Results& latency) {
  std::vector<measure::FoundLevel> found;
  std::ranges::copy_if(latency.levels, std::back_inserter(found), [](const measure::FoundLevel& level) {
    return workloads::path_of(level.series) == workloads::Path::vector;
  });
  return found;
}

/// What a dispatch takes that moves nothing, and the time of small ones as a + n / b.
std::string launch(const Results& bandwidth, int columns) {
  std::optional<double> empty_us;
  std::vector<double> launches_us;
  std::vector<double> gbps;
  const auto found = bandwidth.samples.find(probes::series_of_levels());
  if (found == bandwidth.samples.end()) return "";
  for (const measure::Measurement* one : found->second) {
    if (one->unit == "us") empty_us = measure::median_of(*one);
  }
  for (const auto& [bytes, one] : by_size(found->second, "GB/s")) {
    if (bytes > small_bytes) break;
    launches_us.push_back(one->state.launch_ns / 1e3);
    gbps.push_back(measure::median_of(*one));
  }
  std::string text;
  if (empty_us)
    text = wrapped(fmt::format("An empty kernel takes {} µs by the device's clock.", three_digits(*empty_us)), columns);
  if (launches_us.size() >= 3) {
    const analysis::Summary a = analysis::summarize(launches_us);
    text += wrapped(fmt::format("A dispatch over n bytes, up to 256 KiB, takes a + n / b: a is {} µs ({} to {}), b "
                                "is {:.0f} GB/s.",
                                three_digits(a.median), three_digits(a.lower_quartile), three_digits(a.upper_quartile),
                                analysis::quantile(gbps, 0.5)),
                    columns);
  }
  return text;
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
