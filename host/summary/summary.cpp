#include "summary/summary.hpp"

#include <algorithm>

#include "summary/bandwidth_table.hpp"
#include "summary/companion_tables.hpp"
#include "summary/copy_table.hpp"
#include "summary/format.hpp"
#include "summary/latency_summary.hpp"
#include "summary/level_summary.hpp"
#include "summary/loaded_latency_summary.hpp"
#include "summary/memory_kinds_table.hpp"
#include "workloads/memory_kinds.hpp"
#include "workloads/path.hpp"

namespace sonde::summary {
namespace {

using records::DeviceRecord;
using records::Line;
using workloads::Path;

std::string drivers(const DeviceRecord& device) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan}) {
    const records::ApiDevice* driver = records::through(device, api);
    if (driver == nullptr) continue;
    text += "  " + records::spoken_name(api) + ": " + driver->info.platform + ", " + driver->info.driver_version + "\n";
  }
  return text;
}

/// What a skip or an error is about.
std::string place_of(const records::Origin& origin, const measure::Point& point) {
  std::string where = origin.probe + " through " + origin.api;
  const Path path = workloads::path_of(point.series);
  if (origin.probe == "latency" && path != Path::vector)
    where += " by the path " + std::string(workloads::name_of(path));
  if (origin.probe == "latency" && workloads::fabric_of(point.series) == workloads::Fabric::loaded)
    where += " with memory kept awake";
  if (point.series.contains("memory") && workloads::memory_of(point.series) != "device") {
    where += " in " + workloads::memory_of(point.series) + " memory";
  }
  if (origin.probe == "copy" && !point.series.empty()) where += " " + copy_name(point);
  if (point.x.contains("bytes")) where += " at " + measure::size_text(point.x.at("bytes"));
  return where;
}

/// What could not be measured; what one reason keeps from being measured is named once.
std::string missing(std::span<const Line> lines) {
  struct Reason {
    bool failed;
    records::Origin origin;
    measure::Point first;
    std::string why;
    int others = 0;
  };
  std::vector<Reason> reasons;
  const auto add = [&reasons](bool failed, const auto& line) {
    const auto same = std::ranges::find_if(reasons, [&](const Reason& one) {
      return one.failed == failed && one.why == line.reason && one.origin.device == line.origin.device &&
             one.origin.probe == line.origin.probe && one.origin.api == line.origin.api;
    });
    if (same == reasons.end()) {
      reasons.push_back({failed, line.origin, line.point.value_or(measure::Point{}), line.reason});
    } else {
      ++same->others;
    }
  };
  for (const Line& line : lines) {
    if (const auto* skip = std::get_if<records::SkipLine>(&line)) add(false, *skip);
    if (const auto* error = std::get_if<records::ErrorLine>(&line)) add(true, *error);
  }
  std::string text;
  for (const Reason& one : reasons) {
    text += (one.failed ? "\nFailed: " : "\nNot measured: ") + place_of(one.origin, one.first);
    if (one.others > 0) text += ", and " + std::to_string(one.others) + " more";
    text += ": " + one.why + "\n";
  }
  return text;
}

/// Whether a line is a point of which something is true.
auto of_points(bool (*is_so)(const measure::State&)) {
  return [is_so](const Line& line) {
    const auto* sample = std::get_if<records::SampleLine>(&line);
    return sample != nullptr && records::is_point(*sample) && is_so(sample->measurement.state);
  };
}

}  // namespace

std::string summary(std::span<const DeviceRecord> devices, std::span<const Line> lines, bool colour) {
  std::string text;
  for (const DeviceRecord& device : devices) {
    const bool simulated = device.type == gpu::DeviceType::model;
    text += "\n" + device.name + " (" + (simulated ? "simulated" : records::type_name(device.type)) + ")\n";
    text += drivers(device);
    text += latency_summary(device, lines, colour);
    text += level_summary(device, lines);
    text += cpu_latency_table(device.id, lines);
    text += bandwidth_table(device.id, lines, simulated);
    text += loaded_latency_summary(device.id, lines, simulated);
    text += memory_kinds_table(device.id, lines, simulated);
    text += copy_table(device.id, lines, simulated);
    text += contention_table(device.id, lines, simulated);
  }
  const auto disturbed =
      std::ranges::count_if(lines, of_points([](const measure::State& state) { return state.disturbed; }));
  if (disturbed > 0) {
    text += format(
        "\n* %ld points were measured while other programs or the hypervisor took CPU time, even when repeated, or "
        "while\n"
        "  something else worked on the same core, maybe of another virtual machine; run again on an idle machine.\n",
        static_cast<long>(disturbed));
  }
  const auto unsettled =
      std::ranges::count_if(lines, of_points([](const measure::State& state) { return state.laps_settling > 0; }));
  if (unsettled > 0) {
    text += format(
        "\nAt %ld points the caches were still taking the working set in when the time for untimed laps was over: "
        "these\n"
        "  latencies are upper bounds, and sizes read from them less certain; --effort thorough waits longest.\n",
        static_cast<long>(unsettled));
  }
  return text + missing(lines);
}

}  // namespace sonde::summary
