#include "summary/further_paths_table.hpp"

#include <set>

#include "probes/latency/further_paths.hpp"
#include "summary/latency_curves.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using workloads::Fabric;
using workloads::Path;

/// The nearest and the furthest of what some curves were measured over, an API of `main` a column.
void add_ends(Table& table, const std::string& name, const std::vector<LatencyCurve>& curves,
              const std::vector<LatencyCurve>& main) {
  std::set<double> ends;
  for (const LatencyCurve& curve : curves) ends.insert({curve.points.begin()->first, curve.points.rbegin()->first});
  // What one API reaches beyond the other is a row of its own.
  for (const double bytes : ends) {
    std::vector<std::string> cells{name, measure::size_text(bytes)};
    for (const LatencyCurve& of_api : main) {
      const LatencyCurve* curve = through(curves, of_api.api);
      cells.push_back(curve == nullptr ? "" : latency_cell(near(curve->points, bytes)));
    }
    table.add(cells);
  }
}

}  // namespace

std::string further_paths_table(const std::string& device, const View& view, int columns) {
  const std::vector<LatencyCurve> main = main_latency_curves(view, device);
  std::vector<Column> heads{{.head = "path", .left = true}, {.head = "working set"}};
  for (const LatencyCurve& curve : main) heads.push_back({.head = latency_head(curve.api)});
  Table table(heads);
  const bool kept_awake = !latency_curves(view, device, Path::vector, Fabric::loaded).empty();
  if (kept_awake) add_ends(table, "vector, alone", latency_curves(view, device, Path::vector), main);
  for (const Path path : probes::further_paths())
    add_ends(table, std::string(workloads::name_of(path)), latency_curves(view, device, path), main);
  if (table.empty()) return "";
  const std::string text = "\n" + wrapped("Latency by other paths", columns) + table.text(columns);
  return !kept_awake
             ? text
             : text + wrapped("Nothing ran beside these walks. Where they reach memory, it may have slept.", columns);
}

}  // namespace sonde::summary
