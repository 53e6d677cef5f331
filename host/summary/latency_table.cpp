#include "summary/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/statistics.hpp"
#include "measure/level_findings.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using measure::Fabric;
using measure::FoundLevel;
using measure::LevelOfTwo;
using measure::Path;

/// The latencies of the vector path, a curve for each API that has one.
using LatencyCurves = std::map<device::Api, BySize>;

/// The curves of walks alone, or beside a light stream.
LatencyCurves latency_curves(const View& view, const std::string& device, Fabric fabric) {
  LatencyCurves curves;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::model}) {
    for (const auto& [words, samples] : view.of(device, api, "latency").samples) {
      // A walk without an order is the cycle.
      if (words.order || words.pattern || words.path.value_or(Path::vector) != Path::vector) continue;
      if (words.fabric.value_or(Fabric::idle) != fabric) continue;
      BySize points = by_size(samples, "ns");
      if (!points.empty()) curves[api].merge(points);
    }
  }
  return curves;
}

/// The curve of each API, with memory kept awake at the sizes where that was measured.
LatencyCurves main_latency_curves(const View& view, const std::string& device) {
  LatencyCurves awake = latency_curves(view, device, Fabric::loaded);
  LatencyCurves curves = latency_curves(view, device, Fabric::idle);
  for (auto& [api, curve] : curves) {
    for (const auto& [bytes, measurement] : awake[api]) {
      std::erase_if(curve, [size = bytes](const auto& point) { return is_near(point.first, size); });
      curve[bytes] = measurement;
    }
  }
  return curves;
}

/// The median and half the quartile range; empty for null.
std::string latency_cell(const measure::Measurement* measurement) {
  if (measurement == nullptr) return "";
  const analysis::Summary values = analysis::summarize(measurement->values);
  const double spread = (values.upper_quartile - values.lower_quartile) / 2;
  const int digits = values.median < 100 ? 2 : 1;
  return marked(fmt::format("{:.{}f} ± {:.{}f}", values.median, digits, spread, digits), *measurement);
}

std::string rows(const LatencyCurves& curves, int columns) {
  std::vector<Column> heads{{.head = "working set"}};
  std::vector<double> sizes;
  for (const auto& [api, curve] : curves) {
    heads.push_back({.head = driver_api(records::api_name(api), "", ", ") + "ns"});
    for (const auto& [bytes, measurement] : curve) sizes.push_back(bytes);
  }
  TextTable table(heads);
  for (const double size : rows_of_sizes(sizes)) {
    std::vector<std::string> cells{measure::size_text(size)};
    for (const auto& [api, curve] : curves) cells.push_back(latency_cell(near(curve, size)));
    const bool any =
        std::ranges::any_of(cells.begin() + 1, cells.end(), [](const auto& cell) { return !cell.empty(); });
    if (any) table.add(cells);
  }
  return table.text(columns);
}

/// A note on the latency of a lone walk in the largest working set, where the main table was measured with memory kept
/// awake.
std::string asleep(const std::string& device, const View& view, int columns) {
  LatencyCurves lone = latency_curves(view, device, Fabric::idle);
  std::string text;
  for (const auto& [api, curve] : latency_curves(view, device, Fabric::loaded)) {
    const auto& [bytes, measurement] = *curve.rbegin();
    const measure::Measurement* alone = near(lone[api], bytes);
    if (alone == nullptr) continue;
    const double ns = measure::median_of(*measurement);
    const double alone_ns = measure::median_of(*alone);
    text += wrapped(
        fmt::format(
            "{}Where a level has room for both, the walks of this table run beside a light stream, "
            "which keeps memory awake. In {} a load then takes {:.0f} ns; alone it takes {:.0f} ns, {:.2f} times as "
            "long.",
            driver_api(records::api_name(api), "", ": "), measure::size_text(bytes), ns, alone_ns, alone_ns / ns),
        columns);
  }
  return text;
}

