#include "commands/levels.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "commands/output.hpp"
#include "measure/conclude_levels.hpp"
#include "os/file.hpp"
#include "probes/bandwidth/curve.hpp"
#include "probes/catalog.hpp"
#include "records/invalid_file.hpp"
#include "records/read_file.hpp"
#include "records/visible.hpp"
#include "session/level_matching.hpp"
#include "session/usage_error.hpp"
#include "summary/layout.hpp"
#include "summary/level_table.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::commands {
namespace {

using session::UsageError;
using workloads::Path;
using Series = std::map<std::string, std::string>;

constexpr std::array<const measure::Probe*, 3> probes_of_levels{&probes::latency, &probes::bandwidth,
                                                                &probes::cpu_latency};

/// Device, API, place of the probe among those that tell levels, and series without `order` and `fabric`: the curves
/// that speak of one hierarchy, in the order of a run's.
using Key = std::tuple<std::string, std::string, std::size_t, Series>;

/// What a file says that levels are found from.
struct Recorded {
  std::map<std::string, records::DeviceLine> devices;
  std::uint64_t seed = 1;
  std::map<Key, std::vector<measure::Measurement>> curves;
};

std::vector<records::Line> lines_of(const std::string& file) {
  std::string note;
  try {
    std::vector<records::Line> lines = records::read_file(os::path_of(file), note);
    if (!note.empty()) spdlog::warn("{}", note);
    return lines;
  } catch (const records::InvalidFile& error) {
    throw UsageError(error.what());
  }
}

/// The part of a key that a sample's series stands for; empty where it tells no levels.
std::optional<Series> hierarchy_of(const measure::Probe& probe, Series series) {
  if (&probe == &probes::bandwidth) return series == probes::series_of_levels() ? std::optional(series) : std::nullopt;
  // What is measured at a few sizes tells no levels.
  const auto state = series.find("state");
  if (&probe == &probes::cpu_latency && state != series.end() && state->second == "awake") return std::nullopt;
  if (&probe == &probes::latency && workloads::path_of(series) == Path::atomic) return std::nullopt;
  return workloads::hierarchy_series(std::move(series));
}

Recorded recorded_in(const std::string& file) {
  Recorded recorded;
  for (const records::Line& line : lines_of(file)) {
    if (const auto* run = std::get_if<records::RunLine>(&line)) recorded.seed = run->seed;
    if (const auto* device = std::get_if<records::DeviceLine>(&line)) recorded.devices[device->device] = *device;
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || !records::is_point(*sample)) continue;
    const auto* const probe = std::ranges::find(probes_of_levels, sample->origin.probe, &measure::Probe::name);
    if (probe == probes_of_levels.end()) continue;
    const auto series = hierarchy_of(**probe, sample->measurement.point.series);
    if (!series) continue;
    const auto place = static_cast<std::size_t>(probe - probes_of_levels.begin());
    recorded.curves[{sample->origin.device, sample->origin.api, place, *series}].push_back(sample->measurement);
  }
  if (recorded.curves.empty()) throw UsageError(file + ": there are no samples of latency or bandwidth in this file");
  return recorded;
}

/// What tells a curve from others of its device and API: "vector", "bandwidth", "huge pages, efficiency cores".
std::string name_of(const measure::Probe& probe, const Series& series) {
  if (&probe == &probes::bandwidth) return "bandwidth";
  if (&probe == &probes::latency) return std::string(workloads::name_of(workloads::path_of(series)));
  const auto pages = series.find("pages");
  const auto core = series.find("core");
  return (pages == series.end() ? "small" : pages->second) + " pages" +
         (core == series.end() ? "" : ", " + core->second + " cores");
}

/// The same after a device's name; empty for the latency probe's main path.
std::string in_heading(const measure::Probe& probe, const Series& series) {
  if (&probe == &probes::cpu_latency) return ", " + name_of(probe, series);
  if (&probe == &probes::bandwidth) return ", by bandwidth";
  return workloads::path_of(series) == Path::vector ? "" : ", by the path " + name_of(probe, series);
}

bool is_awake(const measure::Conclusion& conclusion) {
  return !conclusion.levels.empty() &&
         workloads::fabric_of(conclusion.levels.front().series) == workloads::Fabric::loaded;
}

void print_records(const records::Origin& origin, const std::string& curve, const measure::Conclusion& conclusion) {
  for (const measure::FoundLevel& level : conclusion.levels) std::cout << records::level_line(origin, level) << "\n";
  for (const measure::Unread& one : conclusion.unread)
    spdlog::warn("{}, {}, {}: {}", origin.device, origin.api, curve, one.reason);
}

void print_text(const std::string& heading, const measure::Conclusion& conclusion) {
  const int columns = output_columns();
  std::cout << records::visible(heading) << (is_awake(conclusion) ? ", memory kept awake" : "") << "\n";
  const bool of_bandwidth = !conclusion.levels.empty() && conclusion.levels.front().gbps;
  if (conclusion.unread.empty()) {
    std::cout << (of_bandwidth ? summary::level_table({}, conclusion.levels, columns)
                               : summary::level_table(conclusion.levels, {}, columns));
  }
  for (const measure::Unread& one : conclusion.unread) std::cout << summary::wrapped(one.reason, columns);
  for (const measure::Finding& finding : conclusion.findings) std::cout << summary::wrapped(finding.evidence, columns);
}

}  // namespace

ExitStatus levels_command(const std::string& file, LevelsFormat format) {
  const Recorded recorded = recorded_in(file);
  std::map<std::pair<std::string, std::string>, session::LevelMatching> matching;
  for (const auto& [key, measurements] : recorded.curves) {
    const auto& [id, api, place, series] = key;
    const measure::Probe& probe = *probes_of_levels[place];
    const auto device = recorded.devices.find(id);
    const bool known = device != recorded.devices.end();
    measure::Request request{.seed = recorded.seed};
    if (known && device->second.line_bytes != 0) request.line_bytes = device->second.line_bytes;
    if (known && device->second.page_bytes != 0) request.page_bytes = device->second.page_bytes;
    if (known) request.stated_cache_bytes = device::largest_bytes(device->second.stated_caches);
    measure::Conclusion conclusion = measure::conclude(probe, request, measurements);
    conclusion.levels = matching[{id, api}].matched(probe, std::move(conclusion.levels));
    if (format == LevelsFormat::json) {
      print_records({id, api, std::string(probe.name)}, name_of(probe, series), conclusion);
    } else {
      print_text((known ? device->second.name : id) + ", " + api + in_heading(probe, series), conclusion);
    }
  }
  return ExitStatus::done;
}

}  // namespace sonde::commands
