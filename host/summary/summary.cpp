#include "summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "probes/catalog.hpp"
#include "summary/bandwidth_table.hpp"
#include "summary/compute_table.hpp"
#include "summary/contention_table.hpp"
#include "summary/copy_table.hpp"
#include "summary/core_to_core_table.hpp"
#include "summary/cpu_bandwidth_table.hpp"
#include "summary/cpu_latency_table.hpp"
#include "summary/cpu_loaded_latency_table.hpp"
#include "summary/frames_table.hpp"
#include "summary/further_paths_table.hpp"
#include "summary/hit_rate_table.hpp"
#include "summary/latency_chart.hpp"
#include "summary/latency_table.hpp"
#include "summary/layout.hpp"
#include "summary/level_summary.hpp"
#include "summary/loaded_latency_note.hpp"
#include "summary/memory_kinds_table.hpp"
#include "summary/probe_table.hpp"
#include "summary/traffic_table.hpp"
#include "summary/unmeasured_list.hpp"
#include "summary/view.hpp"

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

std::string of_device(const DeviceRecord& device, const View& view, const Paper& paper) {
  const int columns = paper.columns;
  const bool simulated = device.type == device::DeviceType::model;
  std::string text =
      "\n" +
      wrapped(device.name + " (" + (simulated ? "simulated" : records::type_name(device.type)) + ")", columns, 0);
  text += drivers(device, columns);
  text += latency_table(device, view, columns);
  text += latency_chart(device.id, view, columns, paper.colour);
  text += further_paths_table(device.id, view, columns);
  // Each probe's tables stand together, an API a table.
  std::set<std::string_view> shown{"latency", "cpu-latency", "cpu-bandwidth", "core-to-core"};
  const auto add = [&](auto table, auto... probes) {
    (shown.insert(probes), ...);
    for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::model})
      text += table(view.of(device.id, api, probes)..., api, columns);
  };
  add(level_summary, "latency", "bandwidth");
  text += latency_findings(device.id, view, columns);
  text += cpu_latency_table(view.of(device.id, device::Api::cpu, "cpu-latency"), columns);
  text += cpu_bandwidth_table(view.of(device.id, device::Api::cpu, "cpu-bandwidth"), columns);
  text += core_to_core_table(view.of(device.id, device::Api::cpu, "core-to-core"), columns);
  text += stated_caches(device, view, columns);
  add(bandwidth_table, "bandwidth");
  add(loaded_latency_note, "loaded-latency");
  text += cpu_loaded_latency_table(view.of(device.id, device::Api::cpu, "loaded-latency"), columns);
  add(hit_rate_table, "hit-rate");
  add(memory_kinds_table, "zero-copy", "host-memory");
  add(copy_table, "copy");
  add(contention_table, "contention");
  add(frames_table, "frames");
  add(compute_table, "compute");
  for (const probes::Probe* probe : probes::catalog()) {
    if (shown.contains(probe->name)) continue;
    for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu, device::Api::model})
      text += probe_table(probe->name, view.of(device.id, api, std::string(probe->name)), api, columns);
  }
  text += traffic_table(device.id, view, simulated, columns);
  return text + unmeasured_list(view.unmeasured(device.id), columns);
}

/// What the words and signs in the tables mean.
std::string footnotes(std::span<const DeviceRecord> devices, const View& view, int columns) {
  std::ptrdiff_t disturbed = 0;
  std::ptrdiff_t unsettled = 0;
  for (const DeviceRecord& device : devices) {
    const auto points = view.points(device.id);
    disturbed += std::ranges::count_if(points, [](const auto* point) { return point->state.disturbed; });
    unsettled += std::ranges::count_if(points, [](const auto* point) { return point->state.laps_settling > 0; });
  }
  std::string notes;
  if (view.has_levels()) {
    notes += wrapped(
        "Levels: each value lies between the two numbers beside it. An edge begins where a level is left "
        "and ends where it is gone. GB/s: all compute units read, each all of the working set.",
        columns, 0);
  }
  if (disturbed > 0) {
    notes +=
        wrapped(fmt::format("* {} {} measured while other programs or the hypervisor took CPU time, even when "
                            "repeated, or while something else worked on the same core. That may be another virtual "
                            "machine. Run again on an idle machine.",
                            disturbed, disturbed == 1 ? "point was" : "points were"),
                columns, 0);
  }
  if (unsettled > 0) {
    notes +=
        wrapped(fmt::format("At {} {} the caches were still taking the working set in when the time for untimed laps "
                            "was over. These latencies are upper bounds, and sizes read from them less certain; "
                            "--effort thorough waits longest.",
                            unsettled, unsettled == 1 ? "point" : "points"),
                columns, 0);
  }
  return notes.empty() ? "" : "\n" + notes;
}

}  // namespace

std::string summary(std::span<const DeviceRecord> devices, std::span<const records::Line> lines, const Paper& paper) {
  const View view(lines);
  std::string text;
  for (const DeviceRecord& device : devices) text += of_device(device, view, paper);
  return text + footnotes(devices, view, paper.columns);
}

}  // namespace sonde::summary
