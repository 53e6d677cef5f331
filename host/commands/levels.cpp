#include "commands/commands.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <iostream>

#include "measure/level_findings.hpp"
#include "measure/visits.hpp"
#include "os/file.hpp"
#include "probes/bandwidth/bandwidth.hpp"
#include "probes/catalog.hpp"
#include "records/device_record.hpp"
#include "records/input_files.hpp"
#include "records/lines.hpp"
#include "summary/layout.hpp"
#include "summary/summary.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::commands {
namespace {

using measure::Path;
using measure::Words;
using session::UsageError;

/// A thorough run has a tenth of them; finding levels takes the longer the more there are.
constexpr std::size_t most_points = 3000;

constexpr std::array<const measure::Probe*, 3> probes_of_levels{&probes::latency, &probes::bandwidth,
                                                                &probes::cpu_latency};

/// The curves of one hierarchy, in the order of a run's: device, API, index in `probes_of_levels`, and words without
/// `order` and `fabric`.
using Key = std::tuple<std::string, std::string, std::size_t, Words>;

/// The records of a file from which levels are found.
struct Recorded {
  std::map<std::string, records::DeviceRecord> devices;
  std::uint64_t seed = 1;
  std::map<Key, std::vector<measure::Measurement>> curves;
};

/// The words of the hierarchy that a sample belongs to; empty where the sample shows no levels, as curves of a few
/// sizes do not.
std::optional<Words> hierarchy_of(const measure::Probe& probe, const Words& words) {
  // A word that is absent is as in the curve that shows levels.
  const Words& of_levels = probes::bandwidth_probe::level_words;
  if (probe.levels == measure::LevelsOf::bandwidth)
    return measure::with(of_levels, words) == of_levels ? std::optional(of_levels) : std::nullopt;
  const bool few_sizes =
      words.state == measure::MemoryState::awake || words.pattern == measure::Pattern::read_modify_write;
  return few_sizes ? std::nullopt : std::optional(workloads::hierarchy_words(words));
}

Recorded recorded_in(const std::string& file) {
  Recorded recorded;
  for (const records::Line& line : lines_of(file)) {
    if (const auto* run = std::get_if<records::RunLine>(&line)) recorded.seed = run->seed;
    if (const auto* device = std::get_if<records::DeviceRecord>(&line)) recorded.devices[device->id] = *device;
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || !records::is_point(*sample)) continue;
    const auto* const probe = std::ranges::find(probes_of_levels, sample->origin.probe, &measure::Probe::name);
    if (probe == probes_of_levels.end()) continue;
    const auto words = hierarchy_of(**probe, sample->measurement.point.words);
    if (!words) continue;
    const auto index = static_cast<std::size_t>(probe - probes_of_levels.begin());
    std::vector<measure::Measurement>& curve =
        recorded.curves[{sample->origin.device, sample->origin.api, index, *words}];
    measure::Measurement measured = sample->measurement;
    if ((*probe)->levels == measure::LevelsOf::bandwidth) measured.point.words = *words;
    // A file has the visits of a point one after the other, as samples of their own.
    const auto same = std::ranges::find_if(
        curve, [&](const measure::Measurement& one) { return measure::are_of_one_point(one, measured); });
    if (same == curve.end()) {
      if (curve.size() == most_points) {
        throw UsageError(
            fmt::format("{}: a curve has more than {} points, more than any run measures; its levels are "
                        "found of fewer",
                        file, most_points));
      }
      curve.push_back(std::move(measured));
    } else {
      measure::add_visit(*same, measured);
    }
  }
  if (recorded.curves.empty()) throw UsageError(file + ": there are no samples of latency or bandwidth in this file");
  return recorded;
}

/// The name of a curve among those of its device and API: "vector", "bandwidth", "huge pages, efficiency cores".
std::string name_of(const measure::Probe& probe, const Words& words) {
  if (probe.levels == measure::LevelsOf::bandwidth) return "bandwidth";
  if (probe.levels == measure::LevelsOf::latency)
    return std::string(measure::word_of(words.path.value_or(Path::vector)));
  std::string name(measure::word_of(words.pages.value_or(measure::PageSize::small)));
  name += " pages";
  if (words.core) name += fmt::format(", {} cores", measure::word_of(*words.core));
  return name;
}

