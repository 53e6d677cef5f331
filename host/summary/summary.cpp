#include "summary/summary.hpp"

#include <fmt/format.h>

#include <cctype>

#include "analysis/number_text.hpp"
#include "measure/level_findings.hpp"
#include "probes/catalog.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using records::DeviceRecord;

std::string drivers(const DeviceRecord& device, int columns) {
  std::string text;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan}) {
    const records::ApiDevice* driver = records::through(device, api);
    if (driver == nullptr) continue;
    text +=
        wrapped(records::spoken_name(api) + ": " + driver->info.platform + ", " + driver->info.driver_version, columns);
  }
  return text;
}

constexpr std::array device_apis{device::Api::opencl, device::Api::vulkan, device::Api::model};

/// A sentence with the caches that the system and drivers state, to be held against the levels, and whether the sweeps
/// ended within the largest. Empty where none is stated, or no level was measured.
std::string stated_caches(const records::DeviceRecord& device, const View& view, int columns) {
  if (device.stated_caches.empty()) return "";
  double swept_bytes = 0;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu}) {
    for (const char* probe : {"latency", "cpu-latency"}) {
      const Results& found = view.of(device.id, api, probe);
      if (found.levels.empty()) continue;
      for (const auto& [words, points] : found.samples) {
        if (words.order) continue;
        for (const measure::Measurement* one : points)
          swept_bytes = std::max(swept_bytes, one->point.x.bytes.value_or(0));
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

/// The latency probe's findings beside levels, each once though it has a record with both APIs.
std::string latency_findings(const std::string& device, const View& view, int columns) {
  std::vector<std::string> evidence_in_order;
  std::map<std::string, std::vector<device::Api>> apis_of;
  for (const device::Api api : device_apis) {
    for (const auto& [origin, name, finding] : view.of(device, api, "latency").findings) {
      std::vector<device::Api>& seen = apis_of[finding.evidence];
      if (seen.empty()) evidence_in_order.push_back(finding.evidence);
      if (seen.empty() || seen.back() != api) seen.push_back(api);
    }
  }
  std::string text;
  for (const std::string& evidence : evidence_in_order) {
    const std::vector<device::Api>& seen = apis_of.at(evidence);
    text +=
        wrapped((seen.size() == 1 ? driver_api(records::api_name(seen.front()), "", ": ") : "") + evidence, columns);
  }
  return text.empty() ? "" : "\n" + text;
}

/// The levels of the device through each API, with the findings about them, and those of the CPU itself.
std::string levels(const DeviceRecord& device, const View& view, int columns) {
  std::string text;
  for (const device::Api api : device_apis) {
    std::vector<measure::FoundLevel> latency = view.of(device.id, api, "latency").levels;
    std::erase_if(latency, [](const measure::FoundLevel& level) { return !measure::is_vector_path(level.words); });
    const std::vector<measure::FoundLevel>& bandwidth = view.of(device.id, api, "bandwidth").levels;
    if (latency.empty() && bandwidth.empty()) continue;
    text += heading("Levels", api, "", columns) + level_table(latency, bandwidth, columns);
  }
  text += latency_findings(device.id, view, columns);
  std::map<Words, std::vector<measure::FoundLevel>> of_the_cpu;
  for (const measure::FoundLevel& level : view.of(device.id, device::Api::cpu, "cpu-latency").levels)
    of_the_cpu[level.words].push_back(level);
  for (const auto& [words, found] : of_the_cpu) {
    text += "\n" + wrapped("Levels of the CPU itself, " + place_text({.words = words}), columns) +
            level_table(found, {}, columns);
  }
  return text + stated_caches(device, view, columns);
}

/// The tables and findings of a probe through each API.
std::string of_probe(const measure::Probe& probe, const DeviceRecord& device, const View& view, int columns) {
  std::string text;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu, device::Api::model}) {
    const Results& results = view.of(device.id, api, probe.name);
    const std::string tables = pivot_tables(probe.name, results, api, columns);
    // Findings about levels stand beside them, those about kinds of memory in their table.
    const bool elsewhere = probe.name == "latency" || probe.name == "zero-copy" || probe.name == "host-memory";
    const std::string found = elsewhere ? "" : findings(probe.name, results, columns);
    std::string title(probe.name);
    std::ranges::replace(title, '-', ' ');
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    if (tables.empty() && !found.empty()) {
      // The heading has the empty line that parts a table of findings from what stands above it.
      text += heading(title, api, "", columns) + found.substr(found.starts_with('\n') ? 1 : 0);
    } else {
      text += tables + found;
    }
  }
  return text;
}

std::string of_device(const DeviceRecord& device, const View& view, const TerminalFormat& format) {
  const int columns = format.columns;
  const bool simulated = device.type == device::DeviceType::model;
  std::string text =
      "\n" +
      wrapped(device.name + " (" + (simulated ? "simulated" : records::type_name(device.type)) + ")", columns, 0);
  text += drivers(device, columns);
  text += latency_table(device, view, columns);
  text += latency_chart(device.id, view, columns, format.colour);
  text += levels(device, view, columns);
  for (const device::Api api : device_apis) {
    text +=
        memory_kinds_table(view.of(device.id, api, "zero-copy"), view.of(device.id, api, "host-memory"), api, columns);
  }
  std::set<std::string_view> shown;
  for (const measure::Probe* probe : probes::catalog()) {
    if (shown.insert(probe->name).second) text += of_probe(*probe, device, view, columns);
  }
  text += traffic_table(device.id, view, simulated, columns);
  return text + unmeasured_list(view.of(device.id).unmeasured, columns);
}

/// Notes on the words and signs in the tables.
std::string footnotes(std::span<const DeviceRecord> devices, const View& view, int columns) {
  std::ptrdiff_t disturbed = 0;
  std::ptrdiff_t unsettled = 0;
  double interrupted = 0;
  for (const DeviceRecord& device : devices) {
    const auto points = view.of(device.id).points;
    disturbed += std::ranges::count_if(points, [](const auto* point) { return point->state.disturbed; });
    unsettled += std::ranges::count_if(points, [](const auto* point) { return point->state.laps_settling > 0; });
    for (const measure::Measurement* point : points) interrupted = std::max(interrupted, point->state.interrupted);
  }
  std::string notes;
  const auto note = [&notes, columns](bool applies, const std::string& text) {
    if (applies) notes += wrapped(text, columns, 0);
  };
  note(view.has_levels(),
       "Levels: each value lies between the two numbers beside it. An edge begins where a level is left "
       "and ends where it is gone. GB/s: all compute units read, each all of the working set.");
  note(disturbed > 0,
       fmt::format("* {} {} measured while other programs or the hypervisor took CPU time, even when "
                   "repeated, or while something else worked on the same core. That may be another virtual "
                   "machine. Run again on an idle machine.",
                   disturbed, disturbed == 1 ? "point was" : "points were"));
  note(unsettled > 0,
       fmt::format("At {} {} the caches were still taking the working set in when the time for untimed laps "
                   "was over. These latencies are upper bounds, and sizes read from them less certain; "
                   "--effort thorough waits longest.",
                   unsettled, unsettled == 1 ? "point" : "points"));
  note(interrupted > 0, fmt::format("Left out: up to {} of a point's windows or dispatches, in which the system or the "
                                    "hypervisor took the core.",
                                    analysis::percent_text(interrupted)));
  return notes.empty() ? "" : "\n" + notes;
}

}  // namespace

std::string summary(std::span<const DeviceRecord> devices, std::span<const records::Line> lines,
                    const TerminalFormat& format) {
  const View view(lines);
  std::string text;
  for (const DeviceRecord& device : devices) text += of_device(device, view, format);
  return text + footnotes(devices, view, format.columns);
}

}  // namespace sonde::summary
