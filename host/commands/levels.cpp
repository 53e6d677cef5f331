#include "commands/levels.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <tuple>

#include "measure/cycles.hpp"
#include "probes/bandwidth/curve.hpp"
#include "probes/catalog.hpp"
#include "records/invalid_file.hpp"
#include "records/read_file.hpp"
#include "session/usage_error.hpp"
#include "summary/level_table.hpp"
#include "workloads/path.hpp"

namespace sonde::commands {
namespace {

using session::UsageError;
using workloads::Path;
using Series = std::map<std::string, std::string>;

/// Device, API, place of the probe among those that tell levels, and series without `order` and `fabric`: the curves
/// that speak of one hierarchy, in the order of a run's.
using Key = std::tuple<std::string, std::string, std::size_t, Series>;
constexpr std::array<const measure::Probe*, 2> probes_of_levels{&probes::latency, &probes::bandwidth};

bool is_awake(const measure::Conclusion& conclusion) {
  return !conclusion.levels.empty() &&
         workloads::fabric_of(conclusion.levels.front().series) == workloads::Fabric::loaded;
}

}  // namespace

ExitStatus levels_command(const std::string& file, LevelsFormat format) {
  std::string note;
  std::vector<records::Line> lines;
  try {
    lines = records::read_file(file, note);
  } catch (const records::InvalidFile& error) {
    throw UsageError(error.what());
  }
  if (!note.empty()) spdlog::warn("{}", note);
  std::map<std::string, const records::DeviceLine*> devices;
  std::map<Key, std::vector<measure::Measurement>> curves;
  std::uint64_t seed = 1;
  for (const records::Line& line : lines) {
    if (const auto* run = std::get_if<records::RunLine>(&line)) seed = run->seed;
    if (const auto* device = std::get_if<records::DeviceLine>(&line)) devices[device->device] = device;
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || !records::is_point(*sample)) continue;
    const auto probe =
        std::ranges::find(probes_of_levels, sample->origin.probe, [](const measure::Probe* one) { return one->name; });
    if (probe == probes_of_levels.end()) continue;
    Series series = sample->measurement.point.series;
    if (*probe == &probes::latency) {
      series.erase("order");
      series.erase("fabric");
      // An atomic's few sizes tell no levels.
      if (workloads::path_of(series) == Path::atomic) continue;
    } else if (series != probes::series_of_levels()) {
      continue;
    }
    const auto place = static_cast<std::size_t>(probe - probes_of_levels.begin());
    curves[{sample->origin.device, sample->origin.api, place, series}].push_back(sample->measurement);
  }
  if (curves.empty()) throw UsageError(file + ": there are no samples of latency or bandwidth in this file");
  for (const auto& [key, measurements] : curves) {
    const auto& [device, api, place, series] = key;
    const measure::Probe& probe = *probes_of_levels[place];
    const bool latency = &probe == &probes::latency;
    measure::Request request{.seed = seed};
    const auto found = devices.find(device);
    if (found != devices.end() && found->second->line_bytes != 0) request.line_bytes = found->second->line_bytes;
    measure::Conclusion conclusion = probe.conclude(request, measurements);
    measure::add_cycles(conclusion.levels, measurements);
    if (format == LevelsFormat::json) {
      for (const measure::FoundLevel& level : conclusion.levels) {
        std::cout << records::level_line({device, api, std::string(probe.name)}, level) << "\n";
      }
      for (const measure::Unread& one : conclusion.unread)
        spdlog::warn("{}, {}, {}: {}", device, api, workloads::name_of(workloads::path_of(one.series)), one.reason);
      continue;
    }
    const Path path = latency ? workloads::path_of(series) : Path::vector;
    std::cout << (found != devices.end() ? found->second->name : device) << ", " << api
              << (latency ? "" : ", by bandwidth")
              << (path == Path::vector ? "" : ", by the path " + std::string(workloads::name_of(path)))
              << (is_awake(conclusion) ? ", memory kept awake" : "") << "\n";
    if (conclusion.unread.empty())
      std::cout << (latency ? summary::level_table(conclusion.levels) : summary::level_table({}, conclusion.levels));
    for (const measure::Unread& one : conclusion.unread) std::cout << "  " << one.reason << "\n";
    for (const measure::Finding& finding : conclusion.findings) std::cout << "  " << finding.evidence << "\n";
  }
  return ExitStatus::done;
}

}  // namespace sonde::commands