/// The name of a curve as it follows a device's name; empty for the latency probe's main path.
std::string in_heading(const measure::Probe& probe, const Words& words) {
  if (probe.levels == measure::LevelsOf::none) return ", " + name_of(probe, words);
  if (probe.levels == measure::LevelsOf::bandwidth) return ", by bandwidth";
  return measure::is_vector_path(words) ? "" : ", by the path " + name_of(probe, words);
}

void print_records(const records::Origin& origin, const std::string& curve, const measure::Conclusion& conclusion) {
  for (const measure::FoundLevel& level : conclusion.levels)
    std::cout << records::text_of(records::LevelLine{origin, level}) << "\n";
  for (const measure::CurvesWithoutLevels& one : conclusion.without_levels)
    spdlog::warn("{}, {}, {}: {}", origin.device, origin.api, curve, one.reason);
}

void print_text(const std::string& heading, const measure::Conclusion& conclusion) {
  const int columns = output_columns();
  const measure::FoundLevel nearest = conclusion.levels.empty() ? measure::FoundLevel() : conclusion.levels.front();
  const bool is_awake = nearest.words.fabric == measure::Fabric::loaded;
  std::cout << records::visible(heading) << (is_awake ? ", memory kept awake" : "") << "\n";
  if (!conclusion.levels.empty() || conclusion.without_levels.empty()) {
    std::cout << (nearest.gbps ? summary::level_table({}, conclusion.levels, columns)
                               : summary::level_table(conclusion.levels, {}, columns));
  }
  for (const measure::CurvesWithoutLevels& one : conclusion.without_levels)
    std::cout << summary::wrapped(one.reason, columns);
  for (const measure::Finding& finding : conclusion.findings) std::cout << summary::wrapped(finding.evidence, columns);
}

}  // namespace

ExitStatus levels_command(const std::string& file, bool as_json) {
  const Recorded recorded = recorded_in(file);
  // Curves of latency come first.
  std::map<std::pair<std::string, std::string>, std::vector<measure::FoundLevel>> by_latency;
  for (const auto& [key, measurements] : recorded.curves) {
    const auto& [id, api, index, words] = key;
    const measure::Probe& probe = *probes_of_levels[index];
    const auto device = recorded.devices.find(id);
    const bool known = device != recorded.devices.end();
    measure::Request request{.seed = recorded.seed};
    if (known && device->second.line_bytes != 0) request.line_bytes = device->second.line_bytes;
    if (known && device->second.page_bytes != 0) request.page_bytes = device->second.page_bytes;
    request.of_cpu = known && device->second.type == device::DeviceType::cpu;
    if (known) request.stated_cache_bytes = device::largest_bytes(device->second.stated_caches);
    if (probe.levels == measure::LevelsOf::bandwidth) request.levels_by_latency = by_latency[{id, api}];
    measure::Conclusion conclusion = measure::conclude(probe, request, measurements);
    if (conclusion.levels.empty() && conclusion.without_levels.empty()) {
      const std::string sets =
          measurements.size() == 1 ? "is one point" : fmt::format("are {} points", measurements.size());
      conclusion.without_levels.push_back(
          {words,
           fmt::format("no levels, as there {} of this curve; wider --sizes or more --time measure more", sets)});
    }
    if (probe.levels == measure::LevelsOf::latency && measure::is_vector_path(words))
      by_latency[{id, api}] = conclusion.levels;
    if (as_json) {
      print_records({id, api, std::string(probe.name)}, name_of(probe, words), conclusion);
    } else {
      print_text((known ? device->second.name : id) + ", " + api + in_heading(probe, words), conclusion);
    }
  }
  return ExitStatus::done;
}

}  // namespace sonde::commands
