#include "summary/latency_summary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "analysis/statistics.hpp"
#include "probes/latency/further_paths.hpp"
#include "summary/by_size.hpp"
#include "summary/chart.hpp"
#include "summary/format.hpp"
#include "summary/throttling.hpp"
#include "workloads/path.hpp"

namespace sonde::summary {
namespace {

using records::Line;
using workloads::Fabric;
using workloads::Path;

/// What a table's column and a chart's curve are made of.
struct Curve {
  gpu::Api api;
  BySize points;
};

constexpr std::array<double, 11> telling_bytes{4096,      16384,     65536,      262144,      1048576,    4194304,
                                               16777216., 67108864., 268435456., 1073741824., 4294967296.};

std::vector<Curve> latency_curves(const std::string& device, std::span<const Line> lines, Path path,
                                  Fabric fabric = Fabric::idle) {
  std::vector<Curve> curves;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    Curve curve{.api = api, .points = {}};
    for (const Line& line : lines) {
      const auto* sample = std::get_if<records::SampleLine>(&line);
      if (sample == nullptr || sample->origin.device != device || sample->origin.probe != "latency") continue;
      if (sample->origin.api != records::api_name(api) || sample->measurement.unit != "ns") continue;
      if (sample->measurement.point.series.contains("order")) continue;  // the cycle is the default
      if (workloads::path_of(sample->measurement.point.series) != path) continue;
      if (workloads::fabric_of(sample->measurement.point.series) != fabric) continue;
      curve.points[sample->measurement.point.x.at("bytes")] = &sample->measurement;
    }
    if (!curve.points.empty()) curves.push_back(curve);
  }
  return curves;
}

/// The vector path of each API, with memory kept awake where that was measured.
std::vector<Curve> main_curves(const std::string& device, std::span<const Line> lines) {
  const std::vector<Curve> awake = latency_curves(device, lines, Path::vector, Fabric::loaded);
  std::vector<Curve> curves = latency_curves(device, lines, Path::vector);
  for (Curve& curve : curves) {
    const auto kept_awake = std::ranges::find(awake, curve.api, &Curve::api);
    if (kept_awake != awake.end()) curve = *kept_awake;
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

/// A table's rows in bytes: each size of a run that was asked for few or that ended early, otherwise round ones and
/// what is largest.
std::vector<double> telling_sizes(const std::vector<Curve>& curves) {
  std::vector<double> measured;
  std::vector<double> sizes(telling_bytes.begin(), telling_bytes.end());
  const auto add = [](std::vector<double>& rows, double bytes) {
    if (std::ranges::none_of(rows, [&](double row) { return is_near(bytes, row); })) rows.push_back(bytes);
  };
  for (const Curve& curve : curves) {
    for (const auto& [bytes, measurement] : curve.points) add(measured, bytes);
    add(sizes, curve.points.rbegin()->first);
  }
  if (measured.size() <= telling_bytes.size()) sizes = measured;
  std::ranges::sort(sizes);
  return sizes;
}

std::string table(const std::vector<Curve>& curves) {
  std::string text = format("  %12s", "working set");
  for (const Curve& curve : curves) text += format("  %18s  ", (records::spoken_name(curve.api) + ", ns").c_str());
  text += "\n";
  for (const double size : telling_sizes(curves)) {
    std::string row = format("  %12s", measure::size_text(size).c_str());
    bool any = false;
    for (const Curve& curve : curves) {
      const measure::Measurement* found = near(curve.points, size);
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

/// The nearest and the furthest of what some curves were measured over, an API of `columns` a column.
std::string ends_of(const std::vector<Curve>& curves, std::string_view name, const std::vector<Curve>& columns) {
  std::string text;
  std::set<double> ends;
  for (const Curve& curve : curves) ends.insert({curve.points.begin()->first, curve.points.rbegin()->first});
  // What one API reaches beyond the other is a row of its own.
  for (const double bytes : ends) {
    std::string row = format("  %-9s%12s", std::string(name).c_str(), ("in " + measure::size_text(bytes)).c_str());
    for (const Curve& of_api : columns) {
      const auto curve = std::ranges::find(curves, of_api.api, &Curve::api);
      const measure::Measurement* found = curve == curves.end() ? nullptr : near(curve->points, bytes);
      row += format("  %*s", found != nullptr ? 21 : 22, (found != nullptr ? cell_text(*found) : "–  ").c_str());
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

/// What a lone walk reads in the largest working set, where the main table was measured with memory kept awake.
std::string asleep(const std::string& device, std::span<const Line> lines) {
  const std::vector<Curve> awake = latency_curves(device, lines, Path::vector, Fabric::loaded);
  const std::vector<Curve> lone = latency_curves(device, lines, Path::vector);
  std::string text;
  for (const Curve& curve : awake) {
    const auto same_api = std::ranges::find(lone, curve.api, &Curve::api);
    if (same_api == lone.end()) continue;
    const auto& [bytes, measurement] = *curve.points.rbegin();
    const measure::Measurement* alone = near(same_api->points, bytes);
    if (alone == nullptr) continue;
    const double ns = analysis::summarize(measurement->values).median;
    const double alone_ns = analysis::summarize(alone->values).median;
    text += format(
        "  %s%s takes %.0f ns beside a light stream, as above, and %.0f ns when nothing else keeps memory awake: %.2f "
        "times.\n",
        records::api_prefix(records::api_name(curve.api)).c_str(), measure::size_text(bytes).c_str(), ns, alone_ns,
        alone_ns / ns);
  }
  return text;
}

std::string further_paths(const std::string& device, std::span<const Line> lines, const std::vector<Curve>& vector) {
  std::string text;
  std::string note;
  if (!latency_curves(device, lines, Path::vector, Fabric::loaded).empty()) {
    note = "  Nothing ran beside these walks: where they reach memory, it may have slept.\n";
    text += ends_of(latency_curves(device, lines, Path::vector), "asleep", vector);
  }
  for (const Path path : probes::further_paths()) {
    text += ends_of(latency_curves(device, lines, path), workloads::name_of(path), vector);
  }
  if (text.empty()) return "";
  std::string head = format("\n  %-21s", "By other paths");
  for (const Curve& curve : vector) head += format("  %18s  ", (records::spoken_name(curve.api) + ", ns").c_str());
  return head + "\n" + text + note;
}

std::string drawn(const std::vector<Curve>& curves, bool colour) {
  std::vector<ChartCurve> chart_curves;
  std::string legend = "          ns over working set:";
  for (const Curve& curve : curves) {
    const bool vulkan = curve.api == gpu::Api::vulkan;
    ChartCurve one{.name = records::spoken_name(curve.api),
                   .sign = vulkan ? "○" : "●",
                   .colour = !colour  ? ""
                             : vulkan ? "33"
                                      : "36",
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

}  // namespace

std::string latency_summary(const records::DeviceRecord& device, std::span<const Line> lines, bool colour) {
  const std::vector<Curve> curves = main_curves(device.id, lines);
  if (curves.empty()) return "";
  std::string text = device.type == gpu::DeviceType::model ? "\n  Simulated latency" : "\n  Latency";
  text += " of one dependent load: median ± half the quartile range\n" + table(curves);
  if (device.type == gpu::DeviceType::cpu) text += code_overhead(curves);
  text += asleep(device.id, lines);
  text += further_paths(device.id, lines, curves);
  text += throttling_note(device.id, lines);
  return text + "\n" + drawn(curves, colour);
}

}  // namespace sonde::summary
