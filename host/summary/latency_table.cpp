#include "summary/latency_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/statistics.hpp"
#include "summary/latency_curves.hpp"
#include "summary/layout.hpp"
#include "summary/throttling.hpp"

namespace sonde::summary {
namespace {

using workloads::Fabric;
using workloads::Path;

/// A table's rows in bytes: each size of a run that was asked for few or that ended early, otherwise round ones and
/// what is largest.
std::vector<double> telling_sizes(const std::vector<LatencyCurve>& curves) {
  std::vector<double> measured;
  std::vector<double> sizes(telling_bytes.begin(), telling_bytes.end());
  const auto add = [](std::vector<double>& rows, double bytes) {
    if (std::ranges::none_of(rows, [&](double row) { return is_near(bytes, row); })) rows.push_back(bytes);
  };
  for (const LatencyCurve& curve : curves) {
    for (const auto& [bytes, measurement] : curve.points) add(measured, bytes);
    add(sizes, curve.points.rbegin()->first);
  }
  if (measured.size() <= telling_bytes.size()) sizes = measured;
  std::ranges::sort(sizes);
  return sizes;
}

std::string rows(const std::vector<LatencyCurve>& curves, int columns) {
  std::vector<Column> heads{{.head = "working set"}};
  for (const LatencyCurve& curve : curves) heads.push_back({.head = latency_head(curve.api)});
  Table table(heads);
  for (const double size : telling_sizes(curves)) {
    std::vector<std::string> cells{measure::size_text(size)};
    for (const LatencyCurve& curve : curves) cells.push_back(latency_cell(near(curve.points, size)));
    const bool any =
        std::ranges::any_of(cells.begin() + 1, cells.end(), [](const auto& cell) { return !cell.empty(); });
    if (any) table.add(cells);
  }
  return table.text(columns);
}

/// What a lone walk reads in the largest working set, where the main table was measured with memory kept awake.
std::string asleep(const std::string& device, const View& view, int columns) {
  const std::vector<LatencyCurve> lone = latency_curves(view, device, Path::vector);
  std::string text;
  for (const LatencyCurve& curve : latency_curves(view, device, Path::vector, Fabric::loaded)) {
    const LatencyCurve* same_api = through(lone, curve.api);
    const auto& [bytes, measurement] = *curve.points.rbegin();
    const measure::Measurement* alone = same_api == nullptr ? nullptr : near(same_api->points, bytes);
    if (alone == nullptr) continue;
    const double ns = measure::median_of(*measurement);
    const double alone_ns = measure::median_of(*alone);
    text += wrapped(
        fmt::format(
            "{}Where a level has room for both, the walks of this table run beside a light stream, "
            "which keeps memory awake. In {} a load then takes {:.0f} ns; alone it takes {:.0f} ns, {:.2f} times as "
            "long.",
            records::api_prefix(records::api_name(curve.api)), measure::size_text(bytes), ns, alone_ns, alone_ns / ns),
        columns);
  }
  return text;
}

/// What Vulkan's code adds to each hop on a CPU device, where both APIs see the same first cache.
std::string code_overhead(const std::vector<LatencyCurve>& curves, int columns) {
  std::array<std::vector<double>, 2> nearest;
  for (const LatencyCurve& curve : curves) {
    for (const auto& [bytes, measurement] : curve.points) {
      if (bytes <= 16384) nearest[curve.api == device::Api::vulkan ? 1 : 0].push_back(measure::median_of(*measurement));
    }
  }
  if (nearest[0].empty() || nearest[1].empty()) return "";
  const double added = analysis::quantile(nearest[1], 0.5) - analysis::quantile(nearest[0], 0.5);
  return wrapped(fmt::format("In the first cache Vulkan reads {:.1f} ns more than OpenCL: instructions that its driver "
                             "puts into each hop.",
                             added),
                 columns);
}

}  // namespace

std::string latency_table(const records::DeviceRecord& device, const View& view, int columns) {
  const std::vector<LatencyCurve> curves = main_latency_curves(view, device.id);
  if (curves.empty()) return "";
  const std::string what = device.type == device::DeviceType::model ? "Simulated latency" : "Latency";
  std::string text = "\n" + wrapped(what + " of one dependent load: median ± half the quartile range", columns);
  text += rows(curves, columns);
  if (device.type == device::DeviceType::cpu) text += code_overhead(curves, columns);
  return text + asleep(device.id, view, columns) + throttling_note(device.id, view, columns);
}

}  // namespace sonde::summary
