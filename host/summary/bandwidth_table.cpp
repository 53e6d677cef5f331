#include "summary/bandwidth_table.hpp"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "probes/bandwidth/curve.hpp"
#include "probes/bandwidth/plan.hpp"
#include "records/device_record.hpp"
#include "summary/by_size.hpp"
#include "summary/format.hpp"

namespace sonde::summary {
namespace {

using workloads::Pattern;
using workloads::Sharing;
using Curve = BySize;

struct Column {
  std::string head;
  Curve curve;
};

Curve curve_of(const std::string& device, std::span<const records::Line> lines, const std::string& api,
               const std::map<std::string, std::string>& series) {
  Curve curve;
  for (const records::Line& line : lines) {
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || sample->origin.device != device || sample->origin.probe != "bandwidth") continue;
    const measure::Point& point = sample->measurement.point;
    if (sample->origin.api != api || point.series != series || sample->measurement.unit != "GB/s") continue;
    if (point.x.size() != 1 || !point.x.contains("bytes")) continue;
    const measure::Measurement*& best = curve[point.x.at("bytes")];
    if (best == nullptr || probes::is_faster(sample->measurement, *best)) best = &sample->measurement;
  }
  return curve;
}

std::vector<Column> columns_of(const std::string& device, std::span<const records::Line> lines,
                               const std::string& api) {
  using workloads::Pattern;
  using workloads::Sharing;
  std::vector<Column> columns;
  const auto add = [&](const std::string& head, Pattern pattern, Sharing sharing) {
    Curve curve = curve_of(device, lines, api, series_of(pattern, sharing));
    if (!curve.empty()) columns.push_back({head, std::move(curve)});
  };
  add("read", Pattern::read, Sharing::separate);
  add("read shared", Pattern::read, Sharing::shared);
  for (const Pattern pattern : {Pattern::write, Pattern::copy, Pattern::add, Pattern::triad}) {
    add(std::string(workloads::facts_of(pattern).name), pattern, Sharing::separate);
  }
  return columns;
}

std::string cell(const measure::Measurement* found) {
  if (found == nullptr) return format("%12s  ", "–");  // three bytes, one column
  const double median = analysis::summarize(found->values).median;
  return format("%10.*f%s", median < 100 ? 1 : 0, median, found->state.disturbed ? " *" : "  ");
}

std::string shape_text(const measure::Measurement& measurement) {
  const auto& shape = measurement.state.shape;
  if (shape.empty()) return "";
  const auto number = [&shape](const char* name) { return static_cast<long>(shape.at(name)); };
  return format("  Read in %s with %ld work-groups of %ld, %ld-byte loads, %ld in flight%s\n",
                measure::size_text(measurement.point.x.at("bytes")).c_str(), number("groups"), number("group_size"),
                number("vector_bytes"), number("in_flight"), number("interleaved") != 0 ? ", blocks in turn" : "");
}

/// As few rows as the sparsest curve has points: the report shows them all.
std::string rows(const std::vector<Column>& columns) {
  const Curve* sparsest = &columns.front().curve;
  for (const Column& column : columns) {
    if (column.curve.size() < sparsest->size()) sparsest = &column.curve;
  }
  std::string text = format("  %12s", "working set");
  for (const Column& column : columns) text += format("%10s  ", column.head.c_str());
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  for (const auto& [bytes, unused] : *sparsest) {
    std::string row = format("  %12s", measure::size_text(bytes).c_str());
    for (const Column& column : columns) row += cell(near(column.curve, bytes));
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

/// Of the few points by another path, one after the other; empty where there are none.
std::string path_text(const Curve& curve, const char* how) {
  std::string text;
  for (const auto& [bytes, measurement] : curve) {
    text += text.empty() ? format("  Read %s: ", how) : std::string(", ");
    text +=
        format("%.3g GB/s in %s", analysis::summarize(measurement->values).median, measure::size_text(bytes).c_str());
  }
  return text.empty() ? text : text + "\n";
}

std::map<std::string, std::string> bus_series(Pattern pattern) {
  std::map<std::string, std::string> series = series_of(pattern, Sharing::separate);
  series["bytes-counted"] = "bus";
  return series;
}

/// What passes between caches and memory where that is more than the program moves, at the largest size; empty where
/// not.
std::string bus_text(const Curve& curve, std::string_view pattern) {
  if (curve.empty()) return "";
  const auto& [bytes, measurement] = *curve.rbegin();
  return format("  With the lines that are fetched before they are written, %s is %.3g GB/s in %s\n",
                std::string(pattern).c_str(), analysis::summarize(measurement->values).median,
                measure::size_text(bytes).c_str());
}

}  // namespace

std::string bandwidth_table(const std::string& device, std::span<const records::Line> lines, bool simulated) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    const std::vector<Column> columns = columns_of(device, lines, records::api_name(api));
    if (columns.empty()) continue;
    text += std::string("\n  ") +
            (simulated ? "Simulated bandwidth" : "Bandwidth through " + records::spoken_name(api)) +
            ", GB/s: medians; each work-group has a part of its own unless shared\n" + rows(columns) +
            shape_text(*columns.front().curve.rbegin()->second);
    const auto by_path = [&](Pattern pattern, const char* how) {
      return path_text(curve_of(device, lines, records::api_name(api), series_of(pattern, Sharing::separate)), how);
    };
    text += by_path(Pattern::read_image, "through the texture unit");
    text += by_path(Pattern::read_local, "from memory of the work-groups");
    for (const Pattern pattern : {Pattern::write, Pattern::copy, Pattern::add, Pattern::triad}) {
      text += bus_text(curve_of(device, lines, records::api_name(api), bus_series(pattern)),
                       workloads::facts_of(pattern).name);
    }
    for (const records::Line& line : lines) {
      const auto* found = std::get_if<records::FindingLine>(&line);
      if (found == nullptr || found->origin.device != device || found->origin.api != records::api_name(api)) continue;
      if (found->origin.probe == "bandwidth") text += "  " + found->finding.evidence + "\n";
    }
  }
  return text;
}

}  // namespace sonde::summary
