#include "cli/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "analysis/statistics.hpp"
#include "cli/bandwidth_table.hpp"
#include "cli/chart.hpp"
#include "cli/level_table.hpp"
#include "cli/throttling.hpp"
#include "probes/path.hpp"
#include "probes/path_plan.hpp"

namespace sonde::cli {
namespace {

using records::Line;

/// What a table's column and a chart's curve are made of.
struct Curve {
  gpu::Api api;
  std::map<double, const measure::Measurement*> points;  ///< by bytes
};

constexpr std::array<double, 11> telling_bytes{4096,      16384,      65536,      262144,     1048576,   4194304,
                                               16777216., 67108864., 268435456., 1073741824., 4294967296.};

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::vector<Curve> latency_curves(const std::string& device, std::span<const Line> lines, probes::Path path) {
  std::vector<Curve> curves;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    Curve curve{.api = api, .points = {}};
    for (const Line& line : lines) {
      if (line.kind != "sample" || line.origin.device != device || line.origin.probe != "latency") continue;
      if (line.origin.api != records::api_name(api) || line.measurement.unit != "ns") continue;
      if (line.measurement.point.series.contains("order")) continue;  // the cycle is the default
      if (probes::path_of(line.measurement.point.series) != path) continue;
      curve.points[line.measurement.point.x.at("bytes")] = &line.measurement;
    }
    if (!curve.points.empty()) curves.push_back(curve);
  }
  return curves;
}

/// Median and half the quartile range; a star where others disturbed the measurement.
std::string cell_text(const measure::Measurement& measurement) {
  const analysis::Summary values = analysis::summarize(measurement.values);
  const double spread = (values.upper_quartile - values.lower_quartile) / 2;
  const int digits = values.median < 100 ? 2 : 1;
  return format("%.*f ± %.*f%s", digits, values.median, digits, spread, measurement.state.disturbed ? " *" : "  ");
}

/// The point nearest to `bytes`, within a tenth.
const measure::Measurement* near(const Curve& curve, double bytes) {
  for (const auto& [at, measurement] : curve.points) {
    if (std::abs(at / bytes - 1) < 0.1) return measurement;
  }
  return nullptr;
}

std::string table(const std::vector<Curve>& curves) {
  std::vector<double> sizes(telling_bytes.begin(), telling_bytes.end());
  for (const Curve& curve : curves) {
    const double largest = curve.points.rbegin()->first;
    const bool there = std::ranges::any_of(sizes, [&](double size) { return std::abs(largest / size - 1) < 0.1; });
    if (!there) sizes.push_back(largest);
  }
  std::ranges::sort(sizes);
  std::string text = format("  %12s", "working set");
  for (const Curve& curve : curves) text += format("  %18s  ", (spoken_name(curve.api) + ", ns").c_str());
  text += "\n";
  for (const double size : sizes) {
    std::string row = format("  %12s", measure::size_text(size).c_str());
    bool any = false;
    for (const Curve& curve : curves) {
      const measure::Measurement* found = near(curve, size);
      any = any || found != nullptr;
      const std::string cell = found != nullptr ? cell_text(*found) : "–  ";
      // "±" is two bytes and one column, "–" three bytes and one column.
      row += format("  %*s", found != nullptr ? 21 : 22, cell.c_str());
    }
    row.erase(row.find_last_not_of(' ') + 1);
    if (any) text += row + "\n";
  }
  return text;
}

/// The nearest and the furthest of what each further path was measured over, an API a column.
std::string further_paths(const std::string& device, std::span<const Line> lines, const std::vector<Curve>& vector) {
  std::string text;
  for (const probes::Path path : probes::further_paths()) {
    const std::vector<Curve> curves = latency_curves(device, lines, path);
    if (curves.empty()) continue;
    std::set<double> ends;
    for (const Curve& curve : curves) ends.insert({curve.points.begin()->first, curve.points.rbegin()->first});
    // What one API reaches beyond the other is a row of its own.
    for (const double bytes : ends) {
      std::string row = format("  %-9s%12s", std::string(probes::name_of(path)).c_str(), ("in " + measure::size_text(bytes)).c_str());
      for (const Curve& of_api : vector) {
        const auto curve = std::ranges::find(curves, of_api.api, &Curve::api);
        const measure::Measurement* found = curve == curves.end() ? nullptr : near(*curve, bytes);
        row += format("  %*s", found != nullptr ? 21 : 22, (found != nullptr ? cell_text(*found) : "–  ").c_str());
      }
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
  }
  if (text.empty()) return "";
  std::string head = format("\n  %-21s", "By other paths");
  for (const Curve& curve : vector) head += format("  %18s  ", (spoken_name(curve.api) + ", ns").c_str());
  return head + "\n" + text;
}

std::string drawn(const std::vector<Curve>& curves, bool colour) {
  std::vector<ChartCurve> chart_curves;
  std::string legend = "          ns over working set:";
  for (const Curve& curve : curves) {
    const bool vulkan = curve.api == gpu::Api::vulkan;
    ChartCurve one{.name = spoken_name(curve.api),
                   .sign = vulkan ? "○" : "●",
                   .colour = !colour ? "" : vulkan ? "33" : "36",
                   .points = {}};
    for (const auto& [bytes, measurement] : curve.points) {
      one.points.emplace_back(bytes, analysis::summarize(measurement->values).median);
    }
    legend += "  " + one.sign + " " + one.name;
    chart_curves.push_back(one);
  }
  if (curves.size() > 1) legend += "  ◆ both";
  return legend + "\n" + chart(chart_curves, 64, 14);
}

/// What Vulkan's code adds to each hop on a CPU device, where both APIs see the same first cache.
std::string code_overhead(const std::vector<Curve>& curves) {
  std::array<std::vector<double>, 2> nearest;
  for (const Curve& curve : curves) {
    for (const auto& [bytes, measurement] : curve.points) {
      if (bytes > 16384) continue;
      nearest[curve.api == gpu::Api::vulkan ? 1 : 0].push_back(analysis::summarize(measurement->values).median);
    }
  }
  if (nearest[0].empty() || nearest[1].empty()) return "";
  const double added = analysis::quantile(nearest[1], 0.5) - analysis::quantile(nearest[0], 0.5);
  return format(
      "  In the first cache Vulkan reads %.1f ns more than OpenCL: instructions that its driver puts into each hop.\n",
      added);
}

/// Says which API a finding is about; a simulated device has but one.
std::string prefix_of(const std::string& api) {
  for (const gpu::Api real : {gpu::Api::opencl, gpu::Api::vulkan}) {
    if (api == records::api_name(real)) return spoken_name(real) + ": ";
  }
  return "";
}

std::string levels(const std::string& device, std::span<const Line> lines) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    std::vector<measure::FoundLevel> found;
    for (const Line& line : lines) {
      const bool here = line.origin.device == device && line.origin.api == records::api_name(api);
      if (line.kind == "level" && here && probes::path_of(line.level.series) == probes::Path::vector) found.push_back(line.level);
    }
    if (!found.empty()) text += (api == gpu::Api::model ? std::string("\n  Levels, simulated\n") : "\n  Levels through " + spoken_name(api) + "\n") + level_table(found);
  }
  std::map<std::string, std::set<std::string>> apis;  // a finding about both has a record with each
  for (const Line& line : lines) {
    if (line.kind == "finding" && line.origin.device == device) apis[line.finding.evidence].insert(line.origin.api);
  }
  for (const Line& line : lines) {
    if (line.kind != "finding" || line.origin.device != device) continue;
    const auto found = apis.find(line.finding.evidence);
    if (found == apis.end()) continue;  // said already
    text += "  " + (found->second.size() == 1 ? prefix_of(line.origin.api) : "") + line.finding.evidence + "\n";
    apis.erase(found);
  }
  return text;
}

