#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "summary/first_screen.hpp"

namespace sonde::summary {
namespace {

using analysis::Estimate;
using measure::FoundLevel;
using measure::Path;

/// Whether one number is above another by more than both intervals, and than runs differ by.
bool is_above(const Estimate& one, const Estimate& other) {
  return one.low > other.high && one.value > other.value * (1 + measure::rate_between_runs);
}

/// The latencies of the nearest level of a path, by API.
using Nearest = std::map<device::Api, double>;

/// Whether a path is as fast as ordinary loads through every API that has it. Memory of a work-group is none of the
/// caches, so that the same time would be a coincidence.
bool is_as_ordinary(Path path, const Nearest& nearest, std::span<const LevelRow> rows) {
  if (rows.empty() || path == Path::local) return false;
  return std::ranges::all_of(nearest, [&](const auto& entry) {
    const auto cells = rows.front().apis.find(entry.first);
    if (cells == rows.front().apis.end() || cells->second.latency == nullptr) return false;
    const analysis::Bracket& ordinary = cells->second.latency->found.latency_ns;
    return entry.second >= ordinary.low && entry.second <= ordinary.high;
  });
}

/// The row in which two APIs' numbers, of latency or bandwidth, are furthest apart beyond their intervals.
std::string furthest_apart(std::span<const LevelRow> rows, bool of_latency) {
  const auto number = [of_latency](const LevelRow& row, device::Api api) -> const Estimate* {
    const auto cells = row.apis.find(api);
    if (cells == row.apis.end()) return nullptr;
    const FoundLevel* const level = of_latency ? cells->second.latency : cells->second.bandwidth;
    return level == nullptr ? nullptr : of_latency ? &level->found.latency_ns : &*level->gbps;
  };
  std::string text;
  double furthest = 1;
  for (const LevelRow& row : rows) {
    const Estimate* const opencl = number(row, device::Api::opencl);
    const Estimate* const vulkan = number(row, device::Api::vulkan);
    if (opencl == nullptr || vulkan == nullptr) continue;
    const bool vulkan_is_more = vulkan->value > opencl->value;
    const Estimate& more = vulkan_is_more ? *vulkan : *opencl;
    const Estimate& less = vulkan_is_more ? *opencl : *vulkan;
    if (!is_above(more, less) || more.value / less.value <= furthest) continue;
    furthest = more.value / less.value;
    text = fmt::format("{} {}: {} {} {} times {}'s", row.name, of_latency ? "latency" : "read",
                       vulkan_is_more ? "Vulkan" : "OpenCL", of_latency ? "takes" : "gets",
                       analysis::number_text(furthest), vulkan_is_more ? "OpenCL" : "Vulkan");
  }
  return text;
}

/// The most that a load moved beside the largest set that was walked; 0 where it is not recorded.
double largest_load_gbps(const Results& results) {
  std::pair<double, double> most{0, 0};
  for (const auto& [words, samples] : results.samples) {
    for (const measure::Measurement* one : samples)
      most = std::max(most, {one->point.x.bytes.value_or(0), one->point.x.gpu_gbps.value_or(0)});
  }
  return most.second;
}

/// The CPU's own bandwidth in the largest set with the most threads; null where it was not measured.
const measure::Measurement* most_threads_read(const Results& results) {
  const auto key = [](const measure::Measurement& of) {
    return std::pair(of.point.x.bytes.value_or(0), of.point.x.cpu_threads.value_or(0));
  };
  const measure::Measurement* most = nullptr;
  for (const auto& [words, samples] : results.samples) {
    if (words.pattern != measure::Pattern::read || words.placement || words.pages) continue;
    for (const measure::Measurement* one : samples) {
      if (one->unit == "GB/s" && (most == nullptr || key(*one) > key(*most))) most = one;
    }
  }
  return most;
}

}  // namespace

std::vector<UnderLoad> loads_of(const Results& results, const std::function<bool(const Words&)>& passes) {
  using Found = std::vector<const measure::Finding*>;
  std::map<Words, std::pair<Found, Found>> by_curve;  // without a load, and under full load
  for (const auto& [origin, name, finding] : results.findings) {
    if (!finding.value || !passes(finding.words)) continue;
    if (name == "idle-latency") by_curve[finding.words].first.push_back(&finding);
    if (name == "full-load-latency") by_curve[finding.words].second.push_back(&finding);
  }
  std::vector<UnderLoad> loads;
  for (auto& [words, found] : by_curve) {
    // Memory takes longest, with a load and without.
    for (Found* of_kind : {&found.first, &found.second})
      std::ranges::stable_sort(*of_kind, {}, [](const measure::Finding* one) { return *one->value; });
    for (std::size_t i = 0; i < std::min(found.first.size(), found.second.size()); ++i)
      loads.push_back({.idle = found.first[i], .full = found.second[i]});
  }
  return loads;
}

std::string longer(const UnderLoad& load) {
  const Estimate idle = estimate_of(*load.idle);
  const Estimate full = estimate_of(*load.full);
  if (!is_above(full, idle)) return "no longer";
  const double ratio = full.value / idle.value;
  constexpr double told_as_times = 1.095;
  return ratio < told_as_times ? fmt::format("{:.0f} % longer", 100 * (ratio - 1))
                               : analysis::number_text(ratio) + " times as long";
}

Topic other_paths(const Shown& shown) {
  std::map<Path, Nearest> paths;
  std::set<device::Api> apis;
  for (const device::Api api : driver_apis) {
    for (const FoundLevel& level : shown.of(api, "latency").levels) {
      const Path path = level.words.path.value_or(Path::vector);
      if (path == Path::vector || level.level != 1) continue;
      paths[path].emplace(api, level.found.latency_ns.value);
      apis.insert(api);
    }
  }
  Topic topic{.name = "Other paths"};
  std::vector<std::string> ordinary;
  for (const auto& [path, nearest] : paths) {
    std::string text(measure::word_of(path));
    if (is_as_ordinary(path, nearest, shown.rows)) {
      ordinary.push_back(text);
      continue;
    }
    // A number stands at its API's place though the other has none.
    for (const device::Api api : apis) {
      const auto found = nearest.find(api);
      text += (api == *apis.begin() ? " " : " / ") + (found == nearest.end() ? "–" : significant(found->second));
    }
    topic.parts.push_back(text + " ns");
  }
  if (!topic.parts.empty())
    topic.parts.back() += apis.size() > 1 ? " at their nearest level (OpenCL / Vulkan)" : " at their nearest level";
  if (!ordinary.empty()) topic.parts.push_back(listed(ordinary) + " as ordinary loads");
  return topic;
}

Topic disagree(const Shown& shown) {
  Topic topic{.name = "Disagree", .is_marked = true};
  const auto add = [&topic](std::string text) {
    if (!text.empty() && std::ranges::find(topic.parts, text) == topic.parts.end())
      topic.parts.push_back(std::move(text));
  };
  add(furthest_apart(shown.rows, true));
  add(furthest_apart(shown.rows, false));
  for (const LevelRow& row : shown.rows) {
    if (!row.sizes_differ) continue;
    std::vector<std::string> sizes;
    for (const auto& [api, cells] : row.apis) {
      if (cells.latency == nullptr || !cells.latency->found.bytes) continue;
      sizes.push_back(measure::size_text(cells.latency->found.bytes->value) + " by " + records::spoken_name(api));
    }
    add(row.name + " is " + listed(sizes));
  }
  Said by_probes;
  Said by_orders;
  for (const device::Api api : driver_apis) {
    for (const auto& [origin, name, finding] : shown.of(api, "latency").findings) {
      const std::string percent = fmt::format("{:.0f} %", 100 * finding.value.value_or(1));
      if (name == "probes-disagree") by_probes[api] = "size by latency is " + percent + " of that by bandwidth";
      if (name != "orders-disagree") continue;
      std::string level = finding.words.level.str();
      if (shown.device.type == device::DeviceType::cpu && level.starts_with("level ")) level.replace(0, 6, "L");
      by_orders[api] = level + " by random loads is " + percent + " of that by the walk";
    }
  }
  add_said(shown, by_probes, topic);
  add_said(shown, by_orders, topic);
  return topic;
}

Topic native_code(const Shown& shown) {
  Topic topic{.name = "Native code"};
  const bool in_table =
      std::ranges::any_of(shown.rows, [](const LevelRow& row) { return row.apis.contains(device::Api::cpu); });
  const std::vector<const FoundLevel*> levels = main_levels(shown.device.id, device::Api::cpu, shown.view);
  std::string text;
  for (const FoundLevel* level : levels)
    text += (text.empty() ? "" : " / ") + significant(level->found.latency_ns.value);
  if (!text.empty() && !in_table)
    topic.parts.push_back(fmt::format("a load takes {} ns from the nearest level to {}", text, levels.back()->name));
  const Results& bandwidth = shown.of(device::Api::cpu, "cpu-bandwidth");
  if (const measure::Measurement* most = most_threads_read(bandwidth)) {
    const double threads = most->point.x.cpu_threads.value_or(1);
    topic.parts.push_back(fmt::format("{:g} {} {} GB/s of memory", threads,
                                      threads == 1 ? "thread reads" : "threads read",
                                      significant(measure::median_of(*most))));
  }
  double gain = 0;
  for (const auto& [origin, name, finding] : bandwidth.findings) {
    if (name == "non-temporal-gain") gain = std::max(gain, finding.value.value_or(0));
  }
  if (gain > 1 + measure::rate_between_runs)
    topic.parts.push_back(fmt::format("stores past the caches gain up to {} times", analysis::number_text(gain)));
  return topic;
}

Topic under_load(const Shown& shown) {
  Topic topic{.name = "Under load"};
  Said said;
  for (const device::Api api : driver_apis) {
    const Results& results = shown.of(api, "loaded-latency");
    const std::vector<UnderLoad> loads = loads_of(results);
    if (loads.empty()) continue;
    std::string& text = said[api];
    text = "a load in memory takes " + longer(loads.back());
    if (const double gbps = largest_load_gbps(results); gbps > 0)
      text += fmt::format(" while others read {} GB/s", significant(gbps));
    if (loads.size() > 1) text += ", in the last cache " + longer(loads.front());
  }
  add_said(shown, said, topic);
  const auto reads = [](const Words& words) { return words.pattern == measure::Pattern::read; };
  const std::vector<UnderLoad> of_cpu = loads_of(shown.of(device::Api::cpu, "loaded-latency"), reads);
  if (!of_cpu.empty()) {
    const auto gbps = of_cpu.back().full->details.find("load_gbps");
    const bool known = gbps != of_cpu.back().full->details.end();
    topic.parts.push_back("native code in memory " + longer(of_cpu.back()) + " while other cores read" +
                          (known ? " " + significant(gbps->second) + " GB/s" : ""));
  }
  return topic;
}

}  // namespace sonde::summary
