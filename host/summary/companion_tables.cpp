#include "summary/companion_tables.hpp"

#include <array>
#include <map>
#include <vector>

#include "analysis/statistics.hpp"
#include "probes/contention/plan.hpp"
#include "records/device_record.hpp"
#include "summary/by_size.hpp"
#include "summary/format.hpp"
#include "summary/level_table.hpp"

namespace sonde::summary {
namespace {

using records::Line;
using Series = std::map<std::string, std::string>;

constexpr std::array<double, 8> telling_bytes{16384, 131072, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30};

bool is_of(const records::Origin& origin, const std::string& device, const std::string& probe) {
  return origin.device == device && origin.probe == probe;
}

/// "small pages", "huge pages, awake, efficiency".
std::string head_of(const Series& series) {
  std::string head;
  for (const char* key : {"pages", "state", "core"}) {
    const auto word = series.find(key);
    if (word == series.end() || word->second == "asleep") continue;
    head += (head.empty() ? "" : ", ") + word->second + (word->first == "pages" ? " pages" : "");
  }
  return head;
}

std::string marked(const measure::Measurement& one, double value) {
  return format("%.*f%s", value < 100 ? 2 : 1, value, one.state.disturbed ? " *" : "  ");
}

}  // namespace

std::string cpu_latency_table(const std::string& device, std::span<const Line> lines) {
  std::map<Series, BySize> curves;
  std::map<Series, std::vector<measure::FoundLevel>> levels;
  for (const Line& line : lines) {
    if (const auto* found = std::get_if<records::LevelLine>(&line); found != nullptr) {
      if (is_of(found->origin, device, "cpu-latency")) levels[found->level.series].push_back(found->level);
    }
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || !is_of(sample->origin, device, "cpu-latency")) continue;
    const measure::Point& point = sample->measurement.point;
    if (sample->measurement.unit != "ns" || point.series.contains("order")) continue;
    curves[point.series][point.x.at("bytes")] = &sample->measurement;
  }
  if (curves.empty()) return "";
  std::string text =
      "\n  Latency of one dependent load on the CPU itself, ns: medians\n" + format("  %12s", "working set");
  for (const auto& [series, unused] : curves) text += format("  %22s", head_of(series).c_str());
  text += "\n";
  for (const double size : telling_bytes) {
    std::string row = format("  %12s", measure::size_text(size).c_str());
    bool any = false;
    for (const auto& [unused, curve] : curves) {
      const measure::Measurement* point = near(curve, size);
      any = any || point != nullptr;
      const std::string cell = point == nullptr ? "-  " : marked(*point, analysis::summarize(point->values).median);
      row += format("  %22s", cell.c_str());
    }
    row.erase(row.find_last_not_of(' ') + 1);
    if (any) text += row + "\n";
  }
  for (const auto& [series, found] : levels) text += "\n  Levels, " + head_of(series) + "\n" + level_table(found);
  return text;
}

std::string contention_table(const std::string& device, std::span<const Line> lines, bool simulated) {
  std::string text;
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::model}) {
    std::map<double, const measure::Measurement*> by_gbps;
    std::map<double, double> of_idle;  // by the load that was asked for: of pairs
    std::string findings;
    for (const Line& line : lines) {
      const auto is_here = [&](const records::Origin& origin) {
        return is_of(origin, device, "contention") && origin.api == records::api_name(api);
      };
      const auto* found = std::get_if<records::FindingLine>(&line);
      if (found != nullptr && is_here(found->origin)) findings += "  " + found->finding.evidence + "\n";
      const auto* sample = std::get_if<records::SampleLine>(&line);
      if (sample == nullptr || !is_here(sample->origin)) continue;
      const measure::Point& point = sample->measurement.point;
      const auto threads = point.x.find("cpu_threads");
      if (point.series != probes::series_of_load() || (threads != point.x.end() && threads->second > 0)) continue;
      if (sample->measurement.unit == "ns") by_gbps[point.x.at("gpu_gbps")] = &sample->measurement;
      if (sample->measurement.unit == "ratio")
        of_idle[point.x.at("load")] = analysis::summarize(sample->measurement.values).median;
    }
    if (by_gbps.empty()) continue;
    text += std::string("\n  ") +
            (simulated ? "Simulated latency of the CPU"
                       : "Latency of the CPU while the GPU works through " + records::spoken_name(api)) +
            ", ns\n" + format("  %12s  %12s  %12s  %12s  %12s\n", "GPU, GB/s", "p50", "p90", "p99", "over idle");
    for (const auto& [gbps, one] : by_gbps) {
      std::string row = format("  %12.1f", gbps);
      for (const double share : {0.5, 0.9, 0.99})
        row += format("  %12s", marked(*one, analysis::quantile(one->values, share)).c_str());
      const auto times = of_idle.find(one->point.x.at("load"));
      if (times != of_idle.end()) row += format("  %12.2f", times->second);
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
    text += findings;
  }
  return text;
}

}  // namespace sonde::summary