std::string drivers(const Target& target) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan}) {
    const records::ApiDevice* device = through(target.record, api);
    if (device == nullptr) continue;
    text += "  " + spoken_name(api) + ": " + device->info.platform + ", " + device->info.driver_version + "\n";
  }
  return text;
}

}  // namespace

std::string summary(std::span<const Target> targets, std::span<const Line> lines, bool colour) {
  std::string text;
  for (const Target& target : targets) {
    const records::DeviceRecord& device = target.record;
    const bool simulated = device.type == gpu::DeviceType::model;
    text += "\n" + device.name + " (" + (simulated ? "simulated" : records::type_name(device.type)) + ")\n";
    text += drivers(target);
    const std::vector<Curve> curves = latency_curves(device.id, lines, probes::Path::vector);
    if (!curves.empty()) {
      text += std::string("\n  ") + (simulated ? "Simulated latency" : "Latency") +
              " of one dependent load: median ± half the quartile range\n" + table(curves);
      if (device.type == gpu::DeviceType::cpu) text += code_overhead(curves);
      text += levels(device.id, lines);
      text += further_paths(device.id, lines, curves);
      text += throttling_note(device.id, lines);
      text += "\n" + drawn(curves, colour);
    }
    text += bandwidth_table(device.id, lines, simulated);
  }
  const auto disturbed = std::ranges::count_if(
      lines, [](const Line& line) { return line.kind == "sample" && line.measurement.state.disturbed; });
  if (disturbed > 0) {
    text += format(
        "\n* %ld points were measured while other programs or the hypervisor took CPU time, even when repeated;\n"
        "  run again on an idle machine.\n",
        static_cast<long>(disturbed));
  }
  const auto unsettled = std::ranges::count_if(
      lines, [](const Line& line) { return line.kind == "sample" && line.measurement.state.laps_settling > 0; });
  if (unsettled > 0) {
    text += format(
        "\nAt %ld points the caches were still taking the working set in when the time for untimed laps was over: these\n"
        "  latencies are upper bounds, and sizes read from them less certain; --effort thorough waits longest.\n",
        static_cast<long>(unsettled));
  }
  for (const Line& line : lines) {
    if (line.kind != "skip" && line.kind != "error") continue;
    std::string where = line.origin.probe + " through " + line.origin.api;
    const probes::Path path = probes::path_of(line.point.series);
    if (line.origin.probe == "latency" && path != probes::Path::vector) where += " by the path " + std::string(probes::name_of(path));
    if (line.point.x.contains("bytes")) where += " at " + measure::size_text(line.point.x.at("bytes"));
    text += (line.kind == "skip" ? "\nNot measured: " : "\nFailed: ") + where + ": " + line.reason + "\n";
  }
  return text;
}

}  // namespace sonde::cli