/// A note on the time that Vulkan's code adds to each hop on a CPU device, where both APIs see the same first cache.
std::string code_overhead(const LatencyCurves& curves, int columns) {
  std::array<std::vector<double>, 2> nearest;
  for (const auto& [api, curve] : curves) {
    for (const auto& [bytes, measurement] : curve) {
      if (bytes <= 16384) nearest[api == device::Api::vulkan ? 1 : 0].push_back(measure::median_of(*measurement));
    }
  }
  if (nearest[0].empty() || nearest[1].empty()) return "";
  const double added = analysis::quantile(nearest[1], 0.5) - analysis::quantile(nearest[0], 0.5);
  return wrapped(fmt::format("In the first cache Vulkan reads {:.1f} ns more than OpenCL: instructions that its driver "
                             "puts into each hop.",
                             added),
                 columns);
}

/// A clock is slow below this share of the highest: a GPU moves its clock by a few percent all the time.
constexpr double clearly_below = 0.9;

std::string points_of(std::size_t some, std::size_t all) {
  return fmt::format("{} of {} {} measured ", some, all, all == 1 ? "point was" : "points were");
}

/// A line for each thing that held a device back at some of its points: throttling, and a clock below the one that it
/// reached at others.
std::string throttling_note(const std::string& device, const View& view, int columns) {
  std::size_t throttled = 0;
  std::set<std::string> reasons;
  std::vector<double> clocks;
  const std::vector<const measure::Measurement*>& points = view.of(device).points;
  for (const measure::Measurement* point : points) {
    const counters::DeviceState& around = point->state.device_state;
    if (around.gpu_clock_mhz) clocks.push_back(*around.gpu_clock_mhz);
    if (!around.throttle_reasons || around.throttle_reasons->empty()) continue;
    ++throttled;
    reasons.insert(around.throttle_reasons->begin(), around.throttle_reasons->end());
  }
  std::string text;
  if (throttled > 0) {
    text += wrapped(fmt::format("{}while the GPU was throttled ({}): the device can be faster.",
                                points_of(throttled, points.size()), fmt::join(reasons, ", ")),
                    columns);
  }
  const double highest = clocks.empty() ? 0 : std::ranges::max(clocks);
  const auto slow = std::ranges::count_if(clocks, [&](double clock) { return clock < clearly_below * highest; });
  if (slow > 0) {
    text += wrapped(fmt::format("{}at a clock more than 10 % below the highest, {:.0f} MHz.",
                                points_of(static_cast<std::size_t>(slow), points.size()), highest),
                    columns);
  }
  return text;
}

/// A note on the clock, without which cycles mean little.
std::string clock_of_cycles(std::span<const FoundLevel> levels, int columns) {
  const auto one = std::ranges::find_if(levels, [](const FoundLevel& level) { return level.cycles.has_value(); });
  if (one == levels.end()) return "";
  const double mhz = one->cycles->value / one->found.latency_ns.value * 1e3;
  return wrapped(fmt::format("Cycles are those of a clock of {:.0f} MHz.", mhz), columns);
}

std::string range(const analysis::Bracket& bracket) {
  return three_digits(bracket.low) + "–" + three_digits(bracket.high);
}

/// "31.5–33.0 KiB", "900 KiB–1.10 MiB".
std::string size_range(double low_bytes, double high_bytes) {
  std::string low = measure::size_text(low_bytes);
  const std::string high = measure::size_text(high_bytes);
  const std::size_t unit = low.find(' ');
  if (high.ends_with(low.substr(unit))) low.resize(unit);
  return low + "–" + high;
}

