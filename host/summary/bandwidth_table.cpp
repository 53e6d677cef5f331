#include "summary/bandwidth_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "summary/layout.hpp"
#include "summary/saturation_table.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::summary {
namespace {

using workloads::Pattern;
using workloads::Sharing;

/// What moves data in place of only reading it.
constexpr std::array writing{Pattern::write, Pattern::copy, Pattern::add, Pattern::triad};

struct PatternCurve {
  std::string name;
  BySize points;
};

std::string_view name_of(Pattern pattern) { return workloads::facts_of(pattern).name; }

BySize curve_of(const Results& bandwidth, Pattern pattern, Sharing sharing = Sharing::separate) {
  return by_size(bandwidth, series_of(pattern, sharing), "GB/s");
}

std::vector<PatternCurve> curves_of(const Results& bandwidth) {
  std::vector<PatternCurve> curves{{"read", curve_of(bandwidth, Pattern::read)},
                                   {"read shared", curve_of(bandwidth, Pattern::read, Sharing::shared)}};
  for (const Pattern pattern : writing) curves.push_back({std::string(name_of(pattern)), curve_of(bandwidth, pattern)});
  std::erase_if(curves, [](const PatternCurve& curve) { return curve.points.empty(); });
  return curves;
}

std::string gbps_text(double gbps) { return fmt::format("{:.{}f}", gbps, gbps < 100 ? 1 : 0); }

/// As few rows as the sparsest curve has points: the report shows them all.
std::string rows(const std::vector<PatternCurve>& curves, int columns) {
  const auto count = [](const PatternCurve& curve) { return curve.points.size(); };
  std::vector<Column> heads{{.head = "working set"}};
  for (const PatternCurve& curve : curves) heads.push_back({.head = curve.name});
  Table table(heads);
  for (const auto& [bytes, unused] : std::ranges::min_element(curves, {}, count)->points) {
    std::vector<std::string> cells{measure::size_text(bytes)};
    for (const PatternCurve& curve : curves) {
      const measure::Measurement* point = near(curve.points, bytes);
      cells.push_back(point == nullptr ? "–" : marked(gbps_text(measure::median_of(*point)), *point));
    }
    table.add(cells);
  }
  return table.text(columns);
}

std::string shape_text(const measure::Measurement& measurement, int columns) {
  const auto& shape = measurement.state.shape;
  if (shape.empty()) return "";
  const auto number = [&shape](const char* name) { return static_cast<long>(shape.at(name)); };
  return wrapped(
      fmt::format("{} were read by {} work-groups of size {}, with {}-byte loads, {} in flight{}.",
                  measure::size_text(measurement.point.x.at("bytes")), number("groups"), number("group_size"),
                  number("vector_bytes"), number("in_flight"), number("interleaved") != 0 ? ", blocks in turn" : ""),
      columns);
}

/// The few points by another path than that of buffers.
std::string other_paths(const Results& bandwidth, int columns) {
  Table table({{.head = "read from", .left = true}, {.head = "working set"}, {.head = "GB/s"}});
  const auto add = [&](Pattern pattern, const char* name) {
    for (const auto& [bytes, point] : curve_of(bandwidth, pattern))
      table.add({name, measure::size_text(bytes), marked(gbps_text(measure::median_of(*point)), *point)});
  };
  add(Pattern::read_image, "the texture unit");
  add(Pattern::read_local, "work-group memory");
  return table.empty() ? "" : "\n" + table.text(columns);
}

/// What passes between caches and memory at the largest size, where that is more than the program moves.
std::string bus_text(const Results& bandwidth, Pattern pattern, int columns) {
  Series series = series_of(pattern, Sharing::separate);
  series["bytes-counted"] = "bus";
  const BySize curve = by_size(bandwidth, series, "GB/s");
  if (curve.empty()) return "";
  const auto& [bytes, measurement] = *curve.rbegin();
  return wrapped(
      fmt::format("With the lines that are fetched before they are written, {} moves {} GB/s in {}.", name_of(pattern),
                  three_digits(measure::median_of(*measurement)), measure::size_text(bytes)),
      columns);
}

}  // namespace

std::string bandwidth_table(const Results& bandwidth, device::Api api, int columns) {
  const std::vector<PatternCurve> curves = curves_of(bandwidth);
  if (curves.empty()) return "";
  std::string text = heading("Bandwidth", api, ": medians, GB/s", columns);
  text += rows(curves, columns) + wrapped("Each work-group has a part of its own, except where shared.", columns) +
          shape_text(*curves.front().points.rbegin()->second, columns);
  for (const Pattern pattern : writing) text += bus_text(bandwidth, pattern, columns);
  text += other_paths(bandwidth, columns) + saturation_table(bandwidth, columns);
  for (const measure::Finding& finding : bandwidth.findings) {
    if (finding.name != "saturated-by" && finding.name != "launch") text += wrapped(finding.evidence, columns);
  }
  return text;
}

}  // namespace sonde::summary
