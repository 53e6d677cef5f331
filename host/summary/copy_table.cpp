#include "summary/copy_table.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "probes/copy/route.hpp"
#include "records/device_record.hpp"
#include "summary/format.hpp"

namespace sonde::summary {
namespace {

using probes::CopyRoute;
using probes::Direction;
using probes::HostEnd;
using probes::Mover;
using records::Line;

constexpr std::array directions{Direction::to_device, Direction::to_host, Direction::both};

bool is_here(const records::Origin& origin, const std::string& device, const std::string& api) {
  return origin.device == device && origin.probe == "copy" && origin.api == api;
}

/// What the table needs of one API's lines.
struct Found {
  std::map<CopyRoute, double> gbps;
  std::map<CopyRoute, double> latency_us;
  std::map<CopyRoute, bool> disturbed;
  std::vector<std::string> sentences;
};

Found found_in(std::span<const Line> lines, const std::string& device, const std::string& api) {
  Found found;
  std::map<CopyRoute, double> largest;
  for (const Line& line : lines) {
    const auto* told = std::get_if<records::FindingLine>(&line);
    if (told != nullptr && is_here(told->origin, device, api)) {
      const measure::Finding& finding = told->finding;
      const CopyRoute route = probes::route_of(finding.series);
      if (finding.name == "latency") found.latency_us[route] = finding.value.value_or(0);
      if (finding.name == "bandwidth") found.gbps[route] = finding.value.value_or(0);
      if (finding.name == "engines" || finding.name == "overlaps-compute") found.sentences.push_back(finding.evidence);
    }
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || !is_here(sample->origin, device, api)) continue;
    const measure::Point& point = sample->measurement.point;
    if (sample->measurement.unit != "GB/s" || point.x.contains("queues")) continue;
    const CopyRoute route = probes::route_of(point.series);
    found.disturbed[route] = found.disturbed[route] || sample->measurement.state.disturbed;
    // Both directions have no line of their own, as what one waits for the other for is not a latency.
    const bool total = !point.series.contains("counted") || point.series.at("counted") == "total";
    if (route.direction != Direction::both || !total || point.x.at("bytes") < largest[route]) continue;
    largest[route] = point.x.at("bytes");
    found.gbps[route] = analysis::summarize(sample->measurement.values).median;
  }
  return found;
}

std::string cell(const Found& found, const CopyRoute& route) {
  const auto gbps = found.gbps.find(route);
  if (gbps == found.gbps.end()) return format("%24s  ", "–");  // three bytes, one column
  const auto latency = found.latency_us.find(route);
  std::string text = format("%.3g GB/s", gbps->second);
  if (latency != found.latency_us.end()) text += format(" %6.3g us", latency->second);
  const auto disturbed = found.disturbed.find(route);
  const bool marked = disturbed != found.disturbed.end() && disturbed->second;
  return format("%22s%s", text.c_str(), marked ? " *" : "  ");
}

std::string way_name(Mover mover, HostEnd host) {
  const std::string by = probes::series_of({.mover = mover}).at("engine");
  if (host == HostEnd::none) return by + ", within the device";
  return by + ", " + probes::series_of({.host = host}).at("host");
}

std::string rows(const Found& found) {
  std::string text;
  for (const Mover mover : {Mover::driver, Mover::transfer, Mover::compute_shader}) {
    for (const HostEnd host : {HostEnd::pageable, HostEnd::pinned, HostEnd::imported, HostEnd::map_memcpy}) {
      std::string cells;
      bool any = false;
      for (const Direction direction : directions) {
        const CopyRoute route{.mover = mover, .host = host, .direction = direction};
        any = any || found.gbps.contains(route);
        cells += cell(found, route);
      }
      if (any) text += format("  %-34s", way_name(mover, host).c_str()) + cells + "\n";
    }
    const CopyRoute within{.mover = mover, .host = HostEnd::none, .direction = Direction::within};
    if (found.gbps.contains(within))
      text += format("  %-34s", way_name(mover, HostEnd::none).c_str()) + cell(found, within) + "\n";
  }
  return text;
}

}  // namespace

std::string copy_table(const std::string& device, std::span<const Line> lines, bool simulated) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    const Found found = found_in(lines, device, records::api_name(api));
    const std::string table = rows(found);
    if (table.empty()) continue;
    text += std::string("\n  ") + (simulated ? "Simulated copies" : "Copies through " + records::spoken_name(api)) +
            ": GB/s of large ones, what a small one takes beside its bytes\n";
    text += format("  %-34s%22s%24s%24s\n", "", "to the device", "to the host", "both at once") + table;
    for (const std::string& sentence : found.sentences) text += "  " + sentence + "\n";
  }
  return text;
}

std::string copy_name(const measure::Point& point) {
  const CopyRoute route = probes::route_of(point.series);
  const std::string by = series_of(CopyRoute{.mover = route.mover}).at("engine");
  std::string text = "by " + by + (route.mover == Mover::transfer ? " queue" : "") + ", " + probes::phrase_of(route);
  const auto queues = point.x.find("queues");
  if (queues != point.x.end()) text += format(" on %.0f queues", queues->second);
  if (route.beside_kernel) text += " beside a kernel";
  return text;
}

}  // namespace sonde::summary
