#include "summary/level_summary.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include "records/device_record.hpp"
#include "summary/layout.hpp"
#include "summary/level_table.hpp"
#include "workloads/walk/path.hpp"

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

std::string level_summary(const Results& latency, const Results& bandwidth, device::Api api, int columns) {
  const std::vector<measure::FoundLevel> of_latency = levels_of_vector_path(latency);
  const std::string of_launch = launch(bandwidth, columns);
  const bool any = !of_latency.empty() || !bandwidth.levels.empty();
  if (!any && of_launch.empty()) return "";
  return heading("Levels", api, "", columns) +
         (any ? level_table(of_latency, bandwidth.levels, columns)
              : wrapped("No curve has an edge from which a level could be told.", columns)) +
         of_launch;
}

std::string sizes_by_source(std::span<const device::StatedCache> caches) {
  std::map<std::string, std::string> by_source;
  for (const device::StatedCache& cache : caches) {
    std::string& text = by_source[cache.source];
    text += (text.empty() ? "" : ", ") + measure::size_text(static_cast<double>(cache.bytes));
  }
  std::string text;
  for (const auto& [source, sizes] : by_source) text += (text.empty() ? "" : "; ") + sizes + " (" + source + ")";
  return text;
}

std::string stated_caches(const records::DeviceRecord& device, const View& view, int columns) {
  if (device.stated_caches.empty()) return "";
  double swept_bytes = 0;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu}) {
    for (const char* probe : {"latency", "cpu-latency"}) {
      const Results& found = view.of(device.id, api, probe);
      if (found.levels.empty()) continue;
      for (const auto& [series, points] : found.samples) {
        if (series.contains("order")) continue;
        for (const measure::Measurement* one : points) swept_bytes = std::max(swept_bytes, one->point.x.at("bytes"));
      }
    }
  }
  if (swept_bytes == 0) return "";
  std::string text = "Stated, not measured: caches of " + sizes_by_source(device.stated_caches);
  const auto largest = static_cast<double>(device::largest_bytes(device.stated_caches));
  if (swept_bytes < largest) {
    text += ". The sweeps end at " + measure::size_text(swept_bytes) +
            ", within the largest, so what lies last is called beyond, not memory; --sizes up to " +
            measure::size_text(2 * largest) + " would tell";
  }
  return wrapped(text + ".", columns);
}

std::string latency_findings(const std::string& device, const View& view, int columns) {
  constexpr std::array apis{device::Api::opencl, device::Api::vulkan, device::Api::model};
  std::vector<std::string> said;
  std::map<std::string, std::vector<device::Api>> apis_of;
  for (const device::Api api : apis) {
    for (const measure::Finding& finding : view.of(device, api, "latency").findings) {
      std::vector<device::Api>& seen = apis_of[finding.evidence];
      if (seen.empty()) said.push_back(finding.evidence);
      if (seen.empty() || seen.back() != api) seen.push_back(api);
    }
  }
  std::string text;
  for (const std::string& evidence : said) {
    const std::vector<device::Api>& seen = apis_of.at(evidence);
    text += wrapped((seen.size() == 1 ? records::api_prefix(records::api_name(seen.front())) : "") + evidence, columns);
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace sonde::summary