/// The cells of a row. A level has the number of its record; one that latency did not see has none among its levels.
std::vector<std::string> cells_of(const LevelOfTwo& row, bool of_latency) {
  const FoundLevel& sized = row.latency != nullptr ? *row.latency : *row.bandwidth;
  std::vector<std::string> cells{sized.name + (sized.found.may_be_translation ? ", or translation" : ""), "", "", ""};
  if (const auto& bytes = sized.found.bytes) {
    cells = {row.latency == nullptr && of_latency ? "-" : std::to_string(sized.level), measure::size_text(bytes->value),
             size_range(bytes->low, bytes->high), size_range(sized.found.onset_bytes, sized.found.end_bytes)};
  }
  const auto add = [&cells](const analysis::Bracket& bracket) {
    cells.insert(cells.end(), {three_digits(bracket.value), range(bracket)});
  };
  if (row.latency != nullptr) add(row.latency->found.latency_ns);
  if (row.latency != nullptr && row.latency->found.is_unfinished) cells[4] = "> " + cells[4];
  cells.resize(6);
  if (row.bandwidth != nullptr) add(*row.bandwidth->gbps);
  cells.resize(8);
  if (row.latency != nullptr && row.latency->cycles) cells.push_back(three_digits(row.latency->cycles->value));
  return cells;
}

}  // namespace

std::string latency_table(const records::DeviceRecord& device, const View& view, int columns) {
  const LatencyCurves curves = main_latency_curves(view, device.id);
  if (curves.empty()) return "";
  const std::string what = device.type == device::DeviceType::model ? "Simulated latency" : "Latency";
  std::string text = "\n" + wrapped(what + " of one dependent load: median ± half the quartile range", columns);
  text += rows(curves, columns);
  if (device.type == device::DeviceType::cpu) text += code_overhead(curves, columns);
  return text + asleep(device.id, view, columns) + throttling_note(device.id, view, columns);
}

std::string latency_chart(const std::string& device, const View& view, int columns, bool colour) {
  constexpr int rows = 14;
  constexpr int margins = 18;  // the chart's labels, on both sides
  std::vector<ChartCurve> curves;
  std::string legend = "          ns over working set:";
  for (const auto& [api, curve] : main_latency_curves(view, device)) {
    const bool vulkan = api == device::Api::vulkan;
    ChartCurve one{.name = records::spoken_name(api),
                   .sign = vulkan ? "○" : "●",
                   .colour = !colour  ? ""
                             : vulkan ? "33"
                                      : "36",
                   .points = {}};
    for (const auto& [bytes, measurement] : curve) one.points.emplace_back(bytes, measure::median_of(*measurement));
    legend += "  " + one.sign + " " + one.name;
    curves.push_back(one);
  }
  if (curves.empty()) return "";
  if (curves.size() > 1) legend += "  ◆ both";
  return "\n" + legend + "\n" + chart(curves, std::clamp(columns - margins, 20, 64), rows);
}

std::string level_table(std::span<const FoundLevel> latency, std::span<const FoundLevel> bandwidth, int columns) {
  TextTable table({{.head = "level", .left = true},
                   {.head = "size"},
                   {.head = "between", .left = true},
                   {.head = "edge", .left = true, .spare = 4},
                   {.head = "ns"},
                   {.head = "between", .left = true, .spare = 1},
                   {.head = "GB/s"},
                   {.head = "between", .left = true, .spare = 2},
                   {.head = "cycles", .spare = 3}});
  std::optional<double> before_bytes;  // the size of bandwidth's level in the row before
  for (const LevelOfTwo& row : measure::side_by_side(latency, bandwidth)) {
    std::vector<std::string> cells = cells_of(row, !latency.empty());
    // Bandwidth may see one level where latency sees several, so that there is but one row "memory" or "beyond".
    if (row.latency == nullptr && !row.bandwidth->found.bytes && !latency.empty() && before_bytes)
      cells.front() = "beyond " + measure::size_text(*before_bytes);
    if (row.bandwidth != nullptr && row.bandwidth->found.bytes) before_bytes = row.bandwidth->found.bytes->value;
    table.add(cells);
  }
  return table.text(columns) + clock_of_cycles(latency, columns);
}

std::string sizes_by_source(std::span<const device::StatedCache> caches) {
  std::map<std::string, std::string> by_source;
  for (const device::StatedCache& cache : caches) {
    std::string& text = by_source[cache.source];
    text += (text.empty() ? "" : ", ") + measure::size_text(static_cast<double>(cache.bytes));
  }
  std::string text;
  for (const auto& [source, sizes] : by_source) text += (text.empty() ? "" : "; ") + sizes + " (" + source + ")";
  return text;
}

}  // namespace sonde::summary
