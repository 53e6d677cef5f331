#include "summary/tables.hpp"

#include <fmt/format.h>

#include "measure/level_findings.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using measure::FoundLevel;
using measure::LevelOfTwo;

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
  cells.resize(6);
  if (row.bandwidth != nullptr) add(*row.bandwidth->gbps);
  cells.resize(8);
  if (row.latency != nullptr && row.latency->cycles) cells.push_back(three_digits(row.latency->cycles->value));
  return cells;
}

}  // namespace

std::string level_table(std::span<const FoundLevel> latency, std::span<const FoundLevel> bandwidth, int columns) {
  Table table({{.head = "level", .left = true},
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

std::string level_summary(const Results& latency, const Results& bandwidth, device::Api api, int columns) {
  std::vector<FoundLevel> of_latency = latency.levels;
  std::erase_if(of_latency, [](const FoundLevel& level) { return !measure::is_vector_path(level.words); });
  if (of_latency.empty() && bandwidth.levels.empty()) return "";
  return heading("Levels", api, "", columns) + level_table(of_latency, bandwidth.levels, columns);
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

std::string latency_findings(const std::string& device, const View& view, int columns) {
  constexpr std::array apis{device::Api::opencl, device::Api::vulkan, device::Api::model};
  std::vector<std::string> evidence_in_order;
  std::map<std::string, std::vector<device::Api>> apis_of;
  for (const device::Api api : apis) {
    for (const auto& [name, finding] : view.of(device, api, "latency").findings) {
      std::vector<device::Api>& seen = apis_of[finding.evidence];
      if (seen.empty()) evidence_in_order.push_back(finding.evidence);
      if (seen.empty() || seen.back() != api) seen.push_back(api);
    }
  }
  std::string text;
  for (const std::string& evidence : evidence_in_order) {
    const std::vector<device::Api>& seen = apis_of.at(evidence);
    text += wrapped((seen.size() == 1 ? records::api_prefix(records::api_name(seen.front())) : "") + evidence, columns);
  }
  return text.empty() ? "" : "\n" + text;
}
}  // namespace sonde::summary
